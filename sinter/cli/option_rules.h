#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

namespace sinter::cli {

/// A check of an option's number: "0 is too small, expected at least 1".
CLI::Validator at_least(std::int64_t minimum);

/// Makes an option of a list take one value each time that it stands: the words behind it stay
/// arguments. Returns the option.
CLI::Option* one_by_one(CLI::Option* option);

}  // namespace sinter::cli
