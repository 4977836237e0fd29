#include "sinter/convert/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace sinter::convert {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

std::size_t behind_space(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(kSpace, at), text.size());
}

/// Behind the string that begins at `at`.
std::size_t behind_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

/// Behind the value that begins at `at`, and the space behind that.
std::size_t behind_value(std::string_view text, std::size_t at) {
  for (int depth = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      at = behind_string(text, at);
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}')) break;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    ++at;
  }
  return at;
}

}  // namespace

std::string with_member(std::string_view object, std::string_view key, std::string_view value) {
  const std::string quoted = fmt::format("\"{}\"", key);
  std::size_t at = behind_space(object, 0) + 1;  // behind the brace
  std::string result(object.substr(0, at));
  bool found = false;
  while (at < object.size()) {
    const std::size_t name = behind_space(object, at);
    if (name >= object.size() || object[name] != '"') break;  // the end of the object
    const std::size_t behind_name = behind_string(object, name);
    const std::size_t colon = behind_space(object, behind_name);
    const std::size_t begin = behind_space(object, colon + 1);
    const std::size_t end = behind_value(object, begin);
    const std::string_view written = object.substr(begin, end - begin);
    const std::size_t length = written.find_last_not_of(kSpace) + 1;
    const bool meant = object.substr(name, behind_name - name) == quoted;
    found |= meant;
    result.append(object.substr(at, begin - at))
        .append(meant ? value : written.substr(0, length))
        .append(written.substr(length))
        .append(object.substr(end, end < object.size() && object[end] == ',' ? 1 : 0));
    at = end < object.size() && object[end] == ',' ? end + 1 : end;
  }
  if (!found) {
    const bool empty = result.find('"') == std::string::npos;
    result.insert(result.find('{') + 1,
                  fmt::format("\n  {}: {}{}", quoted, value, empty ? "\n" : ","));
  }
  return result.append(object.substr(at));
}

}  // namespace sinter::convert
