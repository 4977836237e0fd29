#include "sinter/arch/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "sinter/arch/embedding_facts.h"
#include "sinter/arch/reading.h"
#include "sinter/arch/structure.h"
#include "sinter/arch/target_architecture.h"
#include "sinter/arch/text_config.h"
#include "sinter/arch/tiny_vae.h"
#include "sinter/arch/vae_config.h"
#include "sinter/base/message.h"
#include "sinter/weights/ema.h"

namespace sinter::arch {
namespace {

/// Tensors whose first axis is an adapter's rank.
constexpr std::array<std::string_view, 6> kRankEndings{".lora_down.weight", ".lora_A.weight",
                                                       "_lora.down.weight", ".lora.down.weight",
                                                       ".hada_w1_b",        ".lokr_w2_b"};

/// ", rank 16", ", ranks 4 to 64", or nothing where no tensor tells.
std::string rank_words(const NameIndex& names) {
  std::int64_t least = 0;
  std::int64_t most = 0;
  for (const NamedTensor& entry : names.all()) {
    const Shape& shape = entry.tensor->shape;
    const bool tells = std::ranges::any_of(
        kRankEndings, [&](std::string_view ending) { return entry.name.ends_with(ending); });
    if (!tells || shape.size() < 2 || shape[0] <= 0) continue;
    least = least == 0 ? shape[0] : std::min(least, shape[0]);
    most = std::max(most, shape[0]);
  }
  if (most == 0) return {};
  return least == most ? fmt::format(", rank {}", most)
                       : fmt::format(", ranks {} to {}", least, most);
}

Identity of_kind(FileKind kind, std::string architecture, std::string sentence) {
  const FileKindRow& row = file_kind(kind);
  return {.architecture = std::move(architecture),
          .contents = std::string(row.contents),
          .sentence = std::move(sentence),
          .advice = std::string(row.advice),
          .convertible = row.standing == Standing::kOwn,
          .foreign = row.standing == Standing::kForeign,
          .kind = std::string(row.word),
          .purpose = std::string(row.purpose),
          .next = std::string(row.next)};
}

/// A network of our kinds that cannot be converted all the same.
void refuse(Identity& identity, std::string_view advice) {
  identity.advice = advice;
  identity.convertible = false;
  identity.foreign = true;
  identity.next.clear();
}

std::string signature_architecture(const Signature& signature, const Reading& reading,
                                   const Metadata& metadata) {
  if (!signature.architecture.empty()) return std::string(signature.architecture);
  return read_architecture(reading.names, metadata);
}

/// architecture: empty: the width tells.
Identity identify_embedding(const NameIndex& names, std::string architecture) {
  const EmbeddingFacts facts = read_embedding_facts(names);
  if (architecture.empty() && facts.widths.size() == 1)
    architecture = architecture_of_tower(facts.widths.front());
  std::string sentence = fmt::format("a textual inversion embedding{}{}", for_family(architecture),
                                     embedding_words(facts));
  Identity identity = of_kind(FileKind::kEmbedding, std::move(architecture), std::move(sentence));
  if (!facts.token.empty()) identity.purpose += fmt::format(": '{}'", shown(facts.token));
  identity.vectors = facts.vectors;
  return identity;
}

Identity identify_signature(const Reading& reading, const Metadata& metadata) {
  const Signature& signature = *reading.signature;
  if (signature.kind == FileKind::kEmbedding)
    return identify_embedding(reading.names, std::string(signature.architecture));
  std::string architecture = signature_architecture(signature, reading, metadata);
  std::string sentence(signature.title);
  // What is called by its own name is for nothing else.
  if (signature.architecture.empty() || is_family(architecture))
    sentence += for_family(architecture);
  if (signature.kind == FileKind::kLora) sentence += rank_words(reading.names);
  if (reading.quantisation != nullptr)
    sentence += fmt::format(" with {}", reading.quantisation->title);
  Identity identity = of_kind(signature.kind, std::move(architecture), std::move(sentence));
  const bool for_others = !identity.architecture.empty() && !is_family(identity.architecture);
  // An adapter for a network that is not converted here has no command either.
  if (file_kind(signature.kind).standing == Standing::kBeside && for_others) {
    identity.advice = kForeign;
    identity.next.clear();
  }
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
  if (is_lone_embedding(reading.names)) return identify_embedding(reading.names, {});
  const std::size_t count = reading.names.all().size();
  if (const std::size_t averages = reading.names.below(weights::kEmaPrefix).size(); averages != 0) {
    Identity identity =
        of_kind(FileKind::kUnknown, {},
                fmt::format("{} of weights (EMA, {}*) without the weights themselves",
                            counted(averages, "moving average"), weights::kEmaPrefix));
    refuse(identity,
           "the names of averages have no dots, so that --ema needs those of the weights beside "
           "them; fetch the file with both, or the one that was made of the averages");
    return identity;
  }
  return of_kind(
      FileKind::kUnknown, {},
      count == 0 ? "a file without tensors"
                 : fmt::format("no network that sinter knows ({}, the first is '{}')",
                               counted(count, "tensor"), shown(reading.names.all().front().name)));
}

/// Which half a file of one half holds; empty where it has both.
std::string_view half_alone(const VaeConfig& config) {
  if (config.encoder.empty()) return ", the decoder alone";
  return config.decoder.empty() ? ", the encoder alone" : "";
}

Identity identify_vae(const FoundComponent& component) {
  const VaeConfig config = read_vae_config(component.weights);
  if (config.tiny)
    return of_kind(FileKind::kTinyVae, "taesd",
                   fmt::format("a tiny autoencoder (TAESD){}", half_alone(config)));
  return of_kind(FileKind::kVae, "vae", fmt::format("an autoencoder (VAE){}", half_alone(config)));
}

Identity identify_part(const FoundComponent& component, const Family& family) {
  if (component.kind == ComponentKind::kUNet)
    return of_kind(FileKind::kUNet, std::string(family.architecture),
                   fmt::format("the UNet of {}", family.title));
  if (component.kind == ComponentKind::kVae) return identify_vae(component);
  if (component.kind == ComponentKind::kControlNet)
    return of_kind(
        FileKind::kControlNet, std::string(family.architecture),
        fmt::format("a ControlNet in {} layout for {}",
                    component.layout == kOriginal ? "the original" : "diffusers'", family.title));
  const TextEncoderConfig config = read_text_config(component.weights);
  const Tower& row =
      tower(guess_tower(component.text_names, config.width, config.projection_dim != 0));
  return of_kind(FileKind::kTextEncoder, std::string(row.name),
                 fmt::format("a text encoder, {}", row.title));
}

/// The autoencoders of Flux and Stable Diffusion 3 have the same names with 16 channels; their
/// latents are also shifted, which no Stable Diffusion pipeline does.
bool is_foreign_vae(const std::vector<FoundComponent>& components) {
  return components.size() == 1 && components.front().kind == ComponentKind::kVae &&
         read_vae_config(components.front().weights).latent_channels == kForeignLatents;
}

Identity identify_foreign_vae(const FoundComponent& component) {
  if (is_tiny_vae(component.weights))
    return of_kind(
        FileKind::kForeignVae, "taesd",
        fmt::format("a tiny autoencoder with {} latent channels (TAESD3, TAEF1)", kForeignLatents));
  // Most of them have no convolutions between the halves and the latents.
  const bool quant = has_below(component.weights, "quant_conv.") ||
                     has_below(component.weights, "post_quant_conv.");
  return of_kind(FileKind::kForeignVae, "vae",
                 fmt::format("an autoencoder with {} latent channels{}, as Flux and Stable "
                             "Diffusion 3 use",
                             kForeignLatents,
                             quant ? ""
                                   : ", without quant_conv and "
                                     "post_quant_conv"));
}

Identity identify_known(const Reading& reading) {
  const Family& family = *reading.choice.family;
  if (reading.components.size() == 1) return identify_part(reading.components.front(), family);
  return of_kind(FileKind::kCheckpoint, std::string(family.architecture),
                 fmt::format("a {} checkpoint", family.title));
}

/// What distilled models are called; their names and shapes are those of the model that they come
/// from.
constexpr std::array<std::string_view, 5> kFewStepWords{"turbo", "lightning", "lcm", "hyper",
                                                        "distill"};
constexpr std::array<const char*, 4> kTitleKeys{"modelspec.title", "modelspec.description",
                                                "ss_output_name", "ss_sd_model_name"};

/// The word by which metadata call a model that draws in a few steps, or nothing.
std::string_view few_step_word(const Metadata& metadata) {
  for (const char* key : kTitleKeys) {
    const auto value = metadata.find(key);
    if (value == metadata.end()) continue;
    std::string text = value->second;
    std::ranges::transform(text, text.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    for (const std::string_view word : kFewStepWords)
      if (text.find(word) != text.npos) return word;
  }
  return {};
}

}  // namespace

Identity identify_reading(const Reading& reading, const Metadata& metadata) {
  if (reading.signature != nullptr) return identify_signature(reading, metadata);
  if (reading.components.empty()) return identify_stranger(reading);
  if (is_foreign_vae(reading.components)) return identify_foreign_vae(reading.components.front());
  if (reading.choice.family == nullptr) {
    const bool part = reading.components.size() == 1;
    Identity identity =
        of_kind(part ? FileKind::kUNet : FileKind::kCheckpoint, {}, reading.choice.refusal);
    refuse(identity, kForeign);
    return identity;
  }
  Identity identity = identify_known(reading);
  if (const std::string_view word = few_step_word(metadata);
      !word.empty() && (identity.kind == "checkpoint" || identity.kind == "unet"))
    identity.purpose += fmt::format(
        "; its metadata say '{}': such models draw in a few steps, with guidance 1 to 2", word);
  if (reading.quantisation == nullptr) return identity;
  identity.sentence += fmt::format(" with {}", reading.quantisation->title);
  refuse(identity, "sinter takes weights as they are stored; fetch the float16 or float32 file");
  return identity;
}

Identity identify(const std::vector<weights::TensorEntry>& tensors, const Metadata& metadata) {
  return identify_reading(read_names(tensors, metadata), metadata);
}

Identity identify(const weights::Checkpoint& checkpoint) {
  return identify(checkpoint.tensors(), checkpoint.metadata());
}

}  // namespace sinter::arch
