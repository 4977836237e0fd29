#include "sinter/arch/python_json.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace sinter::arch {

std::string without_bare_infinities(std::string_view text) {
  constexpr std::array<std::string_view, 3> kWords{"-Infinity", "Infinity", "NaN"};
  std::string result;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size();) {
    const auto word = in_string ? kWords.end() : std::ranges::find_if(kWords, [&](auto each) {
      return text.substr(i).starts_with(each);
    });
    if (word != kWords.end()) {
      result += "null";
      i += word->size();
      continue;
    }
    if (in_string && text[i] == '\\' && i + 1 < text.size()) result += text[i++];
    if (text[i] == '"') in_string = !in_string;
    result += text[i++];
  }
  return result;
}

}  // namespace sinter::arch
