#include "sinter/engine/native/builder.h"

#include <algorithm>
#include <array>
#include <exception>

#include "sinter/engine/failure.h"
#include "sinter/engine/native/monitor.h"

namespace sinter::engine::native::SINTER_BACKEND {
namespace {

/// Hands pieces of the engine to the caller; what the caller throws waits until the library has
/// returned.
class Writer final : public nvinfer1::IStreamWriter {
 public:
  explicit Writer(const EngineSink& sink) : sink_(sink) {}

  std::int64_t write(const void* data, std::int64_t bytes) final {
    if (thrown_) return -1;
    try {
      sink_({static_cast<const std::byte*>(data), static_cast<std::size_t>(bytes)});
      return bytes;
    } catch (...) {  // the library's call: passed on when it has returned
      thrown_ = std::current_exception();
      return -1;
    }
  }

  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  const EngineSink& sink_;
  std::exception_ptr thrown_;
};

nvinfer1::Dims dims_of(const Shape& shape) {
  nvinfer1::Dims dims{};
  dims.nbDims = static_cast<std::int32_t>(shape.size());
  std::ranges::copy(shape, dims.d);
  return dims;
}

void set_profile(Network& network, const plan::Profile& profile, const Log& log) {
  if (profile.inputs.empty()) return;
  nvinfer1::IOptimizationProfile* made = network.builder->createOptimizationProfile();
  for (const plan::InputRange& range : profile.inputs) {
    using Selector = nvinfer1::OptProfileSelector;
    const char* name = range.input.c_str();
    if (range.min.size() > nvinfer1::Dims::MAX_DIMS ||
        !made->setDimensions(name, Selector::kMIN, dims_of(range.min)) ||
        !made->setDimensions(name, Selector::kOPT, dims_of(range.opt)) ||
        !made->setDimensions(name, Selector::kMAX, dims_of(range.max))) {
      throw Error(ErrorCode::kUsage,
                  fmt::format("the range of input '{}' is refused: {}", range.input, log.reason()));
    }
  }
  if (network.config->addOptimizationProfile(made) < 0)
    throw Error(ErrorCode::kUsage, fmt::format("the profile is refused: {}", log.reason()));
}

void set_refit(nvinfer1::IBuilderConfig& config, const BuildRequest& request) {
  using nvinfer1::BuilderFlag;
  if (request.refit == Refit::kAny) config.setFlag(BuilderFlag::kREFIT);
  if (request.refit == Refit::kIdentical) config.setFlag(BuilderFlag::kREFIT_IDENTICAL);
  if (request.strip) config.setFlag(BuilderFlag::kSTRIP_PLAN);
}

#ifdef TRT_MAJOR_RTX
/// TensorRT-RTX translates for architectures that need not be here. (Their numbers:
/// ComputeCapability in its NvInfer.h; it has none for data centre GPUs after 8.0.)
void set_target(nvinfer1::IBuilderConfig& config, const BuildRequest& request) {
  constexpr std::array kKnown{75, 80, 86, 89, 120, 121};
  const auto count = static_cast<std::int32_t>(request.architectures.size());
  if (count == 0) throw Error(ErrorCode::kUsage, "no GPU architecture to build for");
  std::vector<std::int32_t> numbers;
  for (const plan::ComputeCapability& capability : request.architectures) {
    numbers.push_back(capability.major * 10 + capability.minor);
    if (std::ranges::find(kKnown, numbers.back()) == kKnown.end()) {
      throw Error(ErrorCode::kUnsupported,
                  fmt::format("TensorRT-RTX builds no engines for {}", capability.name()),
                  "it knows sm75, sm80, sm86, sm89, sm120 and sm121; others need --engine trt, on "
                  "a machine with that GPU");
    }
  }
  config.setNbComputeCapabilities(count);
  for (std::int32_t i = 0; i < count; ++i) {
    const auto number = numbers[static_cast<std::size_t>(i)];
    if (!config.setComputeCapability(static_cast<nvinfer1::ComputeCapability>(number), i))
      throw Error(ErrorCode::kRuntime, fmt::format("sm{} is refused by this TensorRT-RTX", number));
  }
}
#else
void set_target(nvinfer1::IBuilderConfig&, const BuildRequest& request) {
  if (request.architectures.empty()) return;
  throw Error(ErrorCode::kUnsupported,
              "TensorRT builds for the GPU of this machine, not for others by name",
              "leave --gpu out, or use --engine trt-rtx");
}
#endif

/// Timing caches: TensorRT-RTX measures nothing while building, so it has none.
class TimingCache {
 public:
  TimingCache(nvinfer1::IBuilderConfig& config, const std::string& earlier) : config_(config) {
#ifndef TRT_MAJOR_RTX
    cache_.reset(config.createTimingCache(earlier.data(), earlier.size()));
    if (cache_ == nullptr) cache_.reset(config.createTimingCache(nullptr, 0));
    if (cache_ != nullptr) config.setTimingCache(*cache_, /*ignoreMismatch=*/false);
#else
    static_cast<void>(earlier);
#endif
  }

  std::string bytes() const {
#ifndef TRT_MAJOR_RTX
    if (const nvinfer1::ITimingCache* cache = config_.getTimingCache(); cache != nullptr) {
      const std::unique_ptr<nvinfer1::IHostMemory> memory(cache->serialize());
      if (memory != nullptr) return {static_cast<const char*>(memory->data()), memory->size()};
    }
#else
    static_cast<void>(config_);
#endif
    return {};
  }

 private:
  nvinfer1::IBuilderConfig& config_;
#ifndef TRT_MAJOR_RTX
  std::unique_ptr<nvinfer1::ITimingCache> cache_;
#endif
};

/// Builds without holding the whole engine in memory where the library can.
template <typename Builder>
bool serialize(Builder& builder, Network& network, Writer& writer) {
  if constexpr (requires {
                  builder.buildSerializedNetworkToStream(*network.definition, *network.config,
                                                         writer);
                }) {
    return builder.buildSerializedNetworkToStream(*network.definition, *network.config, writer);
  } else {
    const std::unique_ptr<nvinfer1::IHostMemory> engine(
        builder.buildSerializedNetwork(*network.definition, *network.config));
    if (engine == nullptr) return false;
    const auto bytes = static_cast<std::int64_t>(engine->size());
    return writer.write(engine->data(), bytes) == bytes;
  }
}

}  // namespace

BuildReport build_network(Network& network, const BuildRequest& request, Version version, Log& log,
                          const EngineSink& sink) {
  BuildReport report;
  report.layers = network.definition->getNbLayers();
  report.joined_norms = join_norms(*network.definition);
  set_target(*network.config, request);
  set_refit(*network.config, request);
  if (request.workspace_bytes > 0)
    network.config->setMemoryPoolLimit(nvinfer1::MemoryPoolType::kWORKSPACE,
                                       request.workspace_bytes);
  set_profile(network, request.profile, log);
  // Names and types of layers stay readable in the engine.
  network.config->setProfilingVerbosity(nvinfer1::ProfilingVerbosity::kDETAILED);
  Monitor monitor(request.progress);
  network.config->setProgressMonitor(&monitor);
  const TimingCache cache(*network.config, request.timing_cache);
  Writer writer(sink);
  const bool built = serialize(*network.builder, network, writer);
  network.config->setProgressMonitor(nullptr);
  writer.rethrow();
  monitor.rethrow();
  if (monitor.stopped()) throw Stopped();
  if (!built) throw build_failure(kFlavour, version, request.model, log.reason());
  report.timing_cache = cache.bytes();
  report.memory = log.memory();
  report.warnings = log.take();
  report.weights = std::move(network.weights);
  return report;
}

}  // namespace sinter::engine::native::SINTER_BACKEND
