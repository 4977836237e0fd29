#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sinter/pipeline/vocabulary.h"

namespace sinter::pipeline {

// Embeddings are used by their names in prompts. Capitals do not count, and a name that begins and
// ends like a word ("easynegative", "bad-hands-5") is found only where it stands as one, as in
// AUTOMATIC1111; "<cat>" is found anywhere, as in diffusers.

/// Gives an embedding its tokens: `name` for the first vector and name_1, name_2, ... for the
/// others, the names that diffusers gives them.
///
/// first_id: of the first vector; the others follow.
/// @throws Error{kUsage} for a name that cannot be one, is taken, or would run together with
/// another ("cat" of two vectors and "cat_1").
void add_embedding(Vocabulary& vocabulary, const std::string& name, std::int64_t first_id,
                   std::int64_t vectors);

/// Whether the text uses an embedding of that name.
bool mentions(std::string_view text, std::string_view name);

}  // namespace sinter::pipeline
