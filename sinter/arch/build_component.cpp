#include "sinter/arch/build_component.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sinter/arch/component_settings.h"
#include "sinter/arch/structure.h"
#include "sinter/arch/text_config.h"
#include "sinter/arch/unet_config.h"
#include "sinter/arch/vae_config.h"
#include "sinter/base/error.h"

namespace sinter::arch {
namespace {

constexpr std::string_view kMixedHint =
    "the tensor does not fit the others: the file may be damaged, or merged from different models";
// Every normalisation of the picture has this many groups.
constexpr std::int64_t kGroups = 32;

using Configs = std::map<std::string, std::string>;

const TowerUse& tower_use(const FoundComponent& found, const Family& family) {
  for (const TowerUse& use : family.towers)
    if (use.component == found.name) return use;
  // A tower that the family does not name (a family given by hand): its first is the nearest.
  return family.towers.front();
}

TextEncoderConfig text_config(const FoundComponent& found, const Family& family,
                              const Configs& configs) {
  TextEncoderConfig config = read_text_config(found.weights);
  const TowerUse& use = tower_use(found, family);
  const TextSettings settings = read_text_settings(configs, found.prefix);
  config.activation = settings.activation.value_or(tower(use.kind).activation);
  config.heads = settings.heads.value_or(std::max<std::int64_t>(1, config.width / kTowerHeadWidth));
  config.state = use.state;
  // transformers' copies of this tower were saved without the layer that is not used.
  if (use.state == TextState::kPenultimateNormed && found.text_names == TextNames::kTransformers)
    config.state = TextState::kLast;
  config.pooled_projection = use.pooled;
  if (config.heads <= 0 || config.width % config.heads != 0)
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("{} is {} wide, expected a multiple of its {} heads", found.name,
                            config.width, config.heads),
                "the heads of a CLIP text encoder are 64 wide; a folder's config.json can say "
                "otherwise (num_attention_heads)");
  return config;
}

/// Heads that a folder states: one number of heads everywhere, or one width of heads.
void set_heads(UNetConfig& config, const std::vector<std::int64_t>& heads) {
  if (heads.empty()) return;
  const auto of_level = [&](std::size_t level) { return heads[std::min(level, heads.size() - 1)]; };
  bool same_count = true;
  bool same_width = true;
  const std::int64_t width = config.down.empty() ? 0 : config.down[0].channels / of_level(0);
  for (std::size_t level = 0; level < config.down.size(); ++level) {
    same_count = same_count && of_level(level) == of_level(0);
    same_width = same_width && config.down[level].channels == of_level(level) * width;
  }
  if (same_count) {
    config.heads = of_level(0);
    config.head_width = 0;
  } else if (same_width) {
    config.heads = 0;
    config.head_width = width;
  } else {
    throw Error(ErrorCode::kUnsupported,
                "the UNet's config.json gives its levels neither one number of attention heads nor "
                "one width of them");
  }
}

/// The lengths in the vector conditioning: the pooled text and the sizes behind it.
void set_vector(UNetConfig& config, const Family& family) {
  if (config.vector_dim == 0) return;
  config.time_ids = family.vector == VectorKind::kRefiner ? kRefinerTimeIds : kBaseTimeIds;
  config.pooled_dim = config.vector_dim - config.time_ids * kTimeIdWidth;
  if (config.pooled_dim <= 0)
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("the UNet's vector conditioning is {} long, expected more than {} for "
                            "{} sizes",
                            config.vector_dim, config.time_ids * kTimeIdWidth, config.time_ids));
}

void check_groups(std::string_view component, std::int64_t channels) {
  if (channels % kGroups != 0)
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("{} has a level of {} channels, expected a multiple of {}", component,
                            channels, kGroups),
                "group normalisation splits the channels into 32 groups");
}

UNetConfig unet_config(const FoundComponent& found, const Family& family, const Configs& configs) {
  UNetConfig config = read_unet_config(found.weights);
  config.heads = family.heads;
  config.head_width = family.head_width;
  set_heads(config, read_unet_heads(configs, found.prefix));
  set_vector(config, family);
  return config;
}

VaeConfig vae_config(const FoundComponent& found, const Family& family, const Configs& configs) {
  VaeConfig config = read_vae_config(found.weights);
  config.scaling_factor = read_vae_scaling(configs, found.prefix).value_or(family.vae_scaling);
  return config;
}

/// Keeps the weights that are asked for, counts their elements, reports the rest.
void settle(Component& component, const std::vector<ExpectedTensor>& expected,
            const WeightMap& weights, std::vector<std::string>& missing) {
  std::set<const weights::TensorEntry*> counted;
  for (const ExpectedTensor& tensor : expected) {
    const WeightSource* source = weights.find(tensor.name);
    if (source == nullptr) continue;
    component.weights.add(tensor.name, *source);
    // A fused tensor stands under three names and counts once.
    if (counted.insert(source->tensor).second)
      component.parameters += element_count(source->tensor->shape);
  }
  const Deviations deviations = compare(weights, expected);
  for (const std::string& name : deviations.missing)
    missing.push_back(fmt::format("{}/{}", component.name, name));
  // With holes in the network, what the rest should look like is a guess.
  if (deviations.missing.empty() && !deviations.wrong.empty())
    throw Error(ErrorCode::kShapeMismatch, deviations.wrong.front(), std::string(kMixedHint));
}

void build_unet(Component& component, UNetConfig config, const WeightMap& weights,
                std::vector<std::string>& missing) {
  int skip_surplus = 0;
  const std::vector<ExpectedTensor> expected = unet_tensors(config, skip_surplus);
  const std::size_t before = missing.size();
  settle(component, expected, weights, missing);
  if (missing.size() == before) {
    if (skip_surplus != 0)
      throw Error(ErrorCode::kShapeMismatch,
                  fmt::format("the UNet's way up takes {} more skip connections than its way down "
                              "leaves",
                              -skip_surplus),
                  "one of its resnets is missing altogether");
    for (const UNetLevel& level : config.down) check_groups("unet", level.channels);
    for (const UNetLevel& level : config.up) check_groups("unet", level.channels);
  }
  component.config = std::move(config);
}

void build_vae(Component& component, VaeConfig config, const WeightMap& weights,
               std::vector<std::string>& missing) {
  const std::size_t before = missing.size();
  settle(component, vae_tensors(config), weights, missing);
  if (missing.size() == before) {
    for (const VaeLevel& level : config.encoder) check_groups("vae", level.channels);
    for (const VaeLevel& level : config.decoder) check_groups("vae", level.channels);
  }
  component.config = std::move(config);
}

}  // namespace

Component build_component(const FoundComponent& found, const Family& family,
                          const weights::Checkpoint& checkpoint,
                          std::vector<std::string>& missing) {
  Component component;
  component.name = found.name;
  component.layout = found.layout;
  component.prefix = found.prefix;
  const Configs& configs = checkpoint.configs();
  switch (found.kind) {
    case ComponentKind::kTextEncoder: {
      const TextEncoderConfig config = text_config(found, family, configs);
      settle(component, text_tensors(config), found.weights, missing);
      component.config = config;
      break;
    }
    case ComponentKind::kUNet:
      build_unet(component, unet_config(found, family, configs), found.weights, missing);
      break;
    case ComponentKind::kVae:
      build_vae(component, vae_config(found, family, configs), found.weights, missing);
      break;
  }
  return component;
}

}  // namespace sinter::arch
