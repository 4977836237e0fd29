#pragma once

#include <exception>
#include <string_view>
#include <vector>

#include "sinter/base/error.h"

namespace sinter::cli {

/// Any exception as an Error. What the operating system refused is the caller's matter, lack of
/// memory the machine's; what is left is a bug of ours.
Error as_error(const std::exception& exception);

/// Prints an error on standard error and, where the result would have been JSON, as JSON on
/// standard output too. Returns the exit status.
int report(const Error& error, bool json);

/// A name that is in no table: "there is no engine 'openvno'; there are openvino and onnxruntime",
/// with the nearest as hint.
Error unknown_name(std::string_view what, std::string_view name,
                   const std::vector<std::string_view>& known);

/// @throws Error{kUsage} when the name is not one of those known.
void require_known(std::string_view what, std::string_view name,
                   const std::vector<std::string_view>& known);

/// The same of a table whose rows have a `name`.
void require_row(std::string_view what, std::string_view name, const auto& table) {
  std::vector<std::string_view> names;
  for (const auto& row : table) names.push_back(row.name);
  require_known(what, name, names);
}

}  // namespace sinter::cli
