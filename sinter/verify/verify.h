#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/runtime/session.h"
#include "sinter/verify/comparison.h"
#include "sinter/verify/reference_case.h"
#include "sinter/verify/tolerance.h"

namespace sinter::verify {

struct VerifyOptions {
  runtime::Engine engine = runtime::Engine::kOpenVino;
  runtime::SessionOptions session = {};
  std::optional<Tolerance> tolerance = {};  // empty: by the graph's and the engine's arithmetic
  bool no_cpu_fallback = false;             // a node that fell to the CPU is a mismatch
  /// Called as work on a graph starts: "loading", "compiling", "running".
  std::function<void(const std::filesystem::path& model, std::string_view stage)> progress = {};
};

struct OutputResult {
  std::string reference;  // "out.NAME" of the case, or the other engine's name
  std::string output;     // of the graph
  Comparison comparison;
  bool passed;
};

/// What came of one graph.
struct GraphResult {
  std::filesystem::path model;
  DType compute;  // what the graph computes in
  runtime::EngineInfo engine;
  Tolerance tolerance;
  std::vector<OutputResult> outputs;
  std::vector<std::string> not_compared;  // "out.NAME"s of the case that the graph does not give
  runtime::Placement placement = {};      // where the engine's nodes are; of one result an engine
  bool no_cpu_fallback = false;           // no node may be on the CPU, and it has to be known

  bool passed() const;
};

/// The graphs of a converted folder: subfolders of its stages that hold a model, sorted by name.
std::vector<std::filesystem::path> models_in(const std::filesystem::path& folder);

/// Those of a folder that a case is about.
/// @throws Error{kUsage} naming what the folder has when it has none of them.
std::vector<std::filesystem::path> models_for(const std::filesystem::path& folder,
                                              const ReferenceCase& reference);

/// Runs a case's inputs and compares its outputs.
/// @throws Error{kUsage} when graph and case have no output in common; all that sessions throw.
GraphResult verify_model(const std::filesystem::path& model, const ReferenceCase& reference,
                         const VerifyOptions& options = {});

/// The same, and of a ControlNet's case that says what the UNet makes of its residuals, the UNet
/// beside the ControlNet too, where it takes them.
std::vector<GraphResult> verify_case(const std::filesystem::path& model,
                                     const ReferenceCase& reference,
                                     const VerifyOptions& options = {});

/// The same for every graph of a folder that the case is about.
std::vector<GraphResult> verify_folder(const std::filesystem::path& folder,
                                       const ReferenceCase& reference,
                                       const VerifyOptions& options = {});

/// What the engine that is compared with gets of a session's options: no provider library, no
/// engines of TensorRT, and no rounding, which are those of the engine that is checked.
runtime::SessionOptions for_the_other(runtime::SessionOptions options);

/// Compares options.engine with another engine on the same inputs: those of the case, or generated
/// ones without a case. Of a case with outputs that the graph gives, each engine is compared with
/// those first: reference against engine, three ways, each with the tolerance of what computes.
std::vector<GraphResult> compare_engines(const std::filesystem::path& model,
                                         runtime::Engine against, const ReferenceCase* reference,
                                         const VerifyOptions& options = {});

}  // namespace sinter::verify
