#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sinter/pipeline/added_tokens.h"

namespace sinter::pipeline {

// What the JSON files of tokenizers have in common. Of this folder only, and not installed: it
// names types of the JSON library.

/// Tokens by id from an object of token: id; empty where an id has no token.
/// @throws Error{kBadFile} for anything else.
std::vector<std::string> tokens_of(const nlohmann::json& vocabulary);

/// An added token from the object that describes it ("content" and flags).
/// @throws Error{kBadFile} for anything else.
AddedToken added_token_of(const nlohmann::json& object, const nlohmann::json& id);

/// An id as tokenizers have them.
/// @throws Error{kBadFile} naming the token.
std::int64_t checked_id(const std::string& token, const nlohmann::json& id);

}  // namespace sinter::pipeline
