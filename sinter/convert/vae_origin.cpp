#include "sinter/convert/vae_origin.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "sinter/arch/component_settings.h"
#include "sinter/arch/families.h"
#include "sinter/arch/family_choice.h"
#include "sinter/base/message.h"
#include "sinter/base/tensor.h"

namespace sinter::convert {
namespace fs = std::filesystem;
namespace {

/// Words in the names of published autoencoders. Source: the file names of Stability AI's,
/// madebyollin's and the web UI community's releases.
struct NameWord {
  std::string_view word;
  std::string_view family;  // a row of families()
};
constexpr std::array kNameWords{
    NameWord{"sdxl", "sdxl-base"},   NameWord{"xlvae", "sdxl-base"},
    NameWord{"xl_vae", "sdxl-base"}, NameWord{"xl-vae", "sdxl-base"},
    NameWord{"ft-mse", "sd15"},      NameWord{"ft-ema", "sd15"},
    NameWord{"kl-f8", "sd15"},       NameWord{"sd15", "sd15"},
    NameWord{"sd-v1", "sd15"},       NameWord{"v1-5", "sd15"},
    NameWord{"taesd_", "sd15"},
};

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

/// What a user knows the file by: diffusers' files are all called the same, and then it is the
/// folder around them.
std::string known_as(const fs::path& path) {
  fs::path named = path.has_filename() ? path : path.parent_path();
  while (!named.empty()) {
    const std::string name = named.stem().string();
    const bool says_nothing = name == "vae" || name.starts_with("diffusion_pytorch_model");
    if (!says_nothing) return named.filename().string();
    named = named.parent_path();
  }
  return {};
}

// Tiny autoencoders take the latents of their family as its UNet has them.
constexpr double kTinyScaling = 1.0;

// Convolutions with this many weights correlate by less than 0.01 when they are independent.
constexpr std::int64_t kLeastWeights = 8192;
// More of a tensor tells no better.
constexpr std::int64_t kMostWeights = 262144;
constexpr std::array<std::string_view, 4> kCompared{
    "encoder.mid_block.resnets.0.conv1.weight", "encoder.mid_block.resnets.1.conv2.weight",
    "decoder.mid_block.resnets.0.conv1.weight", "decoder.mid_block.resnets.1.conv2.weight"};

/// The first weights of a tensor.
std::vector<float> beginning(const weights::Checkpoint& checkpoint,
                             const weights::TensorEntry& tensor, std::int64_t count) {
  Tensor values(tensor.dtype, {count});
  const std::span<const std::byte> bytes = checkpoint.bytes(tensor).first(values.bytes().size());
  std::memcpy(values.bytes().data(), bytes.data(), bytes.size());
  const Tensor wide = to_dtype(values, DType::kF32);
  return {wide.floats().begin(), wide.floats().end()};
}

double correlation(const std::vector<float>& a, const std::vector<float>& b) {
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += static_cast<double>(a[i]) * b[i];
    aa += static_cast<double>(a[i]) * a[i];
    bb += static_cast<double>(b[i]) * b[i];
  }
  return aa > 0 && bb > 0 ? std::abs(ab) / std::sqrt(aa * bb) : 0;
}

}  // namespace

std::optional<VaeOrigin> read_vae_origin(const weights::Checkpoint& file, const std::string& prefix,
                                         const fs::path& path) {
  const arch::FolderConfigs configs{file.configs(), file.path()};
  const auto scaling = arch::read_vae_settings(configs, prefix).scaling;
  if (scaling && *scaling != kTinyScaling)
    return VaeOrigin{*scaling, fmt::format("its config.json has scaling_factor {}", *scaling)};
  if (const arch::Family* family = arch::family_in_metadata(file.metadata()))
    return VaeOrigin{family->vae_scaling, fmt::format("its metadata name {}", family->title)};
  const std::string name = known_as(path);
  for (const NameWord& row : kNameWords) {
    if (lower(name).find(row.word) == std::string::npos) continue;
    return VaeOrigin{arch::family_named(row.family).vae_scaling,
                     fmt::format("it is called '{}'", shown(name))};
  }
  return std::nullopt;
}

std::optional<double> weight_likeness(const weights::Checkpoint& first,
                                      const arch::FoundComponent& first_vae,
                                      const weights::Checkpoint& second,
                                      const arch::FoundComponent& second_vae) {
  std::optional<double> best;
  for (const std::string_view name : kCompared) {
    const arch::WeightSource* a = first_vae.weights.find(name);
    const arch::WeightSource* b = second_vae.weights.find(name);
    if (a == nullptr || b == nullptr || a->tensor->shape != b->tensor->shape) continue;
    if (!is_floating(a->tensor->dtype) || !is_floating(b->tensor->dtype)) continue;
    const std::int64_t count = std::min(element_count(a->tensor->shape), kMostWeights);
    if (count < kLeastWeights) continue;
    const double like =
        correlation(beginning(first, *a->tensor, count), beginning(second, *b->tensor, count));
    best = std::max(best.value_or(0), like);
  }
  return best;
}

}  // namespace sinter::convert
