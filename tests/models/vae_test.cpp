#include "sinter/models/vae.h"

#include "tests/models/block.h"

namespace sinter::models {
namespace {

class Vae : public OnEngines {};

// Two levels: one resampling, one attention, each way; sides that are no multiples of one another.
TEST_P(Vae, BothHalvesAreDiffusers) {
  const arch::VaeConfig config{.image_channels = 3,
                               .latent_channels = 4,
                               .encoder = {{.channels = 32, .resnets = 1, .resample = true},
                                           {.channels = 64, .resnets = 1, .resample = false}},
                               .decoder = {{.channels = 64, .resnets = 2, .resample = true},
                                           {.channels = 32, .resnets = 2, .resample = false}},
                               .encoder_attention = true,
                               .decoder_attention = true,
                               .quant_conv = true,
                               .post_quant_conv = true,
                               .scaling_factor = 0.18215};
  EXPECT_EQ(config.factor(), 2);
  for (const DType compute : {DType::kF32, DType::kF16}) {
    Block("vae").expect_reference(
        GetParam(), compute, [&](const Scope& s, const Block::Values& in) {
          const Value image = vae_decoder(s, config, cast(in.at("latent"), compute));
          const Value moments = vae_encoder(s, config, cast(in.at("image"), compute));
          return Block::Outputs{{"image", image}, {"moments", moments}};
        });
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Vae,
                         testing::Values(runtime::Engine::kOpenVino, runtime::Engine::kOnnxRuntime),
                         engine_of);

}  // namespace
}  // namespace sinter::models
