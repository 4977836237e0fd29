#include "sinter/adapters/names/spellings.h"

#include <algorithm>
#include <array>
#include <optional>

#include "sinter/arch/text_keys.h"
#include "sinter/arch/unet_keys.h"

namespace sinter::adapters {
namespace {

constexpr std::string_view kWeight = ".weight";

std::string joined(std::string_view head, std::string_view tail) {
  return std::string(head) + std::string(tail);
}

std::string with_underscores(std::string_view name) {
  std::string result(name);
  std::ranges::replace(result, '.', '_');
  return result;
}

/// "...attn1.to_out.0" as the attention processors have it: "...attn1.processor.to_out".
std::optional<std::string> processor_name(std::string_view module) {
  constexpr std::string_view kTo = ".to_";
  const std::size_t at = module.rfind(kTo);
  if (at == module.npos || module.substr(0, at).find("attn") == module.npos) return std::nullopt;
  std::string_view projection = module.substr(at);
  if (projection.ends_with(".0")) projection.remove_suffix(2);
  return joined(module.substr(0, at), ".processor") + std::string(projection);
}

/// "...self_attn.q_proj" as diffusers' first text encoder patches had it: "...self_attn.to_q".
std::optional<std::string> patched_name(std::string_view module) {
  constexpr std::string_view kProjection = "_proj";
  constexpr std::string_view kAttention = ".self_attn.";
  const std::size_t at = module.rfind(kAttention);
  if (at == module.npos || !module.ends_with(kProjection)) return std::nullopt;
  const std::size_t begin = at + kAttention.size();
  return joined(module.substr(0, begin), "to_") +
         std::string(module.substr(begin, module.size() - begin - kProjection.size()));
}

/// How kohya calls a text encoder: "te" where there is one.
std::string_view kohya_text(const TextPlace& place) {
  if (place.component == "text_encoder_2") return "lora_te2_";
  return place.only ? "lora_te_" : "lora_te1_";
}

/// How ComfyUI does.
std::vector<std::string_view> comfy_text(const TextPlace& place) {
  if (place.component == "text_encoder_2") return {"text_encoders.clip_g.transformer."};
  return {"text_encoders.clip_l.transformer.", "text_encoders.clip_h.transformer."};
}

}  // namespace

std::vector<std::string> unet_spellings(const arch::UNetConfig& config,
                                        std::string_view canonical) {
  std::string original = arch::original_unet_key(config, joined(canonical, kWeight));
  original.resize(original.size() - kWeight.size());
  std::vector<std::string> names;
  for (const std::string_view prefix :
       {"", "unet.", "diffusion_model.", "base_model.model.", "base_model.model.unet."})
    names.push_back(joined(prefix, canonical));
  for (const std::string_view prefix : {"", "diffusion_model.", "model.diffusion_model."})
    names.push_back(joined(prefix, original));
  for (const std::string_view prefix : {"lora_unet_", "lycoris_"}) {
    names.push_back(joined(prefix, with_underscores(canonical)));
    names.push_back(joined(prefix, with_underscores(original)));
  }
  if (const auto processor = processor_name(canonical))
    for (const std::string_view prefix : {"", "unet."}) names.push_back(joined(prefix, *processor));
  return names;
}

std::vector<std::string> text_spellings(const TextPlace& place, std::string_view canonical) {
  constexpr std::string_view kModel = "text_model.";
  const std::string component = joined(place.component, ".");
  std::vector<std::string> names;
  // transformers leaves the outermost level out since version 5.
  const std::string_view inner =
      canonical.starts_with(kModel) ? canonical.substr(kModel.size()) : canonical;
  for (const std::string_view module : {canonical, inner}) {
    names.push_back(component + std::string(module));
    names.push_back(joined("base_model.model.", component) + std::string(module));
    names.push_back(joined(kohya_text(place), with_underscores(module)));
    if (const auto patched = patched_name(module)) names.push_back(component + *patched);
    for (const std::string_view prefix : comfy_text(place)) names.push_back(joined(prefix, module));
  }
  if (place.only) names.emplace_back(canonical);
  const auto open_clip = arch::name_in_layout(arch::text_rules(arch::TextNames::kOpenClip),
                                              joined(canonical, kWeight), {});
  if (open_clip && open_clip->ends_with(kWeight)) {
    const std::string_view module(open_clip->data(), open_clip->size() - kWeight.size());
    names.push_back(component + std::string(module));
    for (const std::string_view between : {"", "model_"})
      names.push_back(joined(kohya_text(place), between) + with_underscores(module));
  }
  return names;
}

std::vector<std::string> fused_spellings(const TextPlace& place, std::string_view layer) {
  const auto open_clip = arch::name_in_layout(arch::text_rules(arch::TextNames::kOpenClip),
                                              joined(layer, ".self_attn.q_proj.weight"), {});
  constexpr std::string_view kEnding = "_weight";
  if (!open_clip || !open_clip->ends_with(kEnding)) return {};
  const std::string_view module(open_clip->data(), open_clip->size() - kEnding.size());
  std::vector<std::string> names{joined(place.component, ".") + std::string(module)};
  for (const std::string_view between : {"", "model_"})
    names.push_back(joined(kohya_text(place), between) + with_underscores(module));
  return names;
}

}  // namespace sinter::adapters
