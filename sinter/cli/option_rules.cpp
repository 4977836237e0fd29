#include "sinter/cli/option_rules.h"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <system_error>

namespace sinter::cli {

CLI::Validator at_least(std::int64_t minimum) {
  // What is no number, or too large for this one, is left to the conversion.
  return CLI::Validator(
      [minimum](const std::string& text) -> std::string {
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        const bool parsed = error == std::errc{} && end == text.data() + text.size();
        if (!parsed || number >= minimum) return {};
        return fmt::format("{} is too small, expected at least {}", text, minimum);
      },
      "");
}

CLI::Validator whole_number(std::uint64_t minimum, std::uint64_t maximum) {
  return CLI::Validator(
      [minimum, maximum](std::string& text) -> std::string {
        std::uint64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc{} || end != text.data() + text.size() || number < minimum ||
            number > maximum) {
          return fmt::format("expected a whole number from {} to {}, found {}", minimum, maximum,
                             text.empty() ? "nothing" : text);
        }
        text = fmt::to_string(number);
        return {};
      },
      "");
}

CLI::Option* one_by_one(CLI::Option* option) {
  return option->expected(1)->allow_extra_args(false)->multi_option_policy(
      CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace sinter::cli
