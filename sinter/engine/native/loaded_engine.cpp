#include "sinter/engine/native/loaded_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/engine/failure.h"
#include "sinter/engine/native/network.h"

namespace sinter::engine::native::SINTER_BACKEND {
namespace {

std::optional<nvinfer1::DataType> native_type(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return nvinfer1::DataType::kFLOAT;
    case DType::kF16:
      return nvinfer1::DataType::kHALF;
    case DType::kBF16:
      return nvinfer1::DataType::kBF16;
    case DType::kI64:
      return nvinfer1::DataType::kINT64;
    case DType::kI32:
      return nvinfer1::DataType::kINT32;
    default:
      return std::nullopt;
  }
}

/// Names that a function of the refitter gives in two calls: how many, then which.
template <typename Ask>
std::vector<std::string> names_of(Ask ask) {
  const std::int32_t count = ask(0, nullptr);
  std::vector<const char*> names(static_cast<std::size_t>(std::max(count, 0)), nullptr);
  const std::int32_t got = ask(count, names.data());
  std::vector<std::string> result;
  for (std::int32_t i = 0; i < std::min(got, count); ++i)
    if (names[static_cast<std::size_t>(i)] != nullptr)
      result.emplace_back(names[static_cast<std::size_t>(i)]);
  return result;
}

}  // namespace

LoadedEngine::LoadedEngine(const SharedLibrary& core, std::span<const std::byte> bytes,
                           Version version, Log& log)
    : core_(core), log_(log) {
  const auto create_runtime =
      core.function<decltype(createInferRuntime_INTERNAL)>("createInferRuntime_INTERNAL");
  void* runtime = create_runtime(&log, NV_TENSORRT_VERSION);
  if (runtime == nullptr) throw load_failure(kFlavour, version, log.reason());
  runtime_.reset(static_cast<nvinfer1::IRuntime*>(runtime));
  engine_.reset(runtime_->deserializeCudaEngine(bytes.data(), bytes.size()));
  if (engine_ == nullptr) throw load_failure(kFlavour, version, log.reason());
}

void LoadedEngine::refit(std::span<const RefitWeight> weights) {
  if (!engine_->isRefittable()) {
    throw Error(ErrorCode::kRuntime, "this engine's weights cannot be replaced",
                "build it with --refittable (any weights) or --strip (those of the checkpoint)");
  }
  const auto create_refitter =
      core_.function<decltype(createInferRefitter_INTERNAL)>("createInferRefitter_INTERNAL");
  const auto refitter = owned<nvinfer1::IRefitter>(
      create_refitter(engine_.get(), &log_, NV_TENSORRT_VERSION), "refitter", log_);
  std::map<std::string_view, const RefitWeight*> by_name;
  for (const RefitWeight& weight : weights) by_name.emplace(weight.name, &weight);
  const std::vector<std::string> wanted = names_of(
      [&](std::int32_t size, const char** names) { return refitter->getAllWeights(size, names); });
  for (const std::string& name : wanted) {
    const auto found = by_name.find(name);
    if (found == by_name.end()) continue;  // counted as missing below if the engine needs it
    const RefitWeight& weight = *found->second;
    const std::optional<nvinfer1::DataType> type = native_type(weight.dtype);
    if (!type || !refitter->setNamedWeights(
                     name.c_str(),
                     {*type, weight.bytes.data(), static_cast<std::int64_t>(weight.elements)})) {
      throw Error(ErrorCode::kRuntime,
                  fmt::format("the engine refuses '{}' as {} with {} elements: {}", name,
                              dtype_info(weight.dtype).word, weight.elements, log_.reason()));
    }
  }
  const std::vector<std::string> missing = names_of([&](std::int32_t size, const char** names) {
    return refitter->getMissingWeights(size, names);
  });
  if (!missing.empty()) {
    throw Error(ErrorCode::kRuntime,
                fmt::format("the engine wants {} weights that the graph does not have, the first "
                            "is '{}'",
                            missing.size(), missing.front()),
                "the graph is not the one that the engine was built from");
  }
  if (!refitter->refitCudaEngine())
    throw Error(ErrorCode::kRuntime, fmt::format("refitting failed: {}", log_.reason()));
}

void LoadedEngine::serialize(const EngineSink& sink) const {
  const std::unique_ptr<nvinfer1::ISerializationConfig> config(
      engine_->createSerializationConfig());
  if (config != nullptr) {
    // A stripped engine is written without weights unless asked; it stays refittable.
    config->clearFlag(nvinfer1::SerializationFlag::kEXCLUDE_WEIGHTS);
    config->setFlag(nvinfer1::SerializationFlag::kINCLUDE_REFIT);
  }
  const std::unique_ptr<nvinfer1::IHostMemory> memory(
      config != nullptr ? engine_->serializeWithConfig(*config) : engine_->serialize());
  if (memory == nullptr)
    throw Error(ErrorCode::kRuntime, fmt::format("cannot write the engine: {}", log_.reason()));
  sink({static_cast<const std::byte*>(memory->data()), memory->size()});
}

std::string LoadedEngine::inspect() const {
  const std::unique_ptr<nvinfer1::IEngineInspector> inspector(engine_->createEngineInspector());
  const char* json = inspector == nullptr
                         ? nullptr
                         : inspector->getEngineInformation(nvinfer1::LayerInformationFormat::kJSON);
  if (json == nullptr)
    throw Error(ErrorCode::kRuntime, fmt::format("the engine says nothing: {}", log_.reason()));
  return json;
}

}  // namespace sinter::engine::native::SINTER_BACKEND
