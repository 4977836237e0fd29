#pragma once

#include <optional>
#include <string_view>

namespace sinter::diagnose {

/// The languages that answers come in.
enum class Language { kEnglish, kChinese };

/// One sentence in every language; UTF-8, static storage.
struct Text {
  std::string_view english;
  std::string_view chinese;

  constexpr std::string_view in(Language language) const {
    return language == Language::kChinese ? chinese : english;
  }
};

/// "en" or "zh", also as a locale spells it ("zh_CN.UTF-8"); nothing for any other language.
std::optional<Language> language_from_name(std::string_view name);

}  // namespace sinter::diagnose
