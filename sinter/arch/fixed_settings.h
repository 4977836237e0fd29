#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sinter/arch/places.h"

namespace sinter::arch {

/// Refuses a config.json that asks for another computation than the one that is built here, where
/// names and shapes would not show it (another number of groups, another activation).
///
/// config: the file's object. path: of the file, for messages.
/// @throws Error{kUnsupported} with key, found and expected; Error{kBadFile} for a value of another
/// JSON type than the key has.
void require_built_settings(ComponentKind kind, const nlohmann::json& config,
                            const std::string& path);

}  // namespace sinter::arch
