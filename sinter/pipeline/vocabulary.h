#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sinter/pipeline/bpe.h"

namespace sinter::pipeline {

/// A tokenizer's tokens and merges as its files spell them.
struct Vocabulary {
  std::vector<std::string> tokens;  // by id
  Bpe::Merges merges;               // by rank
  std::string padding;              // the padding token
};

inline constexpr const char* kStartToken = "<|startoftext|>";
inline constexpr const char* kEndToken = "<|endoftext|>";

/// The built-in vocabulary of CLIP: 256 bytes, the same at a word's end, one token a merge, start,
/// end.
Vocabulary clip_vocabulary();

/// Reads a tokenizer folder.
/// @throws Error{kIo}, Error{kBadFile}.
Vocabulary read_vocabulary(const std::filesystem::path& folder);

/// Writes the four files of a tokenizer folder, creating it.
void write_vocabulary(const Vocabulary& vocabulary, const std::filesystem::path& folder);

}  // namespace sinter::pipeline
