#include "sinter/diagnose/language.h"

#include <utility>

namespace sinter::diagnose {

std::optional<Language> language_from_name(std::string_view name) {
  static constexpr std::pair<std::string_view, Language> kNames[] = {{"en", Language::kEnglish},
                                                                     {"zh", Language::kChinese}};
  const std::string_view word = name.substr(0, name.find_first_of("_-.@"));
  for (const auto& [known, language] : kNames)
    if (word == known) return language;
  return std::nullopt;
}

}  // namespace sinter::diagnose
