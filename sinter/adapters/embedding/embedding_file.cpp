// What an embedding's file holds. Where its vectors go: textual_inversion.cpp.

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "sinter/adapters/embedding/textual_inversion.h"
#include "sinter/arch/families.h"
#include "sinter/arch/identity.h"
#include "sinter/base/error.h"
#include "sinter/base/message.h"

namespace sinter::adapters {
namespace {

/// Names under which files keep the vectors of one text encoder.
struct TowerKey {
  std::string_view name;
  std::string_view component;
};
constexpr std::array kTowerKeys{
    TowerKey{"clip_l", "text_encoder"},
    TowerKey{"clip_g", "text_encoder_2"},
    TowerKey{"text_encoders_0", "text_encoder"},
    TowerKey{"text_encoders_1", "text_encoder_2"},
};

constexpr std::string_view kVectors = "emb_params";
// AUTOMATIC1111's training keeps a dictionary with one entry, "*".
constexpr std::string_view kDictionary = "string_to_param";

/// [width], [vectors,width], or the same with axes of one before it.
EmbeddingPart part_of(const weights::TensorEntry& tensor, std::string_view component) {
  if (!is_floating(tensor.dtype))
    throw Error(ErrorCode::kDTypeMismatch,
                fmt::format("'{}' is {}, expected a floating type", shown(tensor.name),
                            dtype_info(tensor.dtype).word));
  Shape shape = tensor.shape;
  while (shape.size() > 2 && shape.front() == 1) shape.erase(shape.begin());
  const std::size_t rank = shape.size();
  const bool vectors = (rank == 1 || rank == 2) && element_count(shape) > 0;
  if (!vectors)
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("'{}' is {}, expected vectors: [width] or [vectors,width]",
                            shown(tensor.name), to_string(tensor.shape)));
  return {std::string(component), &tensor, rank == 2 ? shape.front() : 1, shape.back()};
}

/// The entry of the dictionary that counts.
const weights::TensorEntry* dictionary_entry(const weights::Checkpoint& file) {
  const weights::TensorEntry* first = nullptr;
  for (const weights::TensorEntry& tensor : file.tensors()) {
    if (!tensor.name.starts_with(kDictionary)) continue;
    if (tensor.name.ends_with('*')) return &tensor;
    if (first == nullptr) first = &tensor;
  }
  return first;
}

}  // namespace

Embedding read_embedding(const weights::Checkpoint& file) {
  Embedding embedding;
  for (const TowerKey& key : kTowerKeys)
    if (const weights::TensorEntry* tensor = file.find(key.name))
      embedding.parts.push_back(part_of(*tensor, key.component));
  if (!embedding.parts.empty()) return embedding;
  const weights::TensorEntry* tensor = file.find(kVectors);
  if (tensor == nullptr) tensor = dictionary_entry(file);
  if (tensor == nullptr && file.tensors().size() == 1) {
    tensor = &file.tensors().front();
    embedding.token = tensor->name;
  }
  if (tensor == nullptr)
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{} is {}, expected a textual inversion embedding",
                            file.path().string(), arch::identify(file).sentence));
  embedding.parts.push_back(part_of(*tensor, {}));
  return embedding;
}

std::string family_of_width(std::int64_t width) {
  for (const arch::Family& family : arch::families())
    for (const arch::TowerUse& use : family.towers)
      if (arch::tower(use.kind).width == width) return std::string(family.title);
  return {};
}

}  // namespace sinter::adapters
