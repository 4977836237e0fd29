#include "sinter/arch/tiny_vae.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sinter::arch {
namespace {

constexpr std::array kNamedHalves{
    KeyRule{"encoder.{}.", "encoder.layers.{}."},
    KeyRule{"decoder.{}.", "decoder.layers.{-}."},
    KeyRule{.from = "taesd_encoder.{}.", .to = "encoder.layers.{}.", .alternative = true},
    KeyRule{.from = "taesd_decoder.{}.", .to = "decoder.layers.{-}.", .alternative = true},
};
constexpr std::array kEncoderAlone{KeyRule{"{}.", "encoder.layers.{}."}};
constexpr std::array kDecoderAlone{KeyRule{"{}.", "decoder.layers.{-}."}};
constexpr std::array kDiffusersRules{KeyRule{"encoder.layers.", "encoder.layers."},
                                     KeyRule{"decoder.layers.", "decoder.layers."}};

/// The rules for a file whose names are given one by one.
template <typename Names, typename Name>
std::span<const KeyRule> original_rules(const Names& names, Name name_of) {
  const auto any = [&](auto condition) {
    return std::ranges::any_of(names, [&](const auto& entry) { return condition(name_of(entry)); });
  };
  const auto begins_with_number = [](std::string_view name) {
    return !name.empty() && name.front() >= '0' && name.front() <= '9';
  };
  if (!any(begins_with_number)) return kNamedHalves;
  // The decoder's list begins with a clamp, which has no weights.
  const auto is_first = [](std::string_view name) { return name.starts_with("0."); };
  return any(is_first) ? std::span<const KeyRule>(kEncoderAlone)
                       : std::span<const KeyRule>(kDecoderAlone);
}

constexpr std::string_view kEncoder = "encoder.layers.";
constexpr std::string_view kDecoder = "decoder.layers.";

// A half has fewer layers than all of its levels could have.
constexpr int kMaxTinyLayers = kMaxLevels * kMaxResnets;

struct Half {
  std::string_view prefix;
  bool decoder;
};

/// Whether a layer of which nothing is left was a convolution: in a decoder those that are lost
/// stand behind an upsampling, which has no weights either.
bool is_lost_convolution(const WeightMap& weights, const Half& half, int layer) {
  constexpr int kFirstUpsampling = 2;  // behind the first convolution and its activation
  const auto empty = [&](int number) {
    return !has_below(weights, fmt::format("{}{}.", half.prefix, number));
  };
  if (!empty(layer)) return false;
  return !half.decoder || (layer > kFirstUpsampling && empty(layer - 1));
}

/// Numbers of the layers that are convolutions; the last layer is one, whatever is left of it.
std::vector<int> convolutions(const WeightMap& weights, const Half& half) {
  const int layers = count_children(weights, half.prefix, kMaxTinyLayers);
  std::vector<int> result;
  for (int layer = 0; layer < layers; ++layer) {
    const std::string name = fmt::format("{}{}.", half.prefix, layer);
    const bool edge = layer == 0 || layer + 1 == layers;
    if (weights.find(name + "weight") != nullptr || (edge && !has_below(weights, name + "conv.")) ||
        is_lost_convolution(weights, half, layer))
      result.push_back(layer);
  }
  if (result.empty() || result.back() + 1 != layers) result.push_back(layers);
  return result;
}

/// Blocks stand between convolutions; in a decoder also an activation behind the first, and an
/// upsampling before all others but the last.
std::vector<VaeLevel> read_levels(const WeightMap& weights, const Half& half) {
  if (!has_below(weights, half.prefix)) return {};
  const std::vector<int> edges = convolutions(weights, half);
  std::vector<VaeLevel> levels;
  for (std::size_t i = 0; i + 1 < edges.size() && levels.size() < kMaxLevels; ++i) {
    const bool last = i + 2 == edges.size();
    int blocks = edges[i + 1] - edges[i] - 1;
    if (half.decoder) blocks -= (i == 0 ? 1 : 0) + (last ? 0 : 1);
    const std::string first = fmt::format("{}0.weight", half.prefix);
    levels.push_back({.channels = extent(weights, first, 0),
                      .resnets = std::clamp(blocks, 0, kMaxResnets),
                      .resample = !last});
  }
  return levels;
}

class TinyWalk {
 public:
  explicit TinyWalk(std::string_view prefix) : prefix_(prefix) {}

  void conv(std::int64_t out, std::int64_t in, bool bias) {
    const std::string name = next();
    expected_.add(name + ".weight", {out, in, 3, 3});
    if (bias) expected_.add(name + ".bias", {out});
  }

  void blocks(const VaeLevel& level) {
    for (int i = 0; i < level.resnets; ++i) {
      const std::string name = next();
      for (const int part : {0, 2, 4})  // activations between
        expected_.conv(fmt::format("{}.conv.{}", name, part), level.channels, level.channels, 3);
    }
  }

  /// A layer without weights.
  void pass() { ++layer_; }

  std::vector<ExpectedTensor> take() { return expected_.take(); }

 private:
  std::string next() { return fmt::format("{}{}", prefix_, layer_++); }

  Expected expected_;
  std::string_view prefix_;
  int layer_ = 0;
};

std::vector<ExpectedTensor> encoder_tensors(const VaeConfig& config) {
  TinyWalk walk(kEncoder);
  const std::int64_t width = config.encoder.front().channels;
  walk.conv(width, config.image_channels, true);
  for (const VaeLevel& level : config.encoder) {
    walk.blocks(level);
    if (level.resample) walk.conv(width, width, false);
  }
  walk.conv(config.latent_channels, width, true);
  return walk.take();
}

std::vector<ExpectedTensor> decoder_tensors(const VaeConfig& config) {
  TinyWalk walk(kDecoder);
  const std::int64_t width = config.decoder.front().channels;
  walk.conv(width, config.latent_channels, true);
  walk.pass();
  for (const VaeLevel& level : config.decoder) {
    walk.blocks(level);
    if (!level.resample) continue;
    walk.pass();
    walk.conv(width, width, false);
  }
  walk.conv(config.image_channels, width, true);
  return walk.take();
}

/// Rows of the last layer of a half.
std::int64_t last_rows(const WeightMap& weights, std::string_view prefix) {
  const int layers = count_children(weights, prefix, kMaxTinyLayers);
  return extent(weights, fmt::format("{}{}.weight", prefix, layers - 1), 0);
}

}  // namespace

WeightMap map_original_tiny_vae_keys(const NameIndex& names) {
  const auto rules =
      original_rules(names.all(), [](const NamedTensor& entry) { return entry.name; });
  return apply_rules(rules, names);
}

WeightMap map_diffusers_tiny_vae_keys(const NameIndex& names) {
  return apply_rules(kDiffusersRules, names);
}

std::string original_tiny_vae_key(std::string_view canonical,
                                  std::span<const std::string_view> names) {
  const auto rules = original_rules(names, [](std::string_view name) { return name; });
  return name_in_layout(rules, canonical, names).value_or(std::string(canonical));
}

bool is_tiny_vae(const WeightMap& weights) {
  return has_below(weights, kEncoder) || has_below(weights, kDecoder);
}

VaeConfig read_tiny_vae_config(const WeightMap& weights) {
  VaeConfig config{};
  config.tiny = true;
  config.encoder = read_levels(weights, {kEncoder, false});
  config.decoder = read_levels(weights, {kDecoder, true});
  config.image_channels = std::max(extent(weights, fmt::format("{}0.weight", kEncoder), 1),
                                   last_rows(weights, kDecoder));
  config.latent_channels = extent(weights, fmt::format("{}0.weight", kDecoder), 1);
  if (config.latent_channels == 0) config.latent_channels = last_rows(weights, kEncoder);
  return config;
}

std::vector<ExpectedTensor> tiny_vae_tensors(const VaeConfig& config) {
  std::vector<ExpectedTensor> result;
  if (!config.encoder.empty()) result = encoder_tensors(config);
  if (config.decoder.empty()) return result;
  std::ranges::move(decoder_tensors(config), std::back_inserter(result));
  return result;
}

}  // namespace sinter::arch
