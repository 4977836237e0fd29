#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "sinter/check/check.h"
#include "tests/runtime/model_builder.h"

namespace sinter::check {

/// Findings as "error no-opset node: why", one a place.
inline std::vector<std::string> lines(const Report& report) {
  std::vector<std::string> result;
  for (const Finding& finding : report.findings) {
    for (const Place& place : finding.places) {
      result.push_back(fmt::format("{} {} {}: {}", severity_name(finding.severity), finding.rule,
                                   place.node, finding.why));
    }
  }
  return result;
}

inline std::vector<std::string> checked(const graph::Outline& file, const Options& options) {
  return lines(check(file, options));
}

inline std::vector<std::string> checked(const ModelBuilder& model, Target target,
                                        const std::filesystem::path& path = "m.onnx") {
  const std::string bytes = model.bytes();
  return checked(graph::outline_of(std::as_bytes(std::span(bytes)), path), {.target = target});
}

/// The lines of one rule.
inline std::vector<std::string> of_rule(const std::vector<std::string>& all,
                                        const std::string& rule) {
  std::vector<std::string> result;
  for (const std::string& line : all) {
    if (line.find(" " + rule + " ") != std::string::npos) result.push_back(line);
  }
  return result;
}

using Lines = std::vector<std::string>;

/// y = op(x) of four float32 numbers.
inline ModelBuilder one_node(const std::string& op, const std::string& domain = {}) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {1, 4}).output("y", DType::kF32, {1, 4});
  builder.node(op, "block/" + op, {"x"}, "y");
  builder.graph().mutable_node(0)->set_domain(domain);
  return builder;
}

}  // namespace sinter::check
