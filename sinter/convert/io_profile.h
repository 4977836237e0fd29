#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinter/base/dtype.h"

namespace sinter::convert {

/// The rows of a timestep input.
enum class TimestepShape {
  kOneOrBatch,  // [T]: one for all rows, or one a row
  kOne,         // [1]
  kBatch,       // [N]
};

/// What the VAE encoder's output holds.
enum class LatentOutput {
  kMoments,  // mean and log variance, [N,2c,h,w]
  kMean,     // the mean, [N,c,h,w]: the contract's sampled latent without its noise
};

/// Names and types of graph inputs and outputs that a pipeline expects. Empty names: the contract
/// has no such value. Sources: docs/formats.md names the pipeline and file behind each row.
struct IoProfile {
  std::string_view name;
  // UNet
  std::string_view sample;
  std::string_view timestep;
  std::string_view context;
  std::string_view pooled;  // with time_ids; or
  std::string_view time_ids;
  std::string_view vector;  // the two as one input, sinusoids made outside
  std::string_view noise;
  TimestepShape timestep_shape;
  // VAE
  std::string_view latent_in;
  std::string_view image_out;
  std::string_view image_in;
  std::string_view latent_out;
  LatentOutput latent_output;
  std::string_view latent_alone;  // of an encoder that gives the latent itself
  // Text encoders
  std::string_view ids;
  DType ids_dtype;
  std::string_view last_hidden_state;
  std::string_view pooler_output;
  std::string_view
      hidden_states;  // prefix of every layer's state: "hidden_states" makes hidden_states.0 ...
  std::string_view penultimate_state;  // only the state before the last layer
  std::string_view text_embeds;
};

/// All profiles; the first is the default.
const std::vector<IoProfile>& io_profiles();

/// @throws Error{kUsage} naming the profiles there are.
const IoProfile& io_profile(std::string_view name);

}  // namespace sinter::convert
