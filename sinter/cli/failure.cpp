#include "sinter/cli/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>

#include "sinter/base/message.h"
#include "sinter/cli/json_output.h"
#include "sinter/base/nearest.h"

namespace sinter::cli {
namespace {

constexpr const char* kBugHint = "this is a bug of sinter; please report it with the command";

/// "a, b and c".
std::string listed(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? "" : i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace

Error as_error(const std::exception& exception) {
  namespace fs = std::filesystem;
  if (const auto* error = dynamic_cast<const Error*>(&exception)) return *error;
  if (const auto* error = dynamic_cast<const fs::filesystem_error*>(&exception)) {
    return {ErrorCode::kIo,
            fmt::format("cannot use {}: {}", error->path1().string(), error->code().message())};
  }
  if (const auto* error = dynamic_cast<const std::system_error*>(&exception))
    return {ErrorCode::kIo, error->what()};
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr) {
    return {ErrorCode::kRuntime, "there is not enough memory",
            "a smaller --batch, --width and --height need less"};
  }
  return {ErrorCode::kInternal, exception.what(), kBugHint};
}

int report(const Error& error, bool json) {
  const int status = exit_status(error.code());
  // Line by line, so that no name out of a file looks like one of ours. Of the message itself line
  // feeds stay: those of names are escaped where names enter it.
  std::string words = fmt::format("error: {}\n", printable(error.message(), /*keep_lines=*/true));
  for (const std::string& frame : error.context())
    words += fmt::format("  while {}\n", printable(frame));
  if (!error.hint().empty()) words += fmt::format("hint: {}\n", printable(error.hint(), true));
  fmt::print(stderr, "{}", words);
  if (!json) return status;
  try {
    print_json({{"error",
                 {{"code", error_code_name(error.code())},
                  {"status", status},
                  {"message", error.message()},
                  {"context", error.context()},
                  {"hint", error.hint()}}}});
  } catch (const std::system_error&) {
    // Standard output may be what failed; the words on standard error stand.
  }
  return status;
}

Error unknown_name(std::string_view what, std::string_view name,
                   const std::vector<std::string_view>& known) {
  const std::string meant = nearest(name, {known.begin(), known.end()});
  return {ErrorCode::kUsage,
          fmt::format("there is no {} '{}'; there {} {}", what, name,
                      known.size() == 1 ? "is" : "are", listed(known)),
          meant.empty() ? "" : fmt::format("did you mean '{}'?", meant)};
}

void require_known(std::string_view what, std::string_view name,
                   const std::vector<std::string_view>& known) {
  if (std::ranges::find(known, name) == known.end()) throw unknown_name(what, name, known);
}

}  // namespace sinter::cli
