#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/base/tensor.h"
#include "sinter/graph/onnx_model.h"

namespace sinter::runtime {

/// kOpenVino and kOnnxRuntime run on the CPU; the others are ONNX Runtime with a provider that runs
/// on a GPU.
enum class Engine { kOpenVino, kOnnxRuntime, kCuda, kTensorRt, kTensorRtRtx };

/// "openvino", "onnxruntime", "cuda", "tensorrt", "trt-rtx".
std::string_view engine_name(Engine engine);
std::optional<Engine> engine_from_name(std::string_view name);

/// What an engine may compute in, whatever the graph says. kGraph: just what the graph says
/// (float32 stays float32, and a CPU may compute float16 in float32). kRounded: the same, with
/// every value rounded to the type that the graph gives it, as a GPU does; ONNX Runtime only.
enum class Arithmetic { kGraph, kBFloat16, kFloat16, kFastest, kRounded };

/// Shapes that an input may have, in elements; an engine is tuned for opt.
struct ShapeRange {
  std::string input;
  Shape min;
  Shape opt;
  Shape max;
};

struct SessionOptions {
  int threads = 0;  // 0: one a core
  Arithmetic arithmetic = Arithmetic::kGraph;
  /// ONNX Runtime runs the nodes one by one as the file has them, without folding or fusing any.
  bool as_written = false;
  std::filesystem::path onnxruntime_library = {};  // empty: the one that came with sinter
  /// Shapes that inputs will always have, by name; an engine may compile for them alone. Empty: as
  /// the graph declares.
  std::map<std::string, Shape, std::less<>> input_shapes = {};
  /// A library with execution providers for ONNX Runtime (1.22 or later). With kOnnxRuntime, the
  /// provider of its first device is used, whatever it is.
  std::filesystem::path provider_library = {};
  /// For TensorRT's engines: where they are kept from one run to the next; a folder. Empty:
  /// nowhere.
  std::filesystem::path engine_cache = {};
  /// For TensorRT: by the name of the folder that a graph lies in.
  std::map<std::string, std::vector<ShapeRange>, std::less<>> shape_ranges = {};
  /// Also with kOnnxRuntime on the CPU: say which provider took which nodes.
  bool record_placement = false;
};

/// The engine behind a session, in its own words.
struct EngineInfo {
  std::string name;        // "OpenVINO"
  std::string version;     // "2026.4.1"
  std::string device;      // "CPU: Intel(R) Xeon(R) ..."
  std::string arithmetic;  // what float32 values are computed in: "float32", "bfloat16", "float16"
};

/// How many nodes a provider took.
struct ProviderNodes {
  std::string provider;  // "CUDAExecutionProvider"
  std::size_t nodes;
};

/// A node that runs on the CPU.
struct FallenNode {
  std::string name;
  std::string op;
  std::string cause;
};

/// Where the nodes of a graph run, as the engine itself says.
struct Placement {
  bool known = false;  // an engine that does not say it leaves the rest empty
  std::vector<ProviderNodes> providers = {};
  std::vector<FallenNode> fallen = {};  // in the order of execution
};

using TensorMap = std::map<std::string, Tensor, std::less<>>;

/// A graph made ready to run. One caller at a time.
class Session {
 public:
  virtual ~Session() = default;

  virtual const std::vector<graph::ValueDeclaration>& inputs() const = 0;
  virtual const std::vector<graph::ValueDeclaration>& outputs() const = 0;

  /// Runs the graph. Inputs are converted to the declared dtype; all of the declared inputs must be
  /// there, others are ignored. Returns every output.
  /// @throws Error{kShapeMismatch, kMissingTensor, kDTypeMismatch} for wrong inputs, before the
  ///         engine sees them; Error{kRuntime} from the engine.
  virtual TensorMap run(const TensorMap& inputs) = 0;

  /// Which engine it is; empty for a stand-in.
  virtual EngineInfo info() const { return {}; }

  /// Where its nodes run. Known for engines on a GPU with ONNX Runtime 1.24 or later, and where
  /// SessionOptions asks for it.
  virtual Placement placement() const { return {}; }
};

/// The ONNX Runtime library that came with sinter: beside the program, in ../lib/sinter of it, or
/// where the build found it. Empty when there is none.
std::filesystem::path default_onnxruntime_library();

/// Compiles the model, as exposed at this moment. The model must outlive the session: its mapped
/// weights are used in place.
/// @throws Error{kRuntime} with the engine's words and, where they name a node, the module;
///         Error{kUnsupported} for a type that the engine has no kernels for.
std::unique_ptr<Session> open_session(Engine engine, const graph::OnnxModel& model,
                                      const SessionOptions& options = {});

}  // namespace sinter::runtime
