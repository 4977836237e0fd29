#include "sinter/diagnose/log/records.h"

#include <re2/re2.h>

#include <algorithm>

#include "sinter/diagnose/log/wrapping.h"

namespace sinter::diagnose::log {
namespace {

/// Rich's logger puts the message in a column and its continuation below it.
constexpr std::size_t kColumn = 16;

/// TensorRT's messages end with the bracket that their "Error Code N: ... (" opened.
bool is_open_bracket(const std::string& text) {
  if (text.find("Error Code ") == text.npos) return false;
  const auto count = [&](char c) { return std::count(text.begin(), text.end(), c); };
  return count('(') > count(')');
}

/// Its parser names the function in one line and what it asserted in the next.
bool is_assertion_of(const Record& record, const Line& line) {
  static const RE2 kPlace(R"( In function \w+:\s*$)");
  static const RE2 kAssertion(R"(^\s*\[\d+\] \S)");
  return line.number <= record.last_line + 1 && RE2::PartialMatch(line.text, kAssertion) &&
         RE2::PartialMatch(record.text, kPlace);
}

bool continues(const Record& record, const Line& line) {
  if (is_assertion_of(record, line)) return true;
  const std::size_t margin = line.text.find_first_not_of(' ');
  if (!line.stamped && margin != line.text.npos && margin > 0 && is_open_bracket(record.text) &&
      line.number <= record.last_line + 1)
    return true;
  if (!record.stamped || line.stamped || line.boxed || record.blank()) return false;
  if (line.number > record.last_line + 1) return false;
  const std::size_t indent = line.text.find_first_not_of(' ');
  if (indent == line.text.npos || indent < kColumn) return false;
  const std::string_view text = std::string_view(line.text).substr(indent);
  return !text.starts_with("File \"") && !text.starts_with("^") && !text.starts_with("~");
}

/// The place in the source that Rich writes at the right edge.
void drop_source_column(std::string& text) {
  static const RE2 kColumnAtRight(R"(\s{2,}[\w-]+\.py:\d+$)");
  RE2::Replace(&text, kColumnAtRight, "");
}

/// A logger marks a record once. Where the calls of a stack carry marks, too, something else marks
/// every line (a container's log, a service's), and the marks say nothing of records.
void unmark_carried(std::vector<Line>& lines) {
  static const RE2 kCall(R"re(^\s+File "[^"]+", line \d)re");
  const bool each = std::any_of(lines.begin(), lines.end(), [](const Line& line) {
    return line.stamped && line.level == Level::kNone && RE2::PartialMatch(line.text, kCall);
  });
  if (!each) return;
  for (Line& line : lines)
    if (line.level == Level::kNone) line.stamped = false;
}

}  // namespace

bool may_continue(const Record& record, const Record& next) {
  constexpr std::size_t kWrapWidth = 70;
  // A comma leaves a sentence open at any width.
  const bool wide = record.text.size() >= kWrapWidth || record.text.ends_with(',');
  return wide && !next.blank() && !next.stamped && next.indent() < 4 &&
         next.first_line <= record.last_line + 1;
}

std::vector<Record> read_records(std::vector<RawLine> raw) {
  std::vector<Line> lines;
  for (const RawLine& line : unwrap(std::move(raw)))
    append_lines(line.text, line.number, lines, line.further);
  unmark_carried(lines);
  std::vector<Record> records;
  for (Line& line : lines) {
    if (line.stamped) drop_source_column(line.text);
    if (!records.empty() && continues(records.back(), line)) {
      Record& record = records.back();
      drop_source_column(line.text);
      record.last_line = line.number + line.further;
      const std::size_t begin = line.text.find_first_not_of(' ');
      if (begin == line.text.npos) continue;  // the place in the source stood alone
      record.text += ' ';
      record.text += line.text.substr(begin);
      continue;
    }
    records.push_back({.first_line = line.number,
                       .last_line = line.number + line.further,
                       .text = std::move(line.text),
                       .level = line.level,
                       .stamped = line.stamped,
                       .boxed = line.boxed});
  }
  return records;
}

}  // namespace sinter::diagnose::log
