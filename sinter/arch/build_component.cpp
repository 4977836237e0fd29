#include "sinter/arch/build_component.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sinter/arch/component_settings.h"
#include "sinter/arch/controlnet_config.h"
#include "sinter/arch/file_keys.h"
#include "sinter/arch/structure.h"
#include "sinter/arch/text_config.h"
#include "sinter/arch/unet_config.h"
#include "sinter/arch/unet_heads.h"
#include "sinter/arch/unet_tensors.h"
#include "sinter/arch/vae_config.h"
#include "sinter/base/error.h"
#include "sinter/base/message.h"

namespace sinter::arch {
namespace {

constexpr std::string_view kMixedHint =
    "the tensor does not fit the others: the file may be damaged, or merged from different models";
// Every normalisation of the picture has this many groups.
constexpr std::int64_t kGroups = 32;
// Ids of CLIP's tokenizer: 256 bytes, the same as ends of words, 48894 merges, begin and end of
// text.
constexpr std::int64_t kClipVocabulary = 49408;
constexpr std::int64_t kEarlyEndToken = 2;
// Tiny autoencoders were trained on latents as the UNet has them.
constexpr double kTinyScaling = 1.0;

const TowerUse& tower_use(const FoundComponent& found, const Family& family) {
  for (const TowerUse& use : family.towers)
    if (use.component == found.name) return use;
  // A tower that the family does not name (a family given by hand): its first is the nearest.
  return family.towers.front();
}

/// A token table needs a row for every id that the tokenizer makes; added tokens make it longer.
void check_vocabulary(const FoundComponent& found, const TextEncoderConfig& config,
                      std::int64_t needed) {
  const WeightSource* table = found.weights.find("text_model.embeddings.token_embedding.weight");
  if (table == nullptr || config.vocabulary >= needed) return;
  throw Error(
      ErrorCode::kShapeMismatch,
      fmt::format("'{}' is {}, expected at least {} rows: one for each id of the vocabulary",
                  shown(table->tensor->name), to_string(table->tensor->shape), needed),
      "the file may be damaged, or made for another tokenizer");
}

TextEncoderConfig text_config(const FoundComponent& found, const Family& family,
                              const FolderConfigs& configs) {
  TextEncoderConfig config = read_text_config(found.weights);
  const TowerUse& use = tower_use(found, family);
  const TextSettings settings = read_text_settings(configs, found.prefix);
  check_vocabulary(found, config, settings.vocabulary.value_or(kClipVocabulary));
  // transformers builds the first so many layers, whatever else the file has.
  config.layers = std::min<std::int64_t>(settings.layers.value_or(config.layers), kMaxLayers);
  config.activation = settings.activation.value_or(tower(use.kind).activation);
  // 2 stands in the files of early transformers, which take the largest id then, whatever it is.
  if (settings.end_token != kEarlyEndToken) config.end_token = settings.end_token;
  config.heads = settings.heads.value_or(std::max<std::int64_t>(1, config.width / kTowerHeadWidth));
  config.state = use.state;
  // transformers' copies of this tower were saved without the layer that is not used.
  if (use.state == TextState::kPenultimateNormed && found.text_names == TextNames::kTransformers)
    config.state = TextState::kLast;
  config.pooled_projection = use.pooled;
  if (config.width % config.heads != 0)
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("{} is {} wide, expected a multiple of its {} heads", found.name,
                            config.width, config.heads),
                "the heads of a CLIP text encoder are 64 wide; a folder's config.json can say "
                "otherwise (num_attention_heads)");
  return config;
}

/// The lengths in the vector conditioning: the pooled text and the sizes behind it.
/// title: "the UNet", for messages.
void set_vector(UNetConfig& config, const Family& family, std::string_view title) {
  if (config.vector_dim == 0) return;
  config.time_ids = family.vector == VectorKind::kRefiner ? kRefinerTimeIds : kBaseTimeIds;
  config.pooled_dim = config.vector_dim - config.time_ids * kTimeIdWidth;
  if (config.pooled_dim <= 0)
    throw Error(
        ErrorCode::kShapeMismatch,
        fmt::format("{}'s vector conditioning is {} long, expected more than {} for {} sizes",
                    title, config.vector_dim, config.time_ids * kTimeIdWidth, config.time_ids));
}

void check_groups(std::string_view component, std::int64_t channels) {
  if (channels % kGroups != 0)
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("{} has a level of {} channels, expected a multiple of {}", component,
                            channels, kGroups),
                "group normalisation splits the channels into 32 groups");
}

VaeConfig vae_config(const FoundComponent& found, const Family& family,
                     const FolderConfigs& configs) {
  VaeConfig config = read_vae_config(found.weights);
  const VaeSettings settings = read_vae_settings(configs, found.prefix);
  config.scaling_factor =
      settings.scaling.value_or(config.tiny ? kTinyScaling : family.vae_scaling);
  config.quant_conv = settings.quant_conv.value_or(config.quant_conv);
  config.post_quant_conv = settings.post_quant_conv.value_or(config.post_quant_conv);
  if (settings.attention) {
    config.encoder_attention = *settings.attention && !config.encoder.empty();
    config.decoder_attention = *settings.attention && !config.decoder.empty();
  }
  return config;
}

/// What cannot be a weight of a network, whatever its place.
void check_weight(const weights::TensorEntry& tensor) {
  if (!is_floating(tensor.dtype))
    throw Error(ErrorCode::kDTypeMismatch,
                fmt::format("'{}' is {}, expected a floating type", shown(tensor.name),
                            dtype_info(tensor.dtype).word),
                "the weights may be quantised; fetch the float16 or float32 file");
  if (element_count(tensor.shape) == 0)
    throw Error(
        ErrorCode::kShapeMismatch,
        fmt::format("'{}' is {}: it has no elements", shown(tensor.name), to_string(tensor.shape)),
        std::string(kMixedHint));
}

/// Keeps the weights that are asked for, counts their elements, reports the rest.
template <typename Config>
void settle(Component& component, const Config& config, const std::vector<ExpectedTensor>& expected,
            const FoundComponent& found) {
  std::set<const weights::TensorEntry*> counted_once;
  for (const ExpectedTensor& tensor : expected) {
    const WeightSource* source = found.weights.find(tensor.name);
    if (source == nullptr) continue;
    check_weight(*source->tensor);
    component.weights.add(tensor.name, *source);
    // A fused tensor stands under three names and counts once.
    if (counted_once.insert(source->tensor).second)
      component.parameters += element_count(source->tensor->shape);
  }
  const Deviations deviations = compare(found.weights, expected);
  for (const ExpectedTensor& tensor : deviations.missing)
    component.missing.push_back(
        {key_in_file(found, config, tensor.name), tensor.name, tensor.shape});
  // With holes in the network, what the rest should look like is a guess.
  if (component.missing.empty() && !deviations.wrong.empty())
    throw Error(ErrorCode::kShapeMismatch, deviations.wrong.front(), std::string(kMixedHint));
}

void build_unet(Component& component, const FoundComponent& found, const Family& family,
                const FolderConfigs& configs) {
  const UNetSettings settings = read_unet_settings(configs, found.prefix);
  UNetConfig config = read_unet_config(found.weights);
  set_vector(config, family, "the UNet");
  require_middle(config, settings.middle);
  const bool vector =
      family.vector != VectorKind::kNone || config.vector_dim != 0 || settings.vector;
  UNetTensors expected = unet_tensors(config, vector);
  if (!expected.sides_meet) {
    mirror_sides(config);
    expected = unet_tensors(config, vector);
  }
  settle(component, config, expected.tensors, found);
  config.heads = family.heads;
  config.head_width = family.head_width;
  if (component.missing.empty()) {
    if (!expected.sides_meet)
      throw Error(ErrorCode::kUnsupported,
                  "the UNet's way up does not take the skip connections that its way down leaves, "
                  "each at its own resolution",
                  "sinter builds UNets whose sides match");
    set_heads(config, settings);
    for (const UNetLevel& level : config.down) check_groups("unet", level.channels);
    for (const UNetLevel& level : config.up) check_groups("unet", level.channels);
  }
  component.config = std::move(config);
}

void build_controlnet(Component& component, const FoundComponent& found, const Family& family,
                      const FolderConfigs& configs) {
  const UNetSettings settings = read_controlnet_settings(configs, found.prefix);
  ControlNetConfig config = read_controlnet_config(found.weights);
  set_vector(config.unet, family, "the ControlNet");
  require_middle(config.unet, settings.middle);
  // Not by the family, which is that of the UNet beside it: one of another is told by its widths.
  const bool vector = has_below(found.weights, "add_embedding.") || settings.vector;
  settle(component, config, controlnet_tensors(config, vector), found);
  config.unet.heads = family.heads;
  config.unet.head_width = family.head_width;
  if (component.missing.empty()) {
    set_heads(config.unet, settings);
    for (const UNetLevel& level : config.unet.down) check_groups("controlnet", level.channels);
  }
  component.config = std::move(config);
}

/// A variant of the tiny autoencoder has other layers in the same list: without them it would draw
/// something else.
void require_nothing_else(const FoundComponent& found,
                          const std::vector<ExpectedTensor>& expected) {
  std::set<std::string_view> known;
  for (const ExpectedTensor& tensor : expected) known.insert(tensor.name);
  for (const auto& [name, source] : found.weights.all()) {
    if (known.contains(name)) continue;
    throw Error(ErrorCode::kUnsupported,
                fmt::format("'{}' is no part of the tiny autoencoder that sinter builds",
                            shown(source.tensor->name)),
                "the file may hold a later variant of TAESD");
  }
}

void build_vae(Component& component, const FoundComponent& found, const Family& family,
               const FolderConfigs& configs) {
  VaeConfig config = vae_config(found, family, configs);
  const std::vector<ExpectedTensor> expected = vae_tensors(config);
  settle(component, config, expected, found);
  if (config.tiny) {
    require_nothing_else(found, expected);
  } else if (component.missing.empty()) {
    for (const VaeLevel& level : config.encoder) check_groups("vae", level.channels);
    for (const VaeLevel& level : config.decoder) check_groups("vae", level.channels);
  }
  component.config = std::move(config);
}

void build_text_encoder(Component& component, const FoundComponent& found, const Family& family,
                        const FolderConfigs& configs) {
  const TextEncoderConfig config = text_config(found, family, configs);
  settle(component, config, text_tensors(config), found);
  component.config = config;
}

}  // namespace

Component build_component(const FoundComponent& found, const Family& family,
                          const weights::Checkpoint& checkpoint) {
  Component component;
  component.name = found.name;
  component.layout = found.layout;
  component.prefix = found.prefix;
  const FolderConfigs configs{checkpoint.configs(), checkpoint.path()};
  switch (found.kind) {
    case ComponentKind::kTextEncoder:
      build_text_encoder(component, found, family, configs);
      break;
    case ComponentKind::kUNet:
      build_unet(component, found, family, configs);
      break;
    case ComponentKind::kVae:
      build_vae(component, found, family, configs);
      break;
    case ComponentKind::kControlNet:
      build_controlnet(component, found, family, configs);
      break;
  }
  return component;
}

}  // namespace sinter::arch
