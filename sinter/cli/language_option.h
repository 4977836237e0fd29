#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "sinter/diagnose/language.h"

namespace sinter::cli {

/// Declares --lang.
void declare_language(CLI::App& app, std::string& name);

/// The language of that name.
/// @throws Error{kUsage} for one that there is not.
diagnose::Language language_named(const std::string& name);

}  // namespace sinter::cli
