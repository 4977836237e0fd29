#include "sinter/cli/adapter_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "sinter/base/error.h"
#include "sinter/base/message.h"

namespace sinter::cli {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
namespace {

std::optional<float> parse_weight(std::string_view text) {
  float weight = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return weight;
}

struct Reading {
  fs::path path;
  std::vector<std::string> weights;
};

/// The ways to read the words, the longest file name first.
std::vector<Reading> readings(const std::string& words) {
  std::vector<Reading> result{{words, {}}};
  for (int parts = 1; parts <= 2; ++parts) {
    const std::string rest = result.back().path.string();
    const std::size_t colon = rest.rfind(':');
    if (colon == std::string::npos) break;
    Reading next{rest.substr(0, colon), result.back().weights};
    next.weights.insert(next.weights.begin(), rest.substr(colon + 1));
    result.push_back(std::move(next));
  }
  return result;
}

/// "'a', 'b' and 7 more".
std::string first_few(const std::vector<std::string>& names) {
  constexpr std::size_t kFew = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kFew, names.size()); ++i)
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", shown(names[i]));
  if (names.size() > kFew) text += fmt::format(" and {} more", names.size() - kFew);
  return text;
}

std::string file_name(const adapters::UsedAdapter& used) {
  return shown(used.use.path.filename().string());
}

}  // namespace

adapters::AdapterUse parse_adapter(const std::string& words) {
  const std::vector<Reading> all = readings(words);
  const auto found =
      std::ranges::find_if(all, [](const Reading& reading) { return fs::exists(reading.path); });
  if (found == all.end()) {
    // The name that is left when what looks like weights is taken off.
    const Reading* reading = &all.front();
    for (const Reading& candidate : all)
      if (std::ranges::all_of(candidate.weights, [](const std::string& weight) {
            return parse_weight(weight).has_value();
          }))
        reading = &candidate;
    throw Error(ErrorCode::kIo, fmt::format("there is no {}", shown(reading->path.string())),
                "--lora takes FILE, FILE:WEIGHT or FILE:WEIGHT:TE_WEIGHT");
  }
  std::vector<float> weights;
  for (const std::string& text : found->weights) {
    const std::optional<float> weight = parse_weight(text);
    if (!weight || !std::isfinite(*weight))
      throw Error(ErrorCode::kUsage,
                  fmt::format("the weight of {} is '{}', expected a finite number",
                              shown(found->path.string()), shown(text)),
                  "--lora takes FILE, FILE:WEIGHT or FILE:WEIGHT:TE_WEIGHT");
    weights.push_back(*weight);
  }
  adapters::AdapterUse use{.path = found->path, .strength = {}};
  if (!weights.empty()) use.strength = {.unet = weights.front(), .text = weights.back()};
  return use;
}

std::shared_ptr<adapters::Adaptation> add_adapters(const std::vector<adapters::AdapterUse>& uses,
                                                   bool widen, convert::ConvertOptions& request) {
  if (uses.empty()) return nullptr;
  auto adaptation = std::make_shared<adapters::Adaptation>(uses);
  for (const adapters::UsedAdapter& used : adaptation->used())
    request.merged.push_back({.file = used.file,
                              .weight = used.use.strength.unet,
                              .text_weight = used.use.strength.text});
  const bool wide = widen && request.precision == convert::Precision::kF32;
  request.computed.push_back(
      [adaptation, wide](const weights::Checkpoint& checkpoint, const arch::Model& model) {
        return adaptation->merge(checkpoint, model, {.widen = wide});
      });
  return adaptation;
}

std::vector<std::string> adapter_lines(const adapters::Adaptation& adaptation) {
  std::vector<std::string> lines;
  for (const adapters::UsedAdapter& used : adaptation.used()) {
    std::string components;
    for (const auto& [component, count] : used.report.applied_by_component)
      components += fmt::format("{}{} {}", components.empty() ? "" : ", ", component, count);
    const adapters::Strength& strength = used.use.strength;
    const std::string weights = strength.unet == strength.text
                                    ? fmt::format("{}", strength.unet)
                                    : fmt::format("{}, text {}", strength.unet, strength.text);
    lines.push_back(fmt::format("{} at {}: {} of {} applied ({})", file_name(used), weights,
                                used.report.applied, counted(used.report.modules, "module"),
                                components));
  }
  return lines;
}

std::vector<std::string> adapter_warnings(const adapters::Adaptation& adaptation) {
  std::vector<std::string> warnings;
  for (const adapters::UsedAdapter& used : adaptation.used()) {
    const adapters::MatchReport& report = used.report;
    if (!report.unknown.empty())
      warnings.push_back(fmt::format("{}: {} not in the checkpoint: {}", file_name(used),
                                     counted(report.unknown.size(), "module"),
                                     first_few(report.unknown)));
    if (!report.wrong_shape.empty())
      warnings.push_back(fmt::format("{}: {} not applied, the first: {}", file_name(used),
                                     counted(report.wrong_shape.size(), "module"),
                                     report.wrong_shape.front().reason));
    if (!report.stray.empty())
      warnings.push_back(fmt::format("{}: {} not of any module: {}", file_name(used),
                                     counted(report.stray.size(), "tensor"),
                                     first_few(report.stray)));
  }
  return warnings;
}

Json adapters_json(const adapters::Adaptation& adaptation) {
  Json all = Json::array();
  for (const adapters::UsedAdapter& used : adaptation.used()) {
    const adapters::MatchReport& report = used.report;
    Json wrong = Json::array();
    for (const adapters::Misfit& misfit : report.wrong_shape)
      wrong.push_back({{"module", misfit.module}, {"reason", misfit.reason}});
    all.push_back({{"file", used.use.path.string()},
                   {"weight", used.use.strength.unet},
                   {"text_weight", used.use.strength.text},
                   {"identity", used.identity},
                   {"modules", report.modules},
                   {"applied", report.applied},
                   {"components", report.applied_by_component},
                   {"unknown", report.unknown},
                   {"wrong_shape", wrong},
                   {"stray", report.stray}});
  }
  return all;
}

}  // namespace sinter::cli
