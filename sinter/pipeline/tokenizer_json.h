#pragma once

#include <string_view>

#include "sinter/pipeline/vocabulary.h"

namespace sinter::pipeline {

/// Reads tokenizer.json, the one file in which the library tokenizers (transformers 5) keeps
/// vocabulary, merges and added tokens. `padding` stays empty where it says nothing of it.
/// @throws Error{kUnsupported} for a tokenizer of another kind than CLIP's, which it names;
///         Error{kBadFile}; what the JSON library throws for what is none.
Vocabulary read_tokenizer_json(std::string_view text);

}  // namespace sinter::pipeline
