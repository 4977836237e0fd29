#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/base/shared_library.h"
#include "sinter/engine/backend.h"
#include "sinter/engine/native/headers.h"
#include "sinter/engine/native/log.h"

namespace sinter::engine::native::SINTER_BACKEND {

/// The object behind a factory function of the library, which returns null on failure.
template <typename Object>
std::unique_ptr<Object> owned(void* object, std::string_view what, const Log& log) {
  if (object == nullptr) {
    throw Error(ErrorCode::kRuntime,
                fmt::format("{} made no {}: {}", flavour_info(kFlavour).name, what, log.reason()));
  }
  return std::unique_ptr<Object>(static_cast<Object*>(object));
}

/// A parsed model with what made it. Members are destroyed from the last upwards.
struct Network {
  std::unique_ptr<nvinfer1::IBuilder> builder;
  std::unique_ptr<nvinfer1::INetworkDefinition> definition;
  std::unique_ptr<nvinfer1::IBuilderConfig> config;
  std::unique_ptr<nvonnxparser::IParser> parser;  // keeps the weights that the network points to
  bool accepted = false;
  std::vector<ParserError> errors;
  std::vector<std::string> weights;  // names that the parser gave to weights, sorted
};

Network parse_network(const SharedLibrary& core, const SharedLibrary& parser, Version version,
                      const std::filesystem::path& model, Log& log);

/// Takes the casts away around norms that stand between float16 tensors:
///
///     float16 -> Cast -> float32 norm -> Cast -> float16   becomes   float16 norm
///
/// The graph has the casts for engines that would compute a float16 norm in float16, where the
/// variance overflows. TensorRT's kernels read and write float16 but sum in float32, and they take
/// the norm with its scale and the SiLU behind it as one kernel only when nothing stands between.
/// Only norms whose scale and bias are the constants 1 and 0 (GroupNorm is written so).
/// Returns how many.
int join_norms(nvinfer1::INetworkDefinition& network);

}  // namespace sinter::engine::native::SINTER_BACKEND
