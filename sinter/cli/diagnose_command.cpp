#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/cli/command.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/language_option.h"
#include "sinter/diagnose/log/diagnosis.h"

namespace sinter::cli {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using diagnose::Language;
using diagnose::Text;
using diagnose::log::Diagnosis;
using diagnose::log::Fault;
using diagnose::log::LogReader;
using diagnose::log::Side;
namespace {

struct Options {
  std::string path;
  std::string language = "en";
  bool all = false;
  bool json = false;
};

constexpr std::size_t kPiece = std::size_t{1} << 20;

void read_stream(std::istream& input, LogReader& reader) {
  std::string piece(kPiece, '\0');
  while (input) {
    input.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    reader.feed(std::string_view(piece).substr(0, static_cast<std::size_t>(input.gcount())));
  }
}

void read_file(const std::string& path, LogReader& reader) {
  const MappedFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  for (std::size_t done = 0; done < bytes.size(); done += kPiece) {
    const std::span<const std::byte> piece =
        bytes.subspan(done, std::min(kPiece, bytes.size() - done));
    reader.feed({reinterpret_cast<const char*>(piece.data()), piece.size()});
    file.forget(done, piece.size());
  }
}

Diagnosis read(const std::string& path) {
  LogReader reader;
  if (path == "-") {
    read_stream(std::cin, reader);
  } else if (fs::is_fifo(path) || fs::is_character_file(path)) {
    std::ifstream input(path, std::ios::binary);
    if (!input) throw Error(ErrorCode::kIo, fmt::format("cannot open '{}'", path));
    read_stream(input, reader);
  } else {
    read_file(path, reader);
  }
  return reader.finish();
}

Json text_or_null(std::string_view text) { return text.empty() ? Json(nullptr) : Json(text); }

Json side_json(Side side) {
  switch (side) {
    case Side::kModel:
      return "model";
    case Side::kData:
      return "data";
    case Side::kUnknown:
      break;
  }
  return nullptr;
}

Json to_json(const Fault& fault, Language language) {
  std::string meaning = fault.meaning.in(language);
  for (const auto& note : fault.notes) meaning += " " + note.in(language);
  Json json{{"domain", domain_name(fault.domain)},
            {"cause", fault.cause},
            {"root_exception", fault.root_exception},
            {"component", fault.component},
            {"operator", text_or_null(fault.operation)},
            {"argument", text_or_null(fault.argument)},
            {"side", side_json(fault.side)},
            {"meaning", meaning},
            {"fixes", Json::array()},
            {"confirm", text_or_null(fault.confirm.in(language))},
            {"evidence", Json::array()}};
  for (const Text& fix : fault.fixes) json["fixes"].push_back(fix.in(language));
  for (const auto& line : fault.evidence)
    json["evidence"].push_back({{"line", line.line}, {"text", line.text}});
  return json;
}

struct Labels {
  Text nothing{"No fault found in {} lines.", "共 {} 行，没有发现问题。"};
  Text where{"where", "位置"};
  Text operation{"operator", "算子"};
  Text argument{"argument", "参数"};
  Text side{"wrong side", "出错一侧"};
  Text model{"a parameter of the model", "模型参数"};
  Text data{"the data", "输入数据"};
  Text meaning{"meaning", "含义"};
  Text fixes{"fixes", "解决办法"};
  Text confirm{"to confirm", "确认方法"};
  Text evidence{"evidence", "依据"};
  Text line{"line", "第"};
  Text more{"{} more in this log; --all lists them.", "日志中还有 {} 个问题，用 --all 全部列出。"};
};
constexpr Labels kLabels;

void print_row(const Text& label, std::string_view text, Language language) {
  if (text.empty()) return;
  // A Chinese character is two columns wide.
  const std::string_view word = label.in(language);
  const std::size_t width = language == Language::kChinese ? word.size() / 3 * 2 : word.size();
  fmt::print("  {}{}{}\n", word, std::string(12 - std::min<std::size_t>(width, 11), ' '), text);
}

void print_fault(const Fault& fault, Language language) {
  fmt::print("{}: {}\n", domain_name(fault.domain), fault.root_exception);
  print_row(kLabels.where, fault.component, language);
  print_row(kLabels.operation, fault.operation, language);
  print_row(kLabels.argument, fault.argument, language);
  if (fault.side != Side::kUnknown)
    print_row(kLabels.side,
              (fault.side == Side::kModel ? kLabels.model : kLabels.data).in(language), language);
  print_row(kLabels.meaning, fault.meaning.in(language), language);
  for (const auto& note : fault.notes) print_row({" ", "   "}, note.in(language), language);
  for (std::size_t i = 0; i < fault.fixes.size(); ++i)
    print_row(i == 0 ? kLabels.fixes : Text{" ", "   "},
              fmt::format("{}. {}", i + 1, fault.fixes[i].in(language)), language);
  print_row(kLabels.confirm, fault.confirm.in(language), language);
  for (std::size_t i = 0; i < fault.evidence.size(); ++i)
    print_row(i == 0 ? kLabels.evidence : Text{" ", "   "},
              fmt::format("{}: {}", fault.evidence[i].line, fault.evidence[i].text), language);
}

int run(const Options& options) {
  const Language language = language_named(options.language);
  const Diagnosis diagnosis = read(options.path);
  if (options.json) {
    Json json{{"faults", Json::array()}, {"lines", diagnosis.lines}};
    for (const Fault& fault : diagnosis.faults) json["faults"].push_back(to_json(fault, language));
    print_json(json);
  } else if (diagnosis.faults.empty()) {
    fmt::print(fmt::runtime(kLabels.nothing.in(language)), diagnosis.lines);
    fmt::print("\n");
  } else {
    const std::size_t shown = options.all ? diagnosis.faults.size() : 1;
    for (std::size_t i = 0; i < shown; ++i) {
      if (i > 0) fmt::print("\n");
      print_fault(diagnosis.faults[i], language);
    }
    if (shown < diagnosis.faults.size()) {
      fmt::print("\n");
      fmt::print(fmt::runtime(kLabels.more.in(language)), diagnosis.faults.size() - shown);
      fmt::print("\n");
    }
  }
  return diagnosis.faults.empty() ? kDone : kFindings;
}

}  // namespace

Run declare_diagnose(CLI::App& app) {
  auto options =
      std::make_shared<Options>();  // shared by the parser's bindings and the returned function
  app.add_option("log", options->path, "a log file of any program, or - for standard input")
      ->required();
  declare_language(app, options->language);
  app.add_flag("--all", options->all, "every independent fault, not only the first");
  app.add_flag("--json", options->json, "print the result as JSON");
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
