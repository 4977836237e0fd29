#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/base/dtype.h"
#include "sinter/engine/flavour.h"
#include "sinter/engine/library_files.h"
#include "sinter/plan/gpu.h"
#include "sinter/plan/profile.h"

namespace sinter::engine {

/// One complaint of the parser.
struct ParserError {
  std::string node;     // the ONNX node's name; empty when the complaint is about the file
  std::string op;       // its operator
  std::string message;  // the parser's own words
};

/// What the library's ONNX parser made of a file.
struct ParseReport {
  bool accepted = false;
  std::vector<ParserError> errors;    // empty when accepted
  int layers = 0;                     // of the TensorRT network (also of the part before an error)
  std::vector<std::string> warnings;  // what the library logged at warning or above, in order
  std::vector<std::string> weights;   // names by which an engine could be refitted, as the parser
                                      // tells them; empty where the library does not
};

/// Whether, and with what, the weights of an engine may be replaced later.
enum class Refit {
  kNone,
  kIdentical,  // only with the values that it was built with: for plans without weights
  kAny,        // with any values; the builder may not fold them
};

/// How far a build has come. From the builder's own phases, so it runs unevenly.
struct BuildProgress {
  std::string_view phase;  // the builder's word
  double fraction = 0;     // of the whole, 0 to 1
};

/// What is to be built. Networks are always strongly typed: types come from the graph alone.
struct BuildRequest {
  std::filesystem::path model;  // .onnx; its external data in its folder or below
  plan::Profile profile;        // of every dynamic input
  /// TensorRT-RTX: the architectures that the one engine shall run on, at least one; needs no GPU.
  /// TensorRT: empty, it builds for the GPU of this machine.
  std::vector<plan::ComputeCapability> architectures;
  Refit refit = Refit::kNone;
  bool strip = false;                 // without weights; needs refit
  std::uint64_t workspace_bytes = 0;  // limit of a layer's scratch memory; 0: none
  std::string timing_cache;           // of an earlier build; TensorRT-RTX has none
  /// Called from the builder's threads. Returns false to stop.
  std::function<bool(const BuildProgress&)> progress;
};

/// GPU memory as the builder logs it, in bytes; nothing where it did not say.
struct EngineMemory {
  std::optional<std::uint64_t> weights;
  std::optional<std::uint64_t> activations;  // what a context allocates at the profile's maximum
  std::optional<std::uint64_t> scratch;      // the largest scratch memory of a layer, within those
  std::optional<std::uint64_t> persistent;   // of layers, on the device
};

/// What a build tells besides the engine.
struct BuildReport {
  int layers = 0;        // of the network
  int joined_norms = 0;  // see network.h: norms that compute between float16 tensors
  EngineMemory memory;
  std::vector<std::string> warnings;
  std::vector<std::string> weights;  // as in ParseReport
  std::string timing_cache;          // to keep; empty where the library has none
};

/// A weight for an engine: the initializer's name and its values, row-major.
struct RefitWeight {
  std::string name;
  DType dtype;
  std::uint64_t elements = 0;
  std::span<const std::byte> bytes;  // valid for the call
};

/// Takes the engine piece by piece; may throw, which ends the build.
using EngineSink = std::function<void(std::span<const std::byte>)>;

/// A loaded TensorRT or TensorRT-RTX. One at a time is used from one thread.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual Flavour flavour() const = 0;
  virtual Version version() const = 0;

  /// Parses a .onnx file, external data included, into a strongly typed network. External data must
  /// lie in the model's folder or below it (a hard link does).
  /// A model that the parser refuses is a report, not an exception.
  /// @throws Error{kIo} when there is no such model.
  virtual ParseReport parse(const std::filesystem::path& model) = 0;

  /// @throws Error{kUnsupported} naming node, operator and module when the parser refuses the
  ///         model; Error{kUsage} for architectures that the library does not know;
  ///         Error{kRuntime} with the builder's words when it fails;
  ///         Stopped when progress returned false; what the sink throws.
  virtual BuildReport build(const BuildRequest& request, const EngineSink& sink) = 0;

  /// Gives an engine new weights and writes it with them. Needs a GPU of its architecture.
  /// @throws Error{kRuntime} when the engine cannot be loaded here, is not refittable, or lacks a
  ///         weight, which is named.
  virtual void refit(std::span<const std::byte> engine, std::span<const RefitWeight> weights,
                     const EngineSink& sink) = 0;

  /// The engine inspector's JSON. Needs a GPU of the engine's architecture.
  /// @throws Error{kRuntime} when the engine cannot be loaded here.
  virtual std::string inspect(std::span<const std::byte> engine) = 0;
};

/// A build that the caller ended.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped"; }
};

/// Whether this build of sinter can talk to a flavour: its headers were there.
bool compiled_in(Flavour flavour);

/// Loads a library. Needs no GPU and no CUDA.
/// @throws Error{kUnsupported} when compiled_in() is false;
///         Error{kRuntime} when the files cannot be loaded, do not start, or are of another major
///         version than the headers that sinter was built with.
std::unique_ptr<Backend> open_backend(const LibraryFiles& files);

}  // namespace sinter::engine
