#include "sinter/arch/embedding_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "sinter/base/message.h"

namespace sinter::arch {
namespace {

/// Names of the tensors that hold vectors, by beginning; the first that the file has decides.
constexpr std::array<std::string_view, 4> kNames{"clip_", "text_encoders_", "emb_params",
                                                 "string_to_param"};

void take(EmbeddingFacts& facts, const Shape& shape) {
  if (shape.empty() || element_count(shape) == 0) return;
  facts.widths.push_back(shape.back());
  facts.vectors = std::max(facts.vectors, shape.size() > 1 ? shape[shape.size() - 2] : 1);
}

}  // namespace

EmbeddingFacts read_embedding_facts(const NameIndex& names) {
  EmbeddingFacts facts;
  for (const std::string_view name : kNames) {
    // Of the two encoders the narrower one comes first, as in pipelines: "clip_l" before "clip_g".
    for (const NamedTensor& entry : names.below(name)) take(facts, entry.tensor->shape);
    if (facts.widths.empty()) continue;
    std::ranges::sort(facts.widths);
    return facts;
  }
  if (names.all().size() != 1) return facts;
  take(facts, names.all().front().tensor->shape);
  facts.token = names.all().front().name;
  return facts;
}

std::string embedding_words(const EmbeddingFacts& facts) {
  if (facts.vectors == 0) return {};
  return fmt::format(", {} {} wide", counted(static_cast<std::uint64_t>(facts.vectors), "vector"),
                     fmt::join(facts.widths, " and "));
}

}  // namespace sinter::arch
