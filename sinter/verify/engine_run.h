#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "sinter/graph/onnx_model.h"
#include "sinter/verify/case_binding.h"
#include "sinter/verify/verify.h"

namespace sinter::verify {

// A graph run on an engine, and its results held against a case: what verify_model() and
// compare_engines() have in common.

/// What came of running a graph on each of several inputs.
struct EngineRun {
  runtime::EngineInfo info;
  runtime::Placement placement;
  std::vector<runtime::TensorMap> results;
};

void report(const VerifyOptions& options, const std::filesystem::path& model,
            std::string_view stage);

EngineRun run(runtime::Engine engine, const graph::OnnxModel& model,
              const std::vector<runtime::TensorMap>& runs, const VerifyOptions& options);

/// The outputs of all runs, their rows put together again.
runtime::TensorMap joined_outputs(const graph::OnnxModel& model, const EngineRun& ran);

/// What a graph may differ by that computes in `compute` on an engine.
const Tolerance& tolerance_of(DType compute, const runtime::EngineInfo& engine);

/// A result without comparisons yet.
GraphResult empty_result(const graph::OnnxModel& model, const EngineRun& ran,
                         const VerifyOptions& options);

/// Adds the comparisons with a case's outputs, and what it has beyond them.
void compare_with_case(const CaseBinding& binding, const ReferenceCase& reference,
                       const runtime::TensorMap& outputs, GraphResult& result);

}  // namespace sinter::verify
