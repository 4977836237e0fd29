#include "sinter/arch/target_architecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "sinter/arch/families.h"
#include "sinter/arch/family_choice.h"

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

/// Titles of architectures that adapters are made for and that are no family here.
struct ForeignTitle {
  std::string_view architecture;
  std::string_view title;
};
constexpr std::array kForeignTitles{ForeignTitle{"flux", "Flux"},
                                    ForeignTitle{"sd3", "Stable Diffusion 3"}};

}  // namespace

std::string architecture_of_tower(std::int64_t width) {
  for (const Family& family : families())
    for (const TowerUse& use : family.towers)
      if (tower(use.kind).width == width) return std::string(family.architecture);
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

bool is_family(std::string_view architecture) {
  return std::ranges::find(families(), architecture, &Family::architecture) != families().end();
}

std::string for_family(std::string_view architecture) {
  for (const Family& family : families())
    if (family.architecture == architecture) return fmt::format(" for {}", family.title);
  for (const ForeignTitle& row : kForeignTitles)
    if (row.architecture == architecture) return fmt::format(" for {}", row.title);
  return architecture.empty() ? std::string() : fmt::format(" for {}", architecture);
}

}  // namespace sinter::arch
