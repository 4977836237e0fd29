#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "sinter/base/error.h"
#include "sinter/engine/backend.h"

namespace sinter::engine {

/// The parser's complaints as one error: the first complaint with node, operator and module; how
/// many more there are.
Error parser_failure(Flavour flavour, Version version, const std::filesystem::path& model,
                     std::span<const ParserError> errors, std::string_view log);

/// The builder's words as an error, with the node that they name and the known cause as hint.
Error build_failure(Flavour flavour, Version version, const std::filesystem::path& model,
                    std::string_view words);

/// Why an engine does not load.
Error load_failure(Flavour flavour, Version version, std::string_view words);

}  // namespace sinter::engine
