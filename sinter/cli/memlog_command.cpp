#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/cli/command.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/language_option.h"
#include "sinter/cli/log_input.h"
#include "sinter/diagnose/memory/memory_log.h"
#include "sinter/diagnose/memory/trace_reader.h"

namespace sinter::cli {
using Json = nlohmann::ordered_json;
using diagnose::Language;
using diagnose::Text;
using diagnose::memory::Kind;
using diagnose::memory::Report;
namespace {

struct Options {
  std::string path;
  std::string language = "en";
  bool json = false;
};

struct Line {
  std::size_t number;
  std::string text;
};

/// The lines of those numbers (from 1, rising).
std::vector<Line> lines_of(std::string_view text, const std::vector<std::size_t>& numbers) {
  constexpr std::size_t kLongest = 240;
  std::vector<Line> lines;
  std::size_t number = 1;
  std::size_t at = 0;
  for (const std::size_t wanted : numbers) {
    for (; number < wanted && at < text.size(); ++number)
      at = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    lines.push_back({wanted, std::string(line.substr(0, kLongest))});
  }
  return lines;
}

Json models(const std::vector<diagnose::memory::Model>& list) {
  Json json = Json::object();
  for (const auto& [name, mb] : list) json[name] = mb ? Json(*mb) : Json(nullptr);
  return json;
}

Json to_json(const Options& options, const Report& report, const std::vector<Line>& lines,
             Language language) {
  Json evidence = Json::object();
  for (const auto& [name, value] : report.numbers) evidence[std::string(name)] = value;
  if (const auto stage = stage_name(report.stage); !stage.empty()) evidence["stage"] = stage;
  if (!report.rounds_hit.empty()) evidence["rounds_hit"] = report.rounds_hit;
  if (report.kind == Kind::kSeveralModels) {
    evidence["resident_mb"] = models(report.resident);
    evidence["next"] = models(report.next);
  }
  evidence["unit"] = "MB = 2^20";
  evidence["lines"] = Json::array();
  for (const Line& line : lines)
    evidence["lines"].push_back({{"line", line.number}, {"text", line.text}});
  const diagnose::memory::KindFacts& facts = report.facts();
  Json cures = Json::array();
  for (const Text& cure : report.cures()) cures.push_back(cure.in(language));
  Json json{{"file", options.path},
            {"class", facts.name},
            {"evidence", std::move(evidence)},
            {"first_failing_round", nullptr},
            {"meaning", facts.meaning.in(language)},
            {"cause", report.cause().in(language)},
            {"suggestion", cures.empty() ? Json(report.cause().in(language)) : cures.front()},
            {"cures", std::move(cures)}};
  if (report.first_failing_round) json["first_failing_round"] = *report.first_failing_round;
  return json;
}

void print(const Report& report, const std::vector<Line>& lines, Language language) {
  const bool chinese = language == Language::kChinese;
  const diagnose::memory::KindFacts& facts = report.facts();
  fmt::print("{}{}{}\n", facts.name, chinese ? "：" : ": ", facts.meaning.in(language));
  if (report.first_failing_round) {
    const double round = *report.first_failing_round;
    if (round < 1) {
      fmt::print("  {}\n", chinese ? "在第一轮之前失败" : "failed before the first round");
    } else {
      fmt::print("  {}{}\n", chinese ? "首次失败的轮次：" : "first failing round: ", round);
    }
  }
  if (const auto stage = stage_name(report.stage); !stage.empty())
    fmt::print("  {}{}\n", chinese ? "阶段：" : "stage: ", stage);
  for (const auto& [name, value] : report.numbers) fmt::print("  {}: {}\n", name, value);
  for (const auto& [name, mb] : report.resident)
    if (report.kind == Kind::kSeveralModels)
      fmt::print("  {}{}{}\n", chinese ? "已在 GPU 上：" : "resident: ", name,
                 mb ? fmt::format(": {} MB", *mb) : "");
  for (const auto& [name, mb] : report.next)
    if (report.kind == Kind::kSeveralModels)
      fmt::print("  {}{}\n", chinese ? "放不下的模型：" : "found no room: ", name);
  for (const Line& line : lines) fmt::print("  {:>6} | {}\n", line.number, line.text);
  fmt::print("  {}{}\n", chinese ? "可能原因：" : "probable cause: ", report.cause().in(language));
  for (const Text& cure : report.cures()) fmt::print("    - {}\n", cure.in(language));
}

int run(const Options& options) {
  const Language language = language_named(options.language);
  const LogInput input(options.path);
  diagnose::memory::TraceReader reader;
  reader.feed(input.text());
  const Report report = judge(reader.finish());
  if (!report.measured) {
    throw Error(
        ErrorCode::kBadFile,
        fmt::format("{} says nothing about GPU memory",
                    options.path == "-" ? "standard input" : options.path),
        "expected are figures after each round (allocated=2.1GB), memory_summary() tables, "
        "nvidia-smi output or an out-of-memory error; other errors are for sinter diagnose");
  }
  const std::vector<Line> lines = lines_of(input.text(), report.lines);
  if (options.json) {
    print_json(to_json(options, report, lines, language));
  } else {
    print(report, lines, language);
  }
  return report.kind == Kind::kHealthy ? kDone : kFindings;
}

}  // namespace

Run declare_memlog(CLI::App& app) {
  auto options =
      std::make_shared<Options>();  // shared by the parser's bindings and the returned function
  app.add_option("log", options->path, "a log, or - for standard input")->required();
  declare_language(app, options->language);
  app.add_flag("--json", options->json, "print the result as JSON");
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
