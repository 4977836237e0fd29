#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

namespace sinter::cli {

/// A check of an option's number: "0 is too small, expected at least 1".
CLI::Validator at_least(std::int64_t minimum);

/// Takes a decimal number in these limits and nothing else: "expected a whole number from 1 to 9,
/// found 10". For Option::transform, because the parser by itself reads 010 as 8 and takes the
/// largest number for a larger one.
CLI::Validator whole_number(std::uint64_t minimum, std::uint64_t maximum);

/// Makes an option of a list take one value each time that it stands: the words behind it stay
/// arguments. Returns the option.
CLI::Option* one_by_one(CLI::Option* option);

}  // namespace sinter::cli
