#include "sinter/arch/vae_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "sinter/arch/tiny_vae.h"

namespace sinter::arch {
namespace {

/// One half: where its levels stand and what ends a level.
struct Half {
  std::string_view name;
  std::string_view levels;
  std::string_view resampler;
};
constexpr Half kEncoder{"encoder.", "down_blocks.", "downsamplers"};
constexpr Half kDecoder{"decoder.", "up_blocks.", "upsamplers"};

std::vector<VaeLevel> read_levels(const WeightMap& weights, const Half& half) {
  std::vector<VaeLevel> result;
  const std::string side = fmt::format("{}{}", half.name, half.levels);
  const int levels = count_children(weights, side, kMaxLevels);
  for (int number = 0; number < levels; ++number) {
    const std::string name = fmt::format("{}{}.", side, number);
    VaeLevel level{};
    level.resnets = count_children(weights, name + "resnets.", kMaxResnets);
    for (int index = 0; index < level.resnets; ++index)
      level.channels =
          std::max(level.channels,
                   extent(weights, fmt::format("{}resnets.{}.conv1.weight", name, index), 0));
    result.push_back(level);
  }
  return result;
}

int most_resnets(const std::vector<VaeLevel>& levels) {
  int most = 0;
  for (const VaeLevel& level : levels) most = std::max(most, level.resnets);
  return most;
}

/// Makes `half` whole where the file has lost parts of it. In every autoencoder of this kind the
/// halves are mirror images, all levels of a half have as many resnets, the decoder's one more than
/// the encoder's, and all levels but the last resample.
void complete(std::vector<VaeLevel>& half, const std::vector<VaeLevel>& image, int resnets) {
  half.resize(std::max({half.size(), image.size(), std::size_t{1}}));
  for (std::size_t level = 0; level < half.size(); ++level) {
    const std::size_t opposite = half.size() - 1 - level;
    if (half[level].channels == 0 && opposite < image.size())
      half[level].channels = image[opposite].channels;
    half[level].resnets = std::max(half[level].resnets, resnets);
    half[level].resample = level + 1 < half.size();
  }
}

class VaeWalk {
 public:
  void resnet(const std::string& module, std::int64_t out) {
    expected_.norm(module + ".norm1", width_);
    expected_.conv(module + ".conv1", out, width_, 3);
    expected_.norm(module + ".norm2", out);
    expected_.conv(module + ".conv2", out, out, 3);
    if (width_ != out && width_ != 0 && out != 0)
      expected_.conv(module + ".conv_shortcut", out, width_, 1);
    width_ = out;
  }

  void levels(const Half& half, const std::vector<VaeLevel>& levels) {
    for (std::size_t number = 0; number < levels.size(); ++number) {
      const std::string name = fmt::format("{}{}{}.", half.name, half.levels, number);
      for (int index = 0; index < levels[number].resnets; ++index)
        resnet(fmt::format("{}resnets.{}", name, index), levels[number].channels);
      if (levels[number].resample)
        expected_.conv(fmt::format("{}{}.0.conv", name, half.resampler), width_, width_, 3);
    }
  }

  void middle(const Half& half, bool attention) {
    const std::string name = fmt::format("{}mid_block.", half.name);
    resnet(name + "resnets.0", width_);
    if (attention) {
      expected_.norm(name + "attentions.0.group_norm", width_);
      for (const std::string_view part : {"to_q", "to_k", "to_v", "to_out.0"})
        expected_.linear(fmt::format("{}attentions.0.{}", name, part), width_, width_, true,
                         /*matrix=*/true);
    }
    resnet(name + "resnets.1", width_);
  }

  void edge_in(const Half& half, std::int64_t out, std::int64_t in) {
    expected_.conv(fmt::format("{}conv_in", half.name), out, in, 3);
    width_ = out;
  }

  void edge_out(const Half& half, std::int64_t out) {
    expected_.norm(fmt::format("{}conv_norm_out", half.name), width_);
    expected_.conv(fmt::format("{}conv_out", half.name), out, width_, 3);
  }

  void pointwise(const std::string& module, std::int64_t channels) {
    expected_.conv(module, channels, channels, 1);
  }

  std::vector<ExpectedTensor> take() { return expected_.take(); }

 private:
  Expected expected_;
  std::int64_t width_ = 0;
};

}  // namespace

VaeConfig read_vae_config(const WeightMap& weights) {
  if (is_tiny_vae(weights)) return read_tiny_vae_config(weights);
  VaeConfig config{};
  const std::vector<VaeLevel> encoder = read_levels(weights, kEncoder);
  const std::vector<VaeLevel> decoder = read_levels(weights, kDecoder);
  const bool has_encoder = has_below(weights, kEncoder.name);
  const bool has_decoder = has_below(weights, kDecoder.name);
  // The encoder's resnets a level.
  const int resnets = std::max({most_resnets(encoder), most_resnets(decoder) - 1, 1});
  config.encoder = encoder;
  config.decoder = decoder;
  if (has_encoder) complete(config.encoder, decoder, resnets);
  if (has_decoder) complete(config.decoder, encoder, resnets + 1);
  config.image_channels = std::max(extent(weights, "encoder.conv_in.weight", 1),
                                   extent(weights, "decoder.conv_out.weight", 0));
  config.latent_channels = extent(weights, "decoder.conv_in.weight", 1);
  // The encoder ends in a mean and a log variance for each latent channel.
  if (config.latent_channels == 0)
    config.latent_channels = extent(weights, "encoder.conv_out.weight", 0) / 2;
  const bool attention = has_below(weights, "encoder.mid_block.attentions.0.") ||
                         has_below(weights, "decoder.mid_block.attentions.0.");
  config.encoder_attention = has_encoder && attention;
  config.decoder_attention = has_decoder && attention;
  config.quant_conv = has_encoder || has_below(weights, "quant_conv.");
  config.post_quant_conv = has_decoder || has_below(weights, "post_quant_conv.");
  return config;
}

std::vector<ExpectedTensor> vae_tensors(const VaeConfig& config) {
  if (config.tiny) return tiny_vae_tensors(config);
  VaeWalk walk;
  if (!config.encoder.empty()) {
    walk.edge_in(kEncoder, config.encoder.front().channels, config.image_channels);
    walk.levels(kEncoder, config.encoder);
    walk.middle(kEncoder, config.encoder_attention);
    walk.edge_out(kEncoder, 2 * config.latent_channels);
  }
  if (config.quant_conv) walk.pointwise("quant_conv", 2 * config.latent_channels);
  if (config.post_quant_conv) walk.pointwise("post_quant_conv", config.latent_channels);
  if (!config.decoder.empty()) {
    walk.edge_in(kDecoder, config.decoder.front().channels, config.latent_channels);
    walk.middle(kDecoder, config.decoder_attention);
    walk.levels(kDecoder, config.decoder);
    walk.edge_out(kDecoder, config.image_channels);
  }
  return walk.take();
}

}  // namespace sinter::arch
