#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinter/weights/checkpoint.h"

namespace sinter::weights {

/// How the names of moving averages begin, which training programs keep beside the weights.
inline constexpr std::string_view kEmaPrefix = "model_ema.";

bool has_moving_averages(const std::vector<TensorEntry>& tensors);

/// Puts the average of every weight below "model." in the weight's place and takes the averages'
/// own names away. An average is called model_ema. and the name without its dots:
/// "model.diffusion_model.out.2.bias" has "model_ema.diffusion_modelout2bias". What has no average
/// (text encoder, autoencoder) stays.
/// Returns the diffusion network's weights that have no average and stay: frozen in the training,
/// or their averages are lost.
/// @throws Error{kMissingTensor} when no weight has an average; Error{kShapeMismatch} when one has
///         another shape than its weight.
/// Source: LitEma in CompVis' ldm/modules/ema.py.
std::vector<std::string> use_moving_averages(std::vector<TensorEntry>& tensors);

}  // namespace sinter::weights
