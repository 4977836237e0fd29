#include "sinter/arch/known_keys.h"

#include <algorithm>
#include <array>

namespace sinter::arch {
namespace {

constexpr std::array kKnownKeys{
    KnownKey{"model_ema.*", "moving averages of the weights (model_ema.*, which --ema takes)", true},
    KnownKey{"optimizer*", "tensors of the optimizer", true},
    KnownKey{"lr_scheduler*", "tensors of the optimizer", true},
    KnownKey{"safety_checker/*", "weights of the safety checker"},
    KnownKey{"safety_checker.*", "weights of the safety checker"},
    KnownKey{"image_encoder/*", "weights of an image encoder"},
    KnownKey{"vision_model.*", "weights of CLIP's image tower"},
    KnownKey{"visual_projection.*", "weights of CLIP's image tower"},
    KnownKey{"visual.*", "weights of CLIP's image tower"},
    KnownKey{"first_stage_model.loss.*", "weights of the autoencoder's training loss", true},
    KnownKey{"loss.*", "weights of the autoencoder's training loss", true},
    KnownKey{"*position_ids", {}},
    KnownKey{"*logit_scale", {}},
    KnownKey{"*attn_mask", {}},
    // Noise schedules: computed again from their two ends.
    KnownKey{"betas", {}},
    KnownKey{"alphas_cumprod*", {}},
    KnownKey{"sqrt_*", {}},
    KnownKey{"log_one_minus_alphas_cumprod", {}},
    KnownKey{"posterior_*", {}},
    KnownKey{"logvar", {}},
    KnownKey{"lvlb_weights", {}},
    KnownKey{"scale_factor", {}},
    KnownKey{"model.betas", {}},
    KnownKey{"model.alphas_cumprod*", {}},
    KnownKey{"denoiser.sigmas", {}},
    // Marks without values: prediction.h reads them.
    KnownKey{"v_pred", {}},
    KnownKey{"ztsnr", {}},
    KnownKey{"edm_*", {}},
};

bool fits(std::string_view pattern, std::string_view name) {
  if (pattern.starts_with('*')) return name.ends_with(pattern.substr(1));
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return name == pattern;
}

}  // namespace

const KnownKey* find_known_key(std::string_view name) {
  const auto found = std::ranges::find_if(
      kKnownKeys, [&](const KnownKey& key) { return fits(key.pattern, name); });
  return found == kKnownKeys.end() ? nullptr : &*found;
}

}  // namespace sinter::arch
