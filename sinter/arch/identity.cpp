#include "sinter/arch/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "sinter/arch/reading.h"
#include "sinter/arch/text_config.h"
#include "sinter/arch/vae_config.h"
#include "sinter/base/message.h"

namespace sinter::arch {
namespace {

/// Parts of names that only one architecture has; adapters carry them in their own spelling.
struct NameMark {
  std::string_view part;
  std::string_view architecture;
};
constexpr std::array kNameMarks{
    NameMark{"double_blocks", "flux"},        NameMark{"single_transformer_blocks", "flux"},
    NameMark{"joint_blocks", "sd3"},          NameMark{"lora_te2_", "sdxl-base"},
    NameMark{"text_encoder_2.", "sdxl-base"}, NameMark{"lora_te1_", "sdxl-base"},
    NameMark{"add_embedding.", "sdxl-base"},  NameMark{"label_emb.0.", "sdxl-base"},
};

/// Tensors whose last axis is the width of what a layer reads.
constexpr std::array<std::string_view, 6> kInputEndings{".lora_down.weight", ".lora_A.weight",
                                                        "_lora.down.weight", ".lora.down.weight",
                                                        ".hada_w1_b",        ".weight"};
constexpr std::array<std::string_view, 2> kContextLayers{"to_k", "to_v"};

/// Width of what the layer reads, as the tensors of its adapter (or its own weight) tell.
std::optional<std::int64_t> input_width(const NamedTensor& entry, const NameIndex& names) {
  const Shape& shape = entry.tensor->shape;
  if (shape.size() != 2) return std::nullopt;
  for (const std::string_view ending : kInputEndings)
    if (entry.name.ends_with(ending)) return shape[1];
  // A Kronecker product: the widths multiply.
  for (const std::string_view ending : {".lokr_w2", ".lokr_w2_b"}) {
    if (!entry.name.ends_with(ending)) continue;
    const std::string layer(entry.name.substr(0, entry.name.size() - ending.size()));
    const weights::TensorEntry* left = names.find(layer + ".lokr_w1");
    if (left != nullptr && left->shape.size() == 2) return left->shape[1] * shape[1];
  }
  return std::nullopt;
}

std::string architecture_of_context(std::int64_t width) {
  for (const Family& family : families())
    if (family.context_width == width) return std::string(family.architecture);
  return {};
}

std::string architecture_of_tower(std::int64_t width) {
  for (const Family& family : families())
    for (const TowerUse& use : family.towers)
      if (tower(use.kind).width == width) return std::string(family.architecture);
  return {};
}

/// From the layers that read the text, wherever they are called so.
std::string architecture_from_widths(const NameIndex& names) {
  for (const NamedTensor& entry : names.all()) {
    if (entry.name.find("attn2") == std::string_view::npos) continue;
    const bool reads_text = std::ranges::any_of(kContextLayers, [&](std::string_view layer) {
      return entry.name.find(layer) != std::string_view::npos;
    });
    if (!reads_text) continue;
    if (const auto width = input_width(entry, names))
      if (std::string found = architecture_of_context(*width); !found.empty()) return found;
  }
  for (const NamedTensor& entry : names.all()) {
    if (entry.name.find("self_attn") == std::string_view::npos) continue;
    if (const auto width = input_width(entry, names))
      if (std::string found = architecture_of_tower(*width); !found.empty()) return found;
  }
  return {};
}

std::string read_architecture(const NameIndex& names, const Metadata& metadata) {
  for (const NameMark& mark : kNameMarks)
    for (const NamedTensor& entry : names.all())
      if (entry.name.find(mark.part) != std::string_view::npos)
        return std::string(mark.architecture);
  if (std::string found = architecture_from_widths(names); !found.empty()) return found;
  if (const Family* family = family_in_metadata(metadata)) return std::string(family->architecture);
  return {};
}

/// "for Stable Diffusion 1.x", or nothing where the architecture has no family.
std::string for_family(const std::string& architecture) {
  for (const Family& family : families())
    if (family.architecture == architecture) return fmt::format(" for {}", family.title);
  return architecture.empty() ? std::string() : fmt::format(" for {}", architecture);
}

/// Width of the vectors of an embedding.
std::int64_t vector_width(const NameIndex& names) {
  const Shape& shape = names.all().front().tensor->shape;
  return shape.empty() ? 0 : shape.back();
}

Identity identify_signature(const Reading& reading, const Metadata& metadata) {
  const Signature& signature = *reading.signature;
  Identity identity;
  identity.foreign = signature.advice == kForeign;
  identity.contents = signature.contents;
  identity.advice = signature.advice;
  identity.architecture = signature.architecture;
  if (!identity.architecture.empty() && signature.contents != "embedding") {
    identity.sentence = signature.title;
    return identity;
  }
  if (identity.architecture.empty())
    identity.architecture = signature.contents == "embedding"
                                ? architecture_of_tower(vector_width(reading.names))
                                : read_architecture(reading.names, metadata);
  identity.sentence = fmt::format("{}{}", signature.title, for_family(identity.architecture));
  return identity;
}

/// diffusers stores one embedding as one tensor under its token.
bool is_lone_embedding(const NameIndex& names) {
  if (names.all().size() != 1) return false;
  const NamedTensor& only = names.all().front();
  const std::size_t rank = only.tensor->shape.size();
  if (rank < 1 || rank > 2 || only.name.find('.') != std::string_view::npos) return false;
  if (only.name.starts_with('<') && only.name.ends_with('>')) return true;
  return std::ranges::find(towers(), only.tensor->shape.back(), &Tower::width) != towers().end();
}

Identity identify_stranger(const Reading& reading) {
  if (is_lone_embedding(reading.names)) {
    Identity identity;
    identity.contents = "embedding";
    identity.architecture = architecture_of_tower(vector_width(reading.names));
    identity.sentence =
        fmt::format("a textual inversion embedding{}", for_family(identity.architecture));
    identity.advice =
        "it works beside a checkpoint and is no picture model by itself; convert the checkpoint";
    return identity;
  }
  const std::size_t count = reading.names.all().size();
  return {.architecture = {},
          .contents = "other",
          .sentence = count == 0 ? "a file without tensors"
                                 : fmt::format("no network that sinter knows ({}, the first "
                                               "is '{}')",
                                               counted(count, "tensor"),
                                               shown(reading.names.all().front().name)),
          .advice = std::string(kForeign),
          .convertible = false};
}

Identity identify_part(const FoundComponent& component, const Family& family) {
  switch (component.kind) {
    case ComponentKind::kUNet:
      return {std::string(family.architecture),
              "unet",
              fmt::format("the UNet of {}", family.title),
              {},
              true};
    case ComponentKind::kVae:
      return {"vae", "vae", "an autoencoder (VAE)", {}, true};
    case ComponentKind::kControlNet:
      return {
          std::string(family.architecture),
          "controlnet",
          fmt::format("a ControlNet in {} layout for {}",
                      component.layout == kOriginal ? "the original" : "diffusers'", family.title),
          {},
          true};
    case ComponentKind::kTextEncoder:
      break;
  }
  const TextEncoderConfig config = read_text_config(component.weights);
  const Tower& row =
      tower(guess_tower(component.text_names, config.width, config.projection_dim != 0));
  return {std::string(row.name),
          "text-encoder",
          fmt::format("a text encoder, {}", row.title),
          {},
          true};
}

/// The autoencoders of Flux and Stable Diffusion 3 have the same names with 16 channels; their
/// latents are also shifted, which no Stable Diffusion pipeline does.
bool is_foreign_vae(const std::vector<FoundComponent>& components) {
  return components.size() == 1 && components.front().kind == ComponentKind::kVae &&
         read_vae_config(components.front().weights).latent_channels == 16;
}

Identity identify_known(const Reading& reading) {
  const bool part = reading.components.size() == 1;
  const Family& family = *reading.choice.family;
  if (part) return identify_part(reading.components.front(), family);
  return {std::string(family.architecture),
          "checkpoint",
          fmt::format("a {} checkpoint", family.title),
          {},
          true};
}

}  // namespace

Identity identify_reading(const Reading& reading, const Metadata& metadata) {
  if (reading.signature != nullptr) return identify_signature(reading, metadata);
  if (reading.components.empty()) return identify_stranger(reading);
  if (is_foreign_vae(reading.components))
    return {"vae",
            "vae",
            "an autoencoder with 16 latent channels, as Flux and Stable Diffusion 3 use",
            std::string(kForeign),
            false,
            true};
  if (reading.choice.family == nullptr)
    return {{},
            reading.components.size() == 1 ? "unet" : "checkpoint",
            reading.choice.refusal,
            std::string(kForeign),
            false,
            true};
  Identity identity = identify_known(reading);
  if (reading.quantisation == nullptr) return identity;
  identity.sentence += fmt::format(" with {}", reading.quantisation->title);
  identity.advice = "sinter takes weights as they are stored; fetch the float16 or float32 file";
  identity.convertible = false;
  identity.foreign = true;
  return identity;
}

Identity identify(const std::vector<weights::TensorEntry>& tensors, const Metadata& metadata) {
  return identify_reading(read_names(tensors, metadata), metadata);
}

Identity identify(const weights::Checkpoint& checkpoint) {
  return identify(checkpoint.tensors(), checkpoint.metadata());
}

}  // namespace sinter::arch
