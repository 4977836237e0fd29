#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::check {

/// A program that an ONNX file may have to serve.
enum class Target : std::uint8_t {
  kTrt86,
  kTrt10,
  kTrt11,
  kTrtRtx,
  kOrtCpu,
  kOrtCuda,
  kOpenVino,
};

/// A set of targets.
using Targets = std::uint8_t;

constexpr Targets bit(Target target) {
  return static_cast<Targets>(1U << static_cast<unsigned>(target));
}

/// What is known of a target. Sources: target.cpp.
struct TargetFacts {
  Target target;
  std::string_view name;   // on the command line
  std::string_view title;  // with the version that the facts hold for
  bool tensorrt;
  std::int64_t oldest_opset;
  std::int64_t newest_opset;  // promised or measured
  std::int64_t everywhere;    // the newest that every version of the target reads
  std::string_view since;     // of a newer one: the version that reads it
  std::int64_t newest_ir;     // 0: any
};

/// In the order of the command line's help.
const std::vector<TargetFacts>& targets();

const TargetFacts& facts(Target target);

/// @throws Error{kUsage} naming the targets there are.
Target target_named(std::string_view name);

}  // namespace sinter::check
