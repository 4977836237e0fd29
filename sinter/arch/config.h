#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace sinter::arch {

/// One resolution of a UNet, in the order of execution.
struct UNetLevel {
  std::int64_t channels;  // leaving each resnet
  std::vector<int>
      depths;     // one a resnet: transformer blocks behind it, 0 where there is no attention
  bool resample;  // a down- or upsampler stands at the end
};

/// What the shape of a UNet leaves open to its builder. Sizes in channels unless said.
/// Source: Rombach et al. 2022 (arXiv 2112.10752); Podell et al. 2023 (arXiv 2307.01952) for the
/// vector conditioning.
struct UNetConfig {
  std::int64_t in_channels;
  std::int64_t out_channels;
  std::int64_t model_channels;  // width of conv_in and of the sinusoidal time embedding
  std::int64_t time_dim;        // width of the time embedding behind its MLP
  std::int64_t context_dim;     // width of the text encoder's states
  std::vector<UNetLevel> down;
  int mid_depth;  // transformer blocks of the middle; 0: none
  std::vector<UNetLevel> up;
  std::int64_t heads;       // of every attention; 0: width / head_width instead
  std::int64_t head_width;  // used when heads is 0
  bool linear_projection;   // proj_in and proj_out are matrices, not 1x1 convolutions
  std::int64_t vector_dim;  // input of add_embedding (pooled text and sizes); 0: there is none
  std::int64_t pooled_dim;  // of it, the pooled text embedding
  int time_ids;         // of it, the numbers (sizes, crop, score) that become sinusoids of 256 each
  int mid_resnets = 2;  // 1 or 0 in distilled networks without (parts of) a middle
};

/// A copy of a UNet's way down and middle that reads a picture as well and answers with a residual
/// for each skip connection. Source: Zhang et al. 2023 (arXiv 2302.05543), section 3.2.
struct ControlNetConfig {
  UNetConfig unet;  // without a way up: `up` is empty, out_channels 0
  std::int64_t image_channels;
  /// Of the network that brings the picture to the size of the latent, one a resolution.
  std::vector<std::int64_t> hint_channels;

  /// Pixels of the picture per latent cell along each side.
  std::int64_t factor() const { return std::int64_t{1} << (hint_channels.size() - 1); }
};

/// One resolution of an autoencoder half, in the order of execution.
struct VaeLevel {
  std::int64_t channels;
  int resnets;
  bool resample;
};

/// Latent channels of the autoencoders of Flux and Stable Diffusion 3.
inline constexpr std::int64_t kForeignLatents = 16;

/// Source: Rombach et al. 2022, appendix G; Esser et al. 2021 (arXiv 2012.09841) for the topology.
struct VaeConfig {
  std::int64_t image_channels;
  std::int64_t latent_channels;
  std::vector<VaeLevel> encoder;  // empty: the checkpoint has no encoder
  std::vector<VaeLevel> decoder;  // empty: the checkpoint has no decoder
  bool encoder_attention;         // a single-head attention in the middle
  bool decoder_attention;
  bool quant_conv;        // 1x1 convolution behind the encoder
  bool post_quant_conv;   // 1x1 convolution before the decoder
  double scaling_factor;  // latents are multiplied by it for the UNet; outside the graphs
  /// Blocks of three convolutions without norms, and an encoder that gives latents, not their
  /// distribution (TAESD); resnets are those blocks.
  bool tiny = false;

  /// Pixels per latent cell along each side.
  std::int64_t factor() const {
    std::int64_t result = 1;
    for (const VaeLevel& level : decoder.empty() ? encoder : decoder)
      result *= level.resample ? 2 : 1;
    return result;
  }
};

enum class Activation { kQuickGelu, kGelu };

/// Which state of the text encoder conditions the UNet.
enum class TextState {
  kLast,               // last layer, final layer norm (SD1)
  kPenultimate,        // before the last layer, no final norm (SDXL)
  kPenultimateNormed,  // before the last layer, then the final norm (SD2)
};

/// Source: Radford et al. 2021 (arXiv 2103.00020), text transformer.
struct TextEncoderConfig {
  std::int64_t vocabulary;
  std::int64_t positions;
  std::int64_t width;
  std::int64_t heads;
  std::int64_t layers;
  std::int64_t mlp_width;
  std::int64_t projection_dim;  // of the pooled projection; 0: there is none
  Activation activation;
  TextState state;
  bool pooled_projection;  // the family uses the pooled projection as conditioning (SDXL's second
                           // encoder)
  /// Where the pooled state is taken: the first place of this id; empty: of the largest one, as
  /// CLIP itself does. They differ where tokens were added behind the end of text.
  std::optional<std::int64_t> end_token = std::nullopt;
};

}  // namespace sinter::arch
