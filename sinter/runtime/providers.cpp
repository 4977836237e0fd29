#include "sinter/runtime/providers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/hash.h"

namespace sinter::runtime {
namespace {

constexpr std::array kProviders{
    Provider{Engine::kCuda, "CUDA", "CUDAExecutionProvider", "libonnxruntime_providers_cuda.so",
             "onnxruntime-gpu"},
    Provider{Engine::kTensorRt, "TensorRT", "TensorrtExecutionProvider",
             "libonnxruntime_providers_tensorrt.so", "onnxruntime-gpu"},
    Provider{Engine::kTensorRtRtx, "TensorRT-RTX", "NvTensorRTRTXExecutionProvider",
             "libonnxruntime_providers_nv_tensorrt_rtx.so", "onnxruntime-ep-nv-tensorrt-rtx"},
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool is_dynamic(const graph::ValueDeclaration& input) {
  return std::ranges::any_of(input.shape, [](std::int64_t extent) { return extent < 0; });
}

void check_range(const ShapeRange& range, const graph::ValueDeclaration& input) {
  bool right = range.min.size() == input.shape.size() && range.opt.size() == input.shape.size() &&
               range.max.size() == input.shape.size();
  for (std::size_t i = 0; right && i < input.shape.size(); ++i) {
    right = 1 <= range.min[i] && range.min[i] <= range.opt[i] && range.opt[i] <= range.max[i];
    if (input.shape[i] >= 0)
      right = right && range.min[i] == input.shape[i] && range.max[i] == input.shape[i];
  }
  if (right) return;
  throw Error(ErrorCode::kUsage,
              fmt::format("the range of input '{}' is {}, {}, {}, expected min <= opt <= max with "
                          "the graph's rank and fixed extents, {}",
                          range.input, to_string(range.min), to_string(range.opt),
                          to_string(range.max), to_string(input.shape)));
}

// The ranges of a graph's inputs, in its order; none, or one for each that is dynamic.
std::vector<const ShapeRange*> ranges_of(const graph::OnnxModel& model,
                                         const std::vector<ShapeRange>& given) {
  const std::vector<graph::ValueDeclaration> inputs = model.inputs();
  std::vector<const ShapeRange*> ranges;
  std::vector<std::string> lacking;
  for (const graph::ValueDeclaration& input : inputs) {
    const auto found = std::ranges::find(given, input.name, &ShapeRange::input);
    if (found != given.end()) {
      check_range(*found, input);
      ranges.push_back(&*found);
    } else if (is_dynamic(input)) {
      lacking.push_back(input.name);
    }
  }
  if (ranges.size() != given.size()) {
    std::vector<std::string> names;
    for (const graph::ValueDeclaration& input : inputs) names.push_back(input.name);
    for (const ShapeRange& range : given) {
      if (std::ranges::find(names, range.input) == names.end())
        throw Error(ErrorCode::kUsage,
                    fmt::format("there is a range for '{}', and {} takes {}", range.input,
                                model.path().string(), fmt::join(names, ", ")));
    }
  }
  if (ranges.empty() || lacking.empty()) return ranges;
  throw Error(ErrorCode::kUsage,
              fmt::format("{} has no range for {}; TensorRT takes ranges for all dynamic inputs or "
                          "for none",
                          model.path().string(), fmt::join(lacking, ", ")));
}

// "sample:2x4x64x64,timestep:1".
std::string shapes_text(const std::vector<const ShapeRange*>& ranges, Shape ShapeRange::*shape) {
  std::vector<std::string> words;
  for (const ShapeRange* range : ranges)
    words.push_back(fmt::format("{}:{}", range->input, fmt::join(range->*shape, "x")));
  return fmt::format("{}", fmt::join(words, ","));
}

// Names of the options that TensorRT's two providers have.
struct OptionNames {
  std::string_view min, opt, max;
};

void add_shapes(ProviderOptions& options, const OptionNames& names,
                const std::vector<const ShapeRange*>& ranges) {
  if (ranges.empty()) return;
  options.emplace_back(names.min, shapes_text(ranges, &ShapeRange::min));
  options.emplace_back(names.opt, shapes_text(ranges, &ShapeRange::opt));
  options.emplace_back(names.max, shapes_text(ranges, &ShapeRange::max));
}

ProviderOptions cuda_options(const SessionOptions& options) {
  // TF32 has the significand of float16: a float32 graph would not be one.
  const bool exact =
      options.arithmetic == Arithmetic::kGraph || options.arithmetic == Arithmetic::kRounded;
  return {{"device_id", "0"}, {"use_tf32", exact ? "0" : "1"}};
}

ProviderOptions tensorrt_options(const graph::OnnxModel& model, const SessionOptions& options,
                                 const std::vector<const ShapeRange*>& ranges) {
  const DType compute = model.compute_dtype();
  ProviderOptions result{{"device_id", "0"}};
  if (compute == DType::kF16 || options.arithmetic == Arithmetic::kFloat16)
    result.emplace_back("trt_fp16_enable", "1");
  if (compute == DType::kBF16 || options.arithmetic == Arithmetic::kBFloat16)
    result.emplace_back("trt_bf16_enable", "1");
  result.emplace_back("trt_layer_norm_fp32_fallback", "1");
  add_shapes(result, {"trt_profile_min_shapes", "trt_profile_opt_shapes", "trt_profile_max_shapes"},
             ranges);
  if (options.engine_cache.empty()) return result;
  result.emplace_back("trt_engine_cache_enable", "1");
  result.emplace_back("trt_engine_cache_path", options.engine_cache.string());
  result.emplace_back("trt_timing_cache_enable", "1");
  // Timings are of kernels, whatever the graph.
  result.emplace_back("trt_timing_cache_path", options.engine_cache.parent_path().string());
  return result;
}

ProviderOptions rtx_options(const SessionOptions& options,
                            const std::vector<const ShapeRange*>& ranges) {
  ProviderOptions result;
  add_shapes(result, {"nv_profile_min_shapes", "nv_profile_opt_shapes", "nv_profile_max_shapes"},
             ranges);
  if (!options.engine_cache.empty())
    result.emplace_back("nv_runtime_cache_path", options.engine_cache.string());
  return result;
}

}  // namespace

const Provider* provider_of(Engine engine) {
  const auto found = std::ranges::find(kProviders, engine, &Provider::engine);
  return found == kProviders.end() ? nullptr : &*found;
}

bool is_provider(const Provider& provider, std::string_view name) {
  if (name == provider.name) return true;
  const std::string text = lower(name);
  const bool rtx = text.find("rtx") != std::string::npos;
  const bool tensorrt = text.find("tensorrt") != std::string::npos;
  switch (provider.engine) {
    case Engine::kCuda:
      return text.find("cuda") != std::string::npos;
    case Engine::kTensorRt:
      return tensorrt && !rtx;
    case Engine::kTensorRtRtx:
      return rtx;
    default:
      return false;
  }
}

std::filesystem::path cache_folder(const graph::OnnxModel& model, const SessionOptions& options,
                                   std::string_view engine) {
  std::string identity = fmt::format("{}\n", engine) + model.serialized();
  for (const graph::ExternalFile& file : model.files()) {
    identity += fmt::format("\n{} {}", file.location, file.bytes.size());
    const std::filesystem::path path = model.path().parent_path() / file.location;
    if (std::filesystem::exists(path)) identity += fmt::format(" {}", file_stamp(path).modified_ns);
  }
  const std::string digest = sha256_hex(std::as_bytes(std::span(identity)));
  return options.engine_cache /
         fmt::format("{}-{}", model.path().parent_path().filename().string(), digest.substr(0, 12));
}

ProviderOptions provider_options(const Provider& provider, const graph::OnnxModel& model,
                                 const SessionOptions& options) {
  if (provider.engine == Engine::kCuda) return cuda_options(options);
  const auto given = options.shape_ranges.find(model.path().parent_path().filename().string());
  const std::vector<const ShapeRange*> ranges = given == options.shape_ranges.end()
                                                    ? std::vector<const ShapeRange*>{}
                                                    : ranges_of(model, given->second);
  return provider.engine == Engine::kTensorRt ? tensorrt_options(model, options, ranges)
                                              : rtx_options(options, ranges);
}

}  // namespace sinter::runtime
