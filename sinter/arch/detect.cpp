#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "sinter/arch/build_component.h"
#include "sinter/arch/component_settings.h"
#include "sinter/arch/controlnet_config.h"
#include "sinter/arch/model.h"
#include "sinter/arch/prediction.h"
#include "sinter/arch/reading.h"
#include "sinter/base/error.h"

namespace sinter::arch {
namespace {

/// What a refusal is about: the one file that it can only be, else the folder.
std::string subject(const Reading& reading, const weights::Checkpoint& checkpoint) {
  const std::vector<weights::SourceFile>& files = checkpoint.files();
  if (files.size() == 1 && files.front().path == checkpoint.path())
    return files.front().path.filename().string();
  if (files.size() == 1) return files.front().path.string();
  // Only the UNet leaves a checkpoint without a family.
  const auto unet = std::ranges::find(reading.components, "unet", &FoundComponent::name);
  if (unet == reading.components.end() || reading.choice.refusal.empty())
    return checkpoint.path().string();
  return files[unet->weights.all().begin()->second.tensor->file].path.string();
}

/// Refuses what is no Stable Diffusion network, in words.
void require_convertible(const Reading& reading, const weights::Checkpoint& checkpoint) {
  const Identity identity = identify_reading(reading, checkpoint.metadata());
  if (identity.convertible) return;
  throw Error(ErrorCode::kUnsupported,
              fmt::format("'{}' is {}", subject(reading, checkpoint), identity.sentence),
              identity.advice);
}

const UNetConfig* unet_of(const Model& model) {
  const Component* unet = model.find("unet");
  return unet == nullptr ? nullptr : &std::get<UNetConfig>(unet->config);
}

/// The family whose UNet takes that many channels and is otherwise like this one, or null.
const Family* sibling(const Family& family, std::int64_t in_channels) {
  for (const Family& other : families())
    if (other.in_channels == in_channels && other.vector == family.vector &&
        other.linear_projection == family.linear_projection)
      return &other;
  return nullptr;
}

/// A family that was asked for must fit the UNet that is there.
void check_in_channels(const Component& unet, const Family& family) {
  const auto& config = std::get<UNetConfig>(unet.config);
  const WeightSource* conv_in = unet.weights.find("conv_in.weight");
  if (conv_in == nullptr || conv_in->tensor->shape.size() < 2 ||
      config.in_channels == family.in_channels)
    return;
  Shape expected = conv_in->tensor->shape;
  expected[1] = family.in_channels;
  const Family* other = sibling(family, config.in_channels);
  throw Error(ErrorCode::kShapeMismatch,
              fmt::format("'{}' is {}, expected {}", conv_in->tensor->name,
                          to_string(conv_in->tensor->shape), to_string(expected)),
              other == nullptr
                  ? fmt::format("{} takes {} channels", family.title, family.in_channels)
                  : fmt::format("{} input channels are {}; try --family {}", config.in_channels,
                                other->title, other->name));
}

void check_family(const Component& unet, const Family& family) {
  const auto& config = std::get<UNetConfig>(unet.config);
  check_in_channels(unet, family);
  const bool wants_vector = family.vector != VectorKind::kNone;
  if (wants_vector != (config.vector_dim != 0))
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("the UNet has {} vector conditioning, expected {} for {}",
                            config.vector_dim != 0 ? "a" : "no", wants_vector ? "one" : "none",
                            family.name),
                "leave --family out to see what the file is");
  if (family.linear_projection && *family.linear_projection != config.linear_projection)
    throw Error(
        ErrorCode::kShapeMismatch,
        fmt::format("the UNet's projections are {}, expected {} for {}",
                    config.linear_projection ? "matrices" : "1x1 convolutions",
                    *family.linear_projection ? "matrices" : "1x1 convolutions", family.name),
        "leave --family out to see what the file is");
}

/// The states of the text encoders, side by side, are the UNet's context.
void check_context(const Model& model, const UNetConfig& unet, const Family& family) {
  std::int64_t width = 0;
  std::int64_t pooled = 0;
  for (const TowerUse& use : family.towers)
    if (model.find(use.component) == nullptr) return;
  for (const Component& component : model.components) {
    const auto* text = std::get_if<TextEncoderConfig>(&component.config);
    if (text == nullptr) continue;
    width += text->width;
    if (text->pooled_projection) pooled = text->projection_dim;
  }
  if (width != 0 && unet.context_dim != 0 && width != unet.context_dim)
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("the UNet reads a context {} wide, the text encoders give {}",
                            unet.context_dim, width),
                "the file mixes the text encoder and the UNet of different families");
  if (pooled != 0 && unet.pooled_dim != 0 && pooled != unet.pooled_dim)
    throw Error(
        ErrorCode::kShapeMismatch,
        fmt::format("the UNet's vector conditioning leaves {} for the pooled text, the text "
                    "encoder gives {}",
                    unet.pooled_dim, pooled),
        "the file mixes the text encoder and the UNet of different families");
}

void check_latents(const Model& model, const UNetConfig& unet) {
  const Component* vae = model.find("vae");
  if (vae == nullptr) return;
  const std::int64_t latents = std::get<VaeConfig>(vae->config).latent_channels;
  if (latents != 0 && unet.out_channels != 0 && latents != unet.out_channels)
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("the autoencoder has {} latent channels, the UNet writes {}", latents,
                            unet.out_channels),
                latents == kForeignLatents
                    ? "16 latent channels are those of Flux's and Stable Diffusion 3's autoencoders"
                    : "the file mixes the autoencoder and the UNet of different families");
}

/// Each ControlNet has to fit the UNet beside it.
void check_controlnets(const Model& model, const UNetConfig& unet) {
  for (const Component& component : model.components) {
    const auto* control = std::get_if<ControlNetConfig>(&component.config);
    if (control == nullptr || !component.missing.empty()) continue;
    try {
      require_fitting(control->unet, unet);
    } catch (Error& error) {
      error.add_context(fmt::format("looking at {}", component.name));
      throw;
    }
  }
}

/// Components that the family has and a file of several components lacks.
void add_missing_components(Model& model, const Family& family) {
  // A single component is meant to be alone, and ControlNets are no part of a pipeline by
  // themselves.
  const auto of_a_checkpoint = [](const Component& component) {
    return !std::holds_alternative<ControlNetConfig>(component.config);
  };
  if (std::ranges::count_if(model.components, of_a_checkpoint) < 2) return;
  const auto require = [&](std::string_view name) {
    if (model.find(name) == nullptr) model.missing_components.emplace_back(name);
  };
  for (const TowerUse& use : family.towers) require(use.component);
  require("unet");
  require("vae");
  const Component* vae = model.find("vae");
  if (vae != nullptr && std::get<VaeConfig>(vae->config).decoder.empty())
    model.missing_components.emplace_back("vae decoder");
  for (const std::string& name : model.missing_components)
    model.missing.push_back(fmt::format("{} (the whole component)", name));
}

void add_unexpected(Model& model, const NameIndex& useful) {
  std::set<const weights::TensorEntry*> claimed;
  for (const Component& component : model.components)
    for (const auto& [name, source] : component.weights.all()) claimed.insert(source.tensor);
  for (const NamedTensor& entry : useful.all())
    if (!claimed.contains(entry.tensor)) model.unexpected.emplace_back(entry.name);
}

void set_prediction(Model& model, const weights::Checkpoint& checkpoint, const Family& family,
                    const DetectOptions& options) {
  if (unet_of(model) == nullptr) {
    model.prediction = options.prediction;
    model.prediction_evidence = "the file has no UNet";
    return;
  }
  PredictionReading reading = read_prediction(checkpoint, family, options.prediction);
  model.prediction = reading.prediction;
  model.prediction_evidence = std::move(reading.evidence);
  model.foreign_prediction = reading.foreign;
  model.zero_terminal_snr = reading.zero_terminal_snr;
}

}  // namespace

const Component* Model::find(std::string_view name) const {
  const auto found = std::ranges::find(components, name, &Component::name);
  return found == components.end() ? nullptr : &*found;
}

namespace {

/// A ControlNet beside a UNet may be of another family, and has to be read as what it is to be
/// told.
const Family& own_family(const FoundComponent& found, const Reading& reading,
                         const Family& family) {
  if (found.kind != ComponentKind::kControlNet || reading.components.size() == 1) return family;
  const Family* own = choose_family({found}, {}).family;
  return own == nullptr ? family : *own;
}

constexpr std::int64_t kMaxNativeSize = 4096;

/// What the folder's UNet says, in pixels.
std::optional<int> folder_size(const weights::Checkpoint& checkpoint, const Model& model,
                               const std::vector<FoundComponent>& found) {
  const auto unet = std::ranges::find(found, ComponentKind::kUNet, &FoundComponent::kind);
  if (unet == found.end()) return std::nullopt;
  const auto cells =
      read_unet_settings({checkpoint.configs(), checkpoint.path()}, unet->prefix).size;
  const Component* vae = model.find("vae");
  const std::int64_t factor = vae == nullptr ? 8 : std::get<VaeConfig>(vae->config).factor();
  if (!cells || *cells > kMaxNativeSize / factor) return std::nullopt;
  return static_cast<int>(*cells * factor);
}

/// Pixels along each side: what the folder's UNet or modelspec.resolution ("768x768") says, else
/// the family's; the v models of Stable Diffusion 2 were trained on 768.
int native_size(const weights::Checkpoint& checkpoint, const Model& model, const Family& family,
                const std::vector<FoundComponent>& found) {
  if (const auto size = folder_size(checkpoint, model, found)) return *size;
  const auto said = checkpoint.metadata().find("modelspec.resolution");
  if (said != checkpoint.metadata().end()) {
    const int size = std::atoi(said->second.c_str());
    if (size >= 64 && size <= kMaxNativeSize && size % 8 == 0) return size;
  }
  const bool v_of_both = !family.prediction && model.prediction == Prediction::kV;
  return v_of_both ? 768 : family.native_size;
}

}  // namespace

Model detect(const weights::Checkpoint& checkpoint, const DetectOptions& options) {
  const Family* asked = options.family ? &family_named(*options.family) : nullptr;
  Reading reading = read_names(checkpoint.tensors(), checkpoint.metadata());
  if (asked == nullptr || reading.components.empty() || reading.quantisation != nullptr)
    require_convertible(reading, checkpoint);
  Family family = asked != nullptr ? *asked : *reading.choice.family;
  family.vae_scaling = options.vae_scaling.value_or(family.vae_scaling);

  Model model;
  model.family = family.name;
  model.evidence = std::move(reading.choice.evidence);
  if (asked != nullptr)
    model.evidence.insert(model.evidence.begin(), fmt::format("{} was asked for", family.name));
  for (const FoundComponent& found : reading.components) {
    model.components.push_back(
        build_component(found, own_family(found, reading, family), checkpoint));
    auto* text = std::get_if<TextEncoderConfig>(&model.components.back().config);
    if (text != nullptr && !text->end_token) text->end_token = options.end_token;
  }
  for (const Component& component : model.components)
    for (const MissingTensor& tensor : component.missing) model.missing.push_back(tensor.key);
  if (const UNetConfig* unet = unet_of(model)) {
    if (asked != nullptr) check_family(*model.find("unet"), family);
    check_context(model, *unet, family);
    check_latents(model, *unet);
    check_controlnets(model, *unet);
  }
  add_missing_components(model, family);
  add_unexpected(model, reading.useful);
  std::ranges::move(reading.set_aside, std::back_inserter(model.evidence));
  set_prediction(model, checkpoint, family, options);
  model.native_size = native_size(checkpoint, model, family, reading.components);
  return model;
}

}  // namespace sinter::arch
