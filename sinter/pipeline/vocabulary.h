#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sinter/pipeline/added_tokens.h"
#include "sinter/pipeline/bpe.h"

namespace sinter::pipeline {

/// A tokenizer's tokens and merges as its files spell them.
struct Vocabulary {
  std::vector<std::string> tokens;     // by id
  Bpe::Merges merges;                  // by rank
  std::vector<AddedToken> added = {};  // besides start, end and a padding token of the vocabulary
  std::string padding;                 // the padding token
};

inline constexpr const char* kStartToken = "<|startoftext|>";
inline constexpr const char* kEndToken = "<|endoftext|>";

/// The built-in vocabulary of CLIP: 256 bytes, the same at a word's end, one token a merge, start,
/// end.
Vocabulary clip_vocabulary();

/// Whether read_vocabulary finds something there.
bool has_vocabulary(const std::filesystem::path& folder);

/// Reads a tokenizer folder: vocab.json and merges.txt with added_tokens.json, or else
/// tokenizer.json; the padding and the added tokens of tokenizer_config.json and
/// special_tokens_map.json.
/// @throws Error{kIo}, Error{kBadFile}; Error{kUnsupported} for a tokenizer that is not CLIP's.
Vocabulary read_vocabulary(const std::filesystem::path& folder);

/// A file of a tokenizer folder.
struct VocabularyFile {
  std::string name;
  std::string text;
};

/// vocab.json, merges.txt, tokenizer_config.json and special_tokens_map.json, as transformers reads
/// them.
std::vector<VocabularyFile> vocabulary_files(const Vocabulary& vocabulary);

}  // namespace sinter::pipeline
