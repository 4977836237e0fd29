#pragma once

#include <string_view>

#include "sinter/check/target.h"

namespace sinter::check {

/// An operator of ONNX Runtime's own domain, com.microsoft.
///
/// Sources: kernels of ONNX Runtime's CPU and CUDA providers and OpenVINO 2026.4's reader, asked
/// with one-node models (CPU, OpenVINO) or by their kernel lists (CUDA).
struct ContribRow {
  std::string_view name;
  Targets taken;             // targets that have it
  std::string_view instead;  // what a portable graph has in its place
};

inline constexpr std::string_view kContribDomain = "com.microsoft";

/// Null: not in the table; ONNX Runtime may have it.
const ContribRow* find_contrib(std::string_view name);

}  // namespace sinter::check
