#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/base/png_file.h"
#include "sinter/cli/command.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/language_option.h"
#include "sinter/cli/option_rules.h"
#include "sinter/diagnose/picture/check_picture.h"

namespace sinter::cli {
using Json = nlohmann::ordered_json;
using diagnose::Language;
using diagnose::Text;
namespace {

struct Options {
  std::vector<std::string> files;
  std::string language = "en";
  bool json = false;
};

/// A file and what was found, or why it could not be looked at.
struct Checked {
  std::string file;
  std::optional<diagnose::picture::Report> report;
  std::optional<Error> error;
};

Checked check(const std::string& file) {
  try {
    return {file, diagnose::picture::check_picture(read_png(file)), {}};
  } catch (const Error& error) {
    return {file, {}, error};
  }
}

Json to_json(const Checked& checked, Language language) {
  Json json{{"file", checked.file}};
  if (checked.error) {
    json["class"] = nullptr;
    json["fine"] = false;
    json["error"] = checked.error->message();
    return json;
  }
  const diagnose::picture::KindFacts& facts = checked.report->facts();
  json["class"] = facts.name;
  json["fine"] = checked.report->fine();
  json["why"] = checked.report->why(language);
  Json measured = Json::object();
  for (const auto& [name, value] : checked.report->measured) measured[std::string(name)] = value;
  json["measured"] = std::move(measured);
  if (checked.report->fine()) return json;
  json["cause"] = facts.cause.in(language);
  for (const Text& setting : facts.settings) json["settings"].push_back(setting.in(language));
  return json;
}

void print(const Checked& checked, Language language) {
  if (checked.error) {
    fmt::print(stderr, "error: {}\n", checked.error->what());
    return;
  }
  const bool chinese = language == Language::kChinese;
  const diagnose::picture::KindFacts& facts = checked.report->facts();
  fmt::print("{}: {}\n  {}\n", checked.file, facts.name, checked.report->why(language));
  if (checked.report->fine()) return;
  fmt::print("  {}{}\n", chinese ? "可能原因：" : "probable cause: ", facts.cause.in(language));
  fmt::print("  {}\n", chinese ? "解决办法：" : "what cures it:");
  for (const Text& setting : facts.settings) fmt::print("    - {}\n", setting.in(language));
}

int run(const Options& options) {
  const Language language = language_named(options.language);
  Json all = Json::array();
  int status = kDone;
  for (const std::string& file : options.files) {
    const Checked checked = check(file);
    if (checked.error) {
      status = exit_status(checked.error->code());
    } else if (status == kDone && !checked.report->fine()) {
      status = kFindings;
    }
    if (!options.json || checked.error) print(checked, language);
    all.push_back(to_json(checked, language));
  }
  if (options.json) print_json({{"pictures", all}});
  return status;
}

}  // namespace

Run declare_check_image(CLI::App& app) {
  auto options =
      std::make_shared<Options>();  // shared by the parser's bindings and the returned function
  app.add_option("pictures", options->files, "PNG files")->required();
  declare_language(app, options->language);
  app.add_flag("--json", options->json, "print the result as JSON");
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
