#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sinter/check/check.h"
#include "sinter/check/finding.h"
#include "sinter/graph/onnx_outline.h"

namespace sinter::cli {

/// One file held against one target.
struct CheckedGraph {
  std::string file;
  const check::TargetFacts* target;
  std::int64_t opset;
  std::string producer;
  std::string contract;  // "optimum's unet", or empty
  check::Report report;
};

nlohmann::ordered_json to_json(const CheckedGraph& checked);

/// On standard output.
void print(const CheckedGraph& checked);

}  // namespace sinter::cli
