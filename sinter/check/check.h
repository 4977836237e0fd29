#pragma once

#include <optional>
#include <vector>

#include "sinter/check/contract.h"
#include "sinter/check/finding.h"
#include "sinter/check/target.h"
#include "sinter/graph/onnx_outline.h"

namespace sinter::check {

struct Options {
  Target target = Target::kTrtRtx;
  std::optional<Contract> contract = {};
  std::vector<InputProfile> profile = {};  // empty: none was given
};

/// Holds every rule against a file. Reads no weights, runs nothing, needs no engine.
Report check(const graph::Outline& file, const Options& options);

}  // namespace sinter::check
