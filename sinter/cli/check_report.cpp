#include "sinter/cli/check_report.h"

#include <fmt/format.h>

#include "sinter/cli/text.h"

namespace sinter::cli {
using check::Finding;
using check::Place;
using check::Severity;
using Json = nlohmann::ordered_json;
namespace {

constexpr std::size_t kShown = 3;  // places of one finding, for people

std::string counted(std::size_t count, const char* word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

std::string spelled(const Place& place) {
  std::string text = place.node;
  if (!place.op.empty()) text += fmt::format("{}({})", text.empty() ? "" : " ", place.op);
  return text;
}

Json to_json(const Finding& finding) {
  Json json{{"severity", check::severity_name(finding.severity)},
            {"rule", finding.rule},
            {"why", finding.why},
            {"do", finding.todo},
            {"count", finding.places.size()},
            {"places", Json::array()}};
  for (const Place& place : finding.places) {
    json["places"].push_back({{"node", place.node}, {"op", place.op}, {"module", place.module}});
  }
  return json;
}

void print(const Finding& finding) {
  print_words(stdout, "  {} [{}] {}\n", check::severity_name(finding.severity), finding.rule,
              finding.why);
  std::size_t shown = 0;
  for (const Place& place : finding.places) {
    const std::string text = spelled(place);
    if (text.empty()) continue;
    if (shown == kShown) {
      print_words(stdout, "      and {} more\n", finding.places.size() - kShown);
      break;
    }
    print_words(stdout, "      {}\n", text);
    ++shown;
  }
  print_words(stdout, "    do: {}\n", finding.todo);
}

}  // namespace

Json to_json(const CheckedGraph& checked) {
  Json json{{"file", checked.file},
            {"target", checked.target->name},
            {"opset", checked.opset},
            {"producer", checked.producer},
            {"contract", checked.contract.empty() ? Json(nullptr) : Json(checked.contract)},
            {"errors", checked.report.count(Severity::kError)},
            {"warnings", checked.report.count(Severity::kWarning)},
            {"notes", checked.report.count(Severity::kNote)},
            {"findings", Json::array()}};
  for (const Finding& finding : checked.report.findings) {
    json["findings"].push_back(to_json(finding));
  }
  return json;
}

void print(const CheckedGraph& checked) {
  const check::Report& report = checked.report;
  print_words(stdout, "{} for {}: {}, {}, {}\n", checked.file, checked.target->title,
              counted(report.count(Severity::kError), "error"),
              counted(report.count(Severity::kWarning), "warning"),
              counted(report.count(Severity::kNote), "note"));
  for (const Finding& finding : report.findings) print(finding);
}

}  // namespace sinter::cli
