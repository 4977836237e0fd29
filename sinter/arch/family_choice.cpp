#include "sinter/arch/family_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinter/arch/text_config.h"
#include "sinter/arch/tiny_vae.h"
#include "sinter/arch/unet_config.h"
#include "sinter/base/message.h"

namespace sinter::arch {
namespace {

/// What a text encoder shows without its family.
struct TowerFacts {
  const FoundComponent* component;
  TextEncoderConfig config;
  TowerKind kind;
};

/// What decides the family: the UNet or, where there is none, a ControlNet, which copies one.
struct UNetFacts {
  std::string_view title;  // "the UNet"
  UNetConfig config;
  std::optional<bool> linear_projection;
  bool vector = false;
};

struct Facts {
  std::vector<TowerFacts> towers;
  std::optional<UNetFacts> unet;
  bool vae = false;
  bool tiny_vae = false;
};

bool has_tower(const Facts& facts, std::string_view name) {
  return std::ranges::any_of(
      facts.towers, [&](const TowerFacts& tower) { return tower.component->name == name; });
}

Facts read_facts(const std::vector<FoundComponent>& components) {
  Facts facts;
  for (const FoundComponent& component : components) {
    if (component.kind == ComponentKind::kVae) {
      facts.vae = true;
      facts.tiny_vae = is_tiny_vae(component.weights);
    }
    if (component.kind == ComponentKind::kTextEncoder) {
      const TextEncoderConfig config = read_text_config(component.weights);
      const TowerKind kind =
          guess_tower(component.text_names, config.width, config.projection_dim != 0);
      facts.towers.push_back({&component, config, kind});
    }
    const bool unet = component.kind == ComponentKind::kUNet;
    if (unet || (component.kind == ComponentKind::kControlNet && !facts.unet))
      facts.unet = UNetFacts{.title = unet ? "the UNet" : "the ControlNet",
                             .config = read_unet_config(component.weights),
                             .linear_projection = reads_linear_projection(component.weights),
                             .vector = has_below(component.weights, "add_embedding.")};
  }
  // Where the file has lost those tensors, its second text encoder still asks for them.
  if (facts.unet && has_tower(facts, "text_encoder_2")) facts.unet->vector = true;
  return facts;
}

/// Rows that are still possible.
using Rows = std::vector<const Family*>;

template <typename Condition>
Rows keep(const Rows& rows, Condition condition) {
  Rows result;
  std::ranges::copy_if(rows, std::back_inserter(result), condition);
  return result;
}

std::string known_width(std::int64_t width) {
  for (const Tower& tower : towers())
    if (tower.width == width) return fmt::format(", as {} gives it", tower.title);
  return width == 2048 ? ", as Stable Diffusion XL's two text encoders together give it" : "";
}

/// A tower that is shorter than the published one of its width may have lost layers: names and
/// shapes cannot tell it from one that was made so.
std::string lost_layers(const TowerFacts& facts) {
  const Tower& published = tower(facts.kind);
  const std::int64_t layers = facts.config.layers;
  if (facts.config.width != published.width || layers >= published.layers) return {};
  // transformers' copy of Stable Diffusion 2's goes without the layer that is not used.
  const bool unused_left_out = facts.kind == TowerKind::kOpenClipH &&
                               facts.component->text_names == TextNames::kTransformers &&
                               layers + 1 == published.layers;
  if (unused_left_out) return {};
  return fmt::format(" ({} has {}: the last {} may be missing)", published.title, published.layers,
                     counted(static_cast<std::uint64_t>(published.layers - layers), "layer"));
}

void describe_towers(const Facts& facts, std::vector<std::string>& evidence) {
  for (const TowerFacts& tower : facts.towers)
    evidence.push_back(fmt::format(
        "{} has the names of {}, {} layers {} wide{}", tower.component->name,
        tower.component->text_names == TextNames::kOpenClip ? "OpenCLIP" : "transformers' CLIP",
        tower.config.layers, tower.config.width, lost_layers(tower)));
}

/// The refiner has one text tower, whose states are its whole context; a base UNet sees two.
bool is_refiner(const Facts& facts, std::vector<std::string>& evidence) {
  const UNetConfig& unet = facts.unet->config;
  if (!facts.towers.empty()) {
    const bool alone = facts.towers.size() == 1 &&
                       facts.towers.front().component->name == "text_encoder_2" &&
                       facts.towers.front().config.width == unet.context_dim;
    evidence.push_back(alone ? "its one text encoder gives the whole context: the refiner"
                             : "the context is more than the second text encoder: a base model");
    return alone;
  }
  const bool refiner = unet.vector_dim - kRefinerTimeIds * kTimeIdWidth == unet.context_dim;
  evidence.push_back(refiner ? fmt::format("{} numbers are the {} of the context and five sizes: "
                                           "the refiner",
                                           unet.vector_dim, unet.context_dim)
                             : fmt::format("{} numbers are a pooled text of {} and six sizes: a "
                                           "base model",
                                           unet.vector_dim,
                                           unet.vector_dim - kBaseTimeIds * kTimeIdWidth));
  return refiner;
}

Rows choose_conditioning(const Facts& facts, std::vector<std::string>& evidence) {
  Rows rows;
  for (const Family& family : families()) rows.push_back(&family);
  if (!facts.unet->vector) {
    evidence.push_back(fmt::format("{} is conditioned on time and text alone", facts.unet->title));
    return keep(rows, [](const Family* row) { return row->vector == VectorKind::kNone; });
  }
  evidence.push_back(fmt::format(
      "{} takes a vector beside the text (label_emb, add_embedding): Stable Diffusion XL",
      facts.unet->title));
  const VectorKind kind = is_refiner(facts, evidence) ? VectorKind::kRefiner : VectorKind::kBase;
  return keep(rows, [&](const Family* row) { return row->vector == kind; });
}

Rows choose_projection(const Facts& facts, Rows rows, std::vector<std::string>& evidence) {
  const UNetFacts& unet = *facts.unet;
  if (unet.vector) return rows;
  if (unet.linear_projection) {
    evidence.emplace_back(*unet.linear_projection
                              ? "its projections are matrices: Stable Diffusion 2"
                              : "its projections are 1x1 convolutions: Stable Diffusion 1");
    return keep(rows, [&](const Family* row) {
      return !row->linear_projection || *row->linear_projection == *unet.linear_projection;
    });
  }
  if (!facts.towers.empty()) {
    const TowerKind kind = facts.towers.front().kind;
    const Rows same = keep(rows, [&](const Family* row) { return row->towers[0].kind == kind; });
    if (!same.empty()) return same;
  }
  const Rows same =
      keep(rows, [&](const Family* row) { return row->context_width == unet.config.context_dim; });
  return same.empty() ? rows : same;
}

FamilyChoice choose_by_unet(const Facts& facts) {
  FamilyChoice choice;
  Rows rows = choose_conditioning(facts, choice.evidence);
  rows = choose_projection(facts, std::move(rows), choice.evidence);
  const UNetConfig& unet = facts.unet->config;
  if (unet.context_dim != 0)
    choice.evidence.push_back(
        fmt::format("the context is {} wide{}", unet.context_dim, known_width(unet.context_dim)));
  if (unet.in_channels != 0) {
    choice.evidence.push_back(
        fmt::format("{} takes {} channels", facts.unet->title, unet.in_channels));
    const std::string_view title = rows.front()->title;
    rows = keep(rows, [&](const Family* row) { return row->in_channels == unet.in_channels; });
    if (rows.empty())
      choice.refusal = fmt::format(
          "a relative of {} whose UNet takes {} channels (4 are text to image, 8 "
          "InstructPix2Pix, 9 inpainting)",
          title, unet.in_channels);
  }
  if (!rows.empty()) choice.family = rows.front();
  return choice;
}

FamilyChoice choose_by_tower(const Facts& facts) {
  const TowerFacts& first = facts.towers.front();
  if (has_tower(facts, "text_encoder_2"))
    return {
        &family_named("sdxl-base"), {"there is a second text encoder: Stable Diffusion XL"}, {}};
  if (first.kind == TowerKind::kOpenClipH)
    return {&family_named("sd21"),
            {fmt::format("the text encoder is taken for {}: Stable Diffusion 2",
                         tower(first.kind).title)},
            {}};
  return {&family_named("sd15"),
          {fmt::format("the text encoder is taken for {}; alone it does not tell Stable Diffusion "
                       "1 from XL's first, which uses the state before the last layer",
                       tower(first.kind).title)},
          {}};
}

/// Families that modelspec.architecture and kohya's ss_base_model_version name, by beginning.
struct ArchitectureName {
  std::string_view begin;
  std::string_view family;
};
constexpr std::array kArchitectureNames{
    ArchitectureName{"stable-diffusion-xl-v1-refiner", "sdxl-refiner"},
    ArchitectureName{"stable-diffusion-xl", "sdxl-base"},
    ArchitectureName{"stable-diffusion-v2", "sd21"},
    ArchitectureName{"stable-diffusion-v1", "sd15"},
    ArchitectureName{"sdxl", "sdxl-base"},
    ArchitectureName{"sd_v2", "sd21"},
    ArchitectureName{"sd_v1", "sd15"},
};

}  // namespace

const Family* family_in_metadata(const std::map<std::string, std::string>& metadata) {
  for (const char* key : {"modelspec.architecture", "ss_base_model_version"}) {
    const auto value = metadata.find(key);
    if (value == metadata.end()) continue;
    for (const ArchitectureName& row : kArchitectureNames)
      if (value->second.starts_with(row.begin)) return &family_named(row.family);
  }
  return nullptr;
}

namespace {

FamilyChoice choose_for_part(const Facts& facts,
                             const std::map<std::string, std::string>& metadata) {
  if (const Family* named = family_in_metadata(metadata))
    return {named, {fmt::format("the metadata names {}", named->title)}, {}};
  if (!facts.towers.empty()) return choose_by_tower(facts);
  if (facts.tiny_vae)
    return {&family_named("sd15"),
            {"a tiny autoencoder takes latents as the UNet has them (scaling 1), and does not tell "
             "its family"},
            {}};
  return {&family_named("sd15"),
          {"an autoencoder alone does not tell Stable Diffusion 1 and 2 (scaling 0.18215) from XL "
           "(0.13025)"},
          {}};
}

}  // namespace

FamilyChoice choose_family(const std::vector<FoundComponent>& components,
                           const std::map<std::string, std::string>& metadata) {
  const Facts facts = read_facts(components);
  FamilyChoice choice = facts.unet ? choose_by_unet(facts) : choose_for_part(facts, metadata);
  describe_towers(facts, choice.evidence);
  return choice;
}

}  // namespace sinter::arch
