#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sinter/base/tensor.h"
#include "sinter/pipeline/folder.h"
#include "sinter/runtime/session.h"

namespace sinter::pipeline {

/// What helps where a component's output is not finite: it depends on what the graph computes in,
/// and on what the engine was let compute in instead.
std::string overflow_hint(const PipelineFolder& folder, std::string_view component,
                          const runtime::Session& session);

/// "NaN" or "infinities" when the float32 tensor holds them.
std::optional<std::string_view> non_finite(const Tensor& tensor);

}  // namespace sinter::pipeline
