#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sinter/arch/name_index.h"

namespace sinter::arch {

/// What names and shapes tell of a textual inversion embedding.
struct EmbeddingFacts {
  std::int64_t vectors = 0;          // for each text encoder; 0: cannot be told
  std::vector<std::int64_t> widths;  // one a text encoder
  std::string token;                 // that the file gives itself: "<cat>"; may be empty
};

EmbeddingFacts read_embedding_facts(const NameIndex& names);

/// ", 3 vectors 768 wide"; empty where nothing can be told.
std::string embedding_words(const EmbeddingFacts& facts);

}  // namespace sinter::arch
