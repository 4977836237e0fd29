#include "sinter/convert/io_profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sinter/base/error.h"

namespace sinter::convert {
namespace {

constexpr IoProfile kOptimum{
    .name = "optimum",
    .sample = "sample",
    .timestep = "timestep",
    .context = "encoder_hidden_states",
    .pooled = "text_embeds",
    .time_ids = "time_ids",
    .vector = "",
    .noise = "out_sample",
    .timestep_shape = TimestepShape::kOneOrBatch,
    .latent_in = "latent_sample",
    .image_out = "sample",
    .image_in = "sample",
    .latent_out = "latent_parameters",
    .latent_output = LatentOutput::kMoments,
    .latent_alone = "latent_sample",
    .ids = "input_ids",
    .ids_dtype = DType::kI64,
    .last_hidden_state = "last_hidden_state",
    .pooler_output = "pooler_output",
    .hidden_states = "hidden_states",
    .penultimate_state = "",
    .text_embeds = "text_embeds",
};

constexpr IoProfile with_ldm_names() {
  IoProfile profile = kOptimum;
  profile.name = "ldm";
  profile.context = "context";
  profile.pooled = "";
  profile.time_ids = "";
  profile.vector = "y";
  return profile;
}

constexpr IoProfile with_demodiffusion_names() {
  IoProfile profile = kOptimum;
  profile.name = "demodiffusion";
  profile.noise = "latent";
  profile.timestep_shape = TimestepShape::kOne;
  profile.latent_in = "latent";
  profile.image_out = "images";
  profile.image_in = "images";
  profile.latent_out = "latent";
  profile.latent_output = LatentOutput::kMean;
  profile.latent_alone = "latent";
  profile.ids_dtype = DType::kI32;
  profile.last_hidden_state = "text_embeddings";
  profile.pooler_output = "pooled_embeddings";
  profile.hidden_states = "";
  profile.penultimate_state = "hidden_states";
  profile.text_embeds = "text_embeddings";
  return profile;
}

constexpr IoProfile with_comfy_names() {
  IoProfile profile = with_ldm_names();
  profile.name = "comfy";
  profile.sample = "x";
  profile.timestep = "timesteps";
  profile.noise = "h";
  profile.timestep_shape = TimestepShape::kBatch;
  return profile;
}

constexpr IoProfile with_a1111_names() {
  IoProfile profile = with_ldm_names();
  profile.name = "a1111";
  profile.timestep = "timesteps";
  profile.context = "encoder_hidden_states";
  profile.noise = "latent";
  profile.timestep_shape = TimestepShape::kBatch;
  return profile;
}

}  // namespace

const std::vector<IoProfile>& io_profiles() {
  static const std::vector<IoProfile> profiles{kOptimum, with_ldm_names(),
                                               with_demodiffusion_names(), with_comfy_names(),
                                               with_a1111_names()};
  return profiles;
}

const IoProfile& io_profile(std::string_view name) {
  std::vector<std::string_view> names;
  for (const IoProfile& profile : io_profiles()) {
    if (profile.name == name) return profile;
    names.push_back(profile.name);
  }
  throw Error(ErrorCode::kUsage, fmt::format("there is no I/O profile '{}'; there are {}", name,
                                             fmt::join(names, ", ")));
}

}  // namespace sinter::convert
