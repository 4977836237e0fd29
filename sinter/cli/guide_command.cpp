#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sinter/base/process.h"
#include "sinter/cli/command.h"
#include "sinter/cli/failure.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/language_option.h"
#include "sinter/diagnose/guide/guide.h"

namespace sinter::cli {
using Json = nlohmann::ordered_json;
using diagnose::Language;
using diagnose::Text;
namespace guide = diagnose::guide;
namespace {

struct Options {
  std::string topic;
  std::string language = "en";
  bool json = false;
};

namespace labels {
constexpr Text kCheck{"check:   ", "检查："};
constexpr Text kCommand{"command: ", "命令："};
constexpr Text kFailure{"failing: ", "失败说明："};
constexpr Text kTruth{"true: ", "事实："};
constexpr Text kTopics{"Topics of sinter guide TOPIC:", "主题（sinter guide TOPIC）："};
constexpr Text kDomain{"Fault domain: ", "故障领域："};
constexpr Text kLook{"Look at these steps, the likeliest first:",
                     "按可能性从高到低，查看这些步骤："};
constexpr Text kPrompt{"number, b back, q quit: ", "输入序号，b 返回，q 退出："};
}  // namespace labels

void print_step(const guide::Step& step, Language language) {
  fmt::print("{:>2}. {} ({})\n", step.number, step.title.in(language), step.name);
  fmt::print("    {}{}\n", labels::kCheck.in(language), step.check.in(language));
  fmt::print("    {}{}\n", labels::kCommand.in(language), step.command);
  fmt::print("    {}{}\n", labels::kFailure.in(language), step.failure.in(language));
}

void print_triage(Language language) {
  for (const guide::Triage& row : guide::triage()) {
    fmt::print("{:>2}. {}\n    {}{}\n    {}\n", row.number, row.question.in(language),
               labels::kCommand.in(language), row.command, row.then.in(language));
  }
}

void print_topic(std::string_view topic, Language language) {
  if (topic == "checklist") {
    for (const guide::Step& step : guide::checklist()) print_step(step, language);
  } else if (topic == "triage") {
    print_triage(language);
  } else if (topic == "myths") {
    for (const guide::Myth& myth : guide::myths())
      fmt::print("- {}\n  {}{}\n", myth.said.in(language), labels::kTruth.in(language),
                 myth.truth.in(language));
  } else {
    print_step(*guide::find_step(topic), language);
  }
}

void print_topics(Language language) {
  fmt::print("{}\n", labels::kTopics.in(language));
  for (const guide::Topic& topic : guide::topics())
    fmt::print("  {:<14} {}\n", topic.name, topic.title.in(language));
}

Json to_json(const guide::Step& step, Language language) {
  return {{"number", step.number},
          {"name", step.name},
          {"title", step.title.in(language)},
          {"check", step.check.in(language)},
          {"command", step.command},
          {"failure", step.failure.in(language)}};
}

/// What the topic holds; everything without one.
Json to_json(const std::string& topic, Language language) {
  Json json{{"topic", topic.empty() ? Json(nullptr) : Json(topic)},
            {"checklist", Json::array()},
            {"triage", Json::array()},
            {"myths", Json::array()}};
  for (const guide::Step& step : guide::checklist())
    if (topic.empty() || topic == "checklist" || topic == step.name)
      json["checklist"].push_back(to_json(step, language));
  if (topic.empty() || topic == "triage")
    for (const guide::Triage& row : guide::triage())
      json["triage"].push_back({{"number", row.number},
                                {"question", row.question.in(language)},
                                {"command", row.command},
                                {"then", row.then.in(language)}});
  if (topic.empty() || topic == "myths")
    for (const guide::Myth& myth : guide::myths())
      json["myths"].push_back(
          {{"said", myth.said.in(language)}, {"truth", myth.truth.in(language)}});
  return json;
}

/// The number of answers that a question has.
std::size_t count_answers(const guide::Question& question) {
  std::size_t count = 0;
  while (count < question.answers.size() && !question.answers[count].text.english.empty()) ++count;
  return count;
}

void show_steps(const guide::Answer& answer, Language language) {
  fmt::print("\n{}{}\n", labels::kDomain.in(language), answer.domain);
  fmt::print("{}\n\n", labels::kLook.in(language));
  for (const std::string_view name : answer.steps)
    if (!name.empty()) print_step(*guide::find_step(name), language);
}

/// Asks until the answers lead to steps of the checklist.
void interview(Language language) {
  std::vector<int> path{0};
  while (!path.empty()) {
    const guide::Question& question = guide::questions()[static_cast<std::size_t>(path.back())];
    const std::size_t count = count_answers(question);
    fmt::print("\n{}\n", question.text.in(language));
    for (std::size_t i = 0; i < count; ++i)
      fmt::print("  {}) {}\n", i + 1, question.answers[i].text.in(language));
    fmt::print("{}", labels::kPrompt.in(language));
    std::fflush(stdout);
    std::string word;
    if (!std::getline(std::cin, word) || word == "q") return;
    if (word == "b") {
      path.pop_back();
      continue;
    }
    if (word.size() != 1 || word[0] < '1' || word[0] >= static_cast<char>('1' + count)) continue;
    const guide::Answer& answer = question.answers[static_cast<std::size_t>(word[0] - '1')];
    if (answer.next < 0) return show_steps(answer, language);
    path.push_back(answer.next);
  }
}

int run(const Options& options) {
  const Language language = language_named(options.language);
  if (!options.topic.empty()) {
    std::vector<std::string_view> names;
    for (const guide::Topic& topic : guide::topics()) names.push_back(topic.name);
    require_known("topic", options.topic, names);
  }
  if (options.json) {
    print_json(to_json(options.topic, language));
  } else if (!options.topic.empty()) {
    print_topic(options.topic, language);
  } else if (interactive()) {
    interview(language);
  } else {
    print_triage(language);
    fmt::print("\n");
    print_topics(language);
  }
  return kDone;
}

}  // namespace

Run declare_guide(CLI::App& app) {
  auto options =
      std::make_shared<Options>();  // shared by the parser's bindings and the returned function
  app.add_option("topic", options->topic,
                 "checklist, triage, myths, or the name of a step; without one questions are asked "
                 "in a terminal");
  declare_language(app, options->language);
  app.add_flag("--json", options->json, "print the result as JSON");
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
