#include "sinter/models/tiny_vae.h"

#include "tests/models/block.h"

namespace sinter::models {
namespace {

class TinyVae : public OnEngines {};

// Other numbers of levels and blocks each way than any published one has; latents beyond the clamp.
TEST_P(TinyVae, BothHalvesAreDiffusers) {
  const arch::VaeConfig config{.image_channels = 3,
                               .latent_channels = 4,
                               .encoder = {{.channels = 8, .resnets = 1, .resample = true},
                                           {.channels = 8, .resnets = 2, .resample = false}},
                               .decoder = {{.channels = 8, .resnets = 2, .resample = true},
                                           {.channels = 8, .resnets = 1, .resample = true},
                                           {.channels = 8, .resnets = 1, .resample = false}},
                               .encoder_attention = false,
                               .decoder_attention = false,
                               .quant_conv = false,
                               .post_quant_conv = false,
                               .scaling_factor = 1.0,
                               .tiny = true};
  for (const DType compute : {DType::kF32, DType::kF16}) {
    Block("tiny-vae")
        .expect_reference(GetParam(), compute, [&](const Scope& s, const Block::Values& in) {
          const Value image = tiny_vae_decoder(s, config, cast(in.at("latent"), compute));
          const Value latent = tiny_vae_encoder(s, config, cast(in.at("image"), compute));
          return Block::Outputs{{"image", image}, {"latent", latent}};
        });
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, TinyVae,
                         testing::Values(runtime::Engine::kOpenVino, runtime::Engine::kOnnxRuntime),
                         engine_of);

}  // namespace
}  // namespace sinter::models
