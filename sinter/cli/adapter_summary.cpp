#include "sinter/cli/adapter_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "sinter/base/message.h"

namespace sinter::cli {
namespace {

constexpr std::size_t kMostNumbers = 8;  // of different ranks, in text

template <typename Number>
std::string listed(const std::set<Number>& numbers) {
  if (numbers.size() > kMostNumbers)
    return fmt::format("{} to {}", *numbers.begin(), *numbers.rbegin());
  return fmt::format("{}", fmt::join(numbers, ", "));
}

std::string counts(const std::map<std::string, std::size_t>& parts) {
  std::string text;
  for (const auto& [name, count] : parts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> summary_lines(
    const adapters::AdapterSummary& summary) {
  std::vector<std::pair<std::string, std::string>> lines;
  lines.emplace_back("modules",
                     fmt::format("{} ({})", summary.modules, counts(summary.components)));
  std::string form = counts(summary.forms);
  if (summary.dora > 0) form += fmt::format("; {} with a DoRA scale", summary.dora);
  lines.emplace_back("form", form);
  if (!summary.ranks.empty()) {
    std::string alpha = summary.alphas.empty() ? "none: the rank's own" : listed(summary.alphas);
    lines.emplace_back("rank", fmt::format("{}, alpha {}", listed(summary.ranks), alpha));
  }
  if (summary.stray > 0)
    lines.emplace_back("stray", fmt::format("{} of no module", counted(summary.stray, "tensor")));
  for (const auto& [title, text] : summary.words) lines.emplace_back(title, shown(text));
  return lines;
}

nlohmann::ordered_json summary_json(const adapters::AdapterSummary& summary) {
  nlohmann::ordered_json words = nlohmann::ordered_json::object();
  for (const auto& [title, text] : summary.words) words[title] = text;
  return {{"modules", summary.modules},
          {"components", summary.components},
          {"forms", summary.forms},
          {"dora", summary.dora},
          {"ranks", summary.ranks},
          {"alphas", summary.alphas},
          {"without_alpha", summary.without_alpha},
          {"stray", summary.stray},
          {"words", words}};
}

}  // namespace sinter::cli
