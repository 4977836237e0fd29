#include "sinter/diagnose/log/lines.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace sinter::diagnose::log {
namespace {

// Colours as terminals take them, as other programs spell the escape character, and without it.
std::string without_escapes(std::string_view raw) {
  static const RE2 kEscape(
      "\x1b\\[[0-9;?]*[A-Za-z]"                // a control sequence
      "|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)"  // a title or a link
      "|\x1b[()][A-Z0-9]");
  static const RE2 kRemnant(R"((?:\x1b|\\x1b|\\u001[bB]|\\033|\\e|\^\[|←|␛)?\[[0-9;]{1,12}[mK])");
  std::string text(raw);
  std::erase(text, '\0');
  std::erase(text, '\a');
  if (text.find('\x1b') != text.npos) RE2::GlobalReplace(&text, kEscape, "");
  if (text.find('[') != text.npos && (text.find("m") != text.npos || text.find("K") != text.npos))
    RE2::GlobalReplace(&text, kRemnant, "");
  std::erase(text, '\x1b');
  return text;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// Takes the bar of tqdm and its like from the start: "Steps:  17%|█▋   | 5/30 [00:11<01:08]".
bool without_bar(std::string& text) {
  if (text.find('%') == text.npos || text.find('[') == text.npos) return false;
  static const RE2 kBar(
      R"(^.{0,80}?\d{1,3}%[^\[]{0,400}\[[^\]]{0,200}(?:it/s|s/it|B/s|steps?/s|s/step|\d<[\d:?]+)[^\]]{0,400}\])");
  re2::StringPiece rest(text);
  if (!RE2::Consume(&rest, kBar)) return false;
  // A loss that is no number stands in the bar.
  if (text.find("nan") < text.size() - rest.size()) return false;
  text = std::string(rest);
  return true;
}

struct LevelName {
  std::string_view name;
  Level level;
};
constexpr std::array kLevels{
    LevelName{"DEBUG", Level::kInfo},      LevelName{"INFO", Level::kInfo},
    LevelName{"VERBOSE", Level::kInfo},    LevelName{"I", Level::kInfo},
    LevelName{"V", Level::kInfo},          LevelName{"INTERNAL_ERROR", Level::kError},
    LevelName{"WARNING", Level::kWarning}, LevelName{"WARN", Level::kWarning},
    LevelName{"W", Level::kWarning},       LevelName{"ERROR", Level::kError},
    LevelName{"E", Level::kError},         LevelName{"F", Level::kError},
    LevelName{"CRITICAL", Level::kError},  LevelName{"FATAL", Level::kError}};

Level level_of(std::string_view name) {
  for (const LevelName& row : kLevels)
    if (row.name == name) return row.level;
  return Level::kNone;
}

// What stands before a message and says nothing of the fault. The one group is the level.
struct Prefix {
  std::unique_ptr<RE2> pattern;
  bool carrier = false;  // what carries a program's output marks each line of it, not each record
};

struct PrefixRow {
  std::string_view pattern;
  bool carrier = false;
};

const std::vector<Prefix>& prefixes() {
  static const auto table = [] {
    constexpr PrefixRow kRows[] = {
        // the kubelet's files
        {R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d) std(?:out|err) [FP]()(?: |$))",
         true},
        // times: 2024-08-22T10:38:52.67Z, [02/09/2023-08:26:09], 02:54:15-632812, (12.345)
        {R"(\[?\d{4}[-/.]\d\d[-/.]\d\d[T _-]{1,2}\d\d:\d\d:\d\d(?:[.,:]\d+)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?\]?()(?:\s?- |\s?: )?)"},
        {R"(\[?\d\d/\d\d/\d{4}[- ]\d\d:\d\d:\d\d\]?()(?: - )?)"},
        {R"(\[\d\d-\d\d-\d{4} \d\d:\d\d:\d\d\]?())"},
        {R"(\[?\d\d:\d\d:\d\d(?:[-.,]\d+)?\]?()(?:\s|$))"},
        {R"(\[\d\d:\d\d:\d\d() )"},
        // journald and syslog
        {R"([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [\w./@:-]+(?:\[\d+\])?:()(?: |$))", true},
        // docker compose, torchrun, mpirun, ray, kubectl
        {R"([A-Za-z][\w.]*[-_][\w.-]*\d*\s*\|()(?: |$))", true},
        {R"([a-z][\w.-]{1,30}\s{2,}\|()(?: |$))", true},
        {R"(\[(?:rank|default|worker|Rank )\d+\]:?())", true},
        {R"(\[\d+,\d+\]<std(?:err|out)>:())", true},
        {R"(\((?:\w+ )?pid=\d+(?:, ip=[\d.]+)?\)())", true},
        // loggers
        {R"(\[[\w.-]+\.py:\d+(?::\w+)?\]())"},
        {R"(\|?\s*(DEBUG|INFO|WARNING|ERROR|CRITICAL)\s*\| [\w.<>]+:[\w<>]+:\d+ - )"},
        {R"((?:::)?\[[\w-]+\]::(DEBUG|INFO|WARNING|ERROR|CRITICAL) -->)"},
        {R"((?:- )?(DEBUG|INFO|WARNING|ERROR|CRITICAL) - [\w.]+ - )"},
        {R"((?:- )?[\w.]+ - (DEBUG|INFO|WARNING|ERROR|CRITICAL) - )"},
        {R"((DEBUG|INFO|WARNING|ERROR|CRITICAL):[\w.]*:)"},
        {R"(\[(TRACE|DEBUG|INFO|WARNING|WARN|ERROR|FATAL|CRITICAL)\]:?)"},
        {R"(\[\w[\w./ -]{0,40}\] (WARNING|ERROR|INTERNAL_ERROR|INFO|VERBOSE): )"},
        {R"((WARNING|WARN|ERROR|INFO|FATAL|CRITICAL|DEBUG)\](?: |$))"},
        {R"((WARNING|WARN|ERROR|FATAL|CRITICAL)(?:: |\s{2,}| - ))"},
        {R"([A-Z][A-Z_ ]{2,20}: (WARNING|ERROR)!? )"},
        {R"((INFO|DEBUG)(?:: |\s{2,}| - ))"},
        {R"((?:- )?(WARNING|ERROR|INFO|CRITICAL): )"},
        {R"((ERROR|WARNING|WARN|INFO) )"},
        {R"(\[([EWIVF])\](?: |$))"},
        {R"(\[TRT\]()(?: |$))"},
        {R"(\[TensorRT\] ([A-Z_]+): )"},
        {R"(\[([EWIVF]):onnxruntime:[^\]]*\])"},
        {R"(\[?([EWIF])\d{4} \d\d:\d\d:\d\d\.\d+(?:\s+\d+)? [\w./-]+:\d+\](?: |$))"},
        // uvicorn, gunicorn
        {R"(\[\d+\] \[(INFO|WARNING|ERROR|CRITICAL)\](?: |$))"},
    };
    std::vector<Prefix> compiled;
    for (const PrefixRow& row : kRows)
      compiled.push_back(
          {std::make_unique<RE2>("^(?:" + std::string(row.pattern) + ")"), row.carrier});
    return compiled;
  }();
  return table;
}

/// One alternation over all of them, so that most lines cost a single look.
const RE2& any_prefix() {
  static const RE2 pattern([] {
    std::string all = "^(?:";
    for (const Prefix& prefix : prefixes())
      all += (all.size() > 4 ? "|" : "") + prefix.pattern->pattern();
    return all + ")";
  }());
  return pattern;
}

/// Rich's logger leaves the column of the time empty where it has not changed.
bool is_record_in_column(std::string_view text) {
  static const RE2 kLevel(R"(^(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\s{2,}\S)");
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), kLevel);
}

void take_prefixes(Line& line) {
  bool marked = false;
  for (int round = 0; round < 6; ++round) {
    re2::StringPiece text(line.text);
    const std::size_t indent = std::min(line.text.find_first_not_of(' '), line.text.size());
    text.remove_prefix(indent);
    // Deep indentation belongs to the message; a prefix stands at the margin.
    if (indent > (marked ? 8U : 1U) &&
        !(indent >= 8 && is_record_in_column({text.data(), text.size()})))
      return;
    if (!RE2::PartialMatch(text, any_prefix())) {
      if (marked && round > 0 && indent == 1 && !line.carried) line.text.erase(0, 1);
      return;
    }
    for (const Prefix& prefix : prefixes()) {
      re2::StringPiece level;
      re2::StringPiece rest = text;
      if (!RE2::Consume(&rest, *prefix.pattern, &level)) continue;
      if (const Level found = level_of(std::string_view(level.data(), level.size()));
          found != Level::kNone)
        line.level = found;
      marked = true;
      (prefix.carrier ? line.carried : line.stamped) = true;
      // One blank belongs to the prefix; more is indentation of what is quoted.
      if (rest.starts_with(" ")) rest.remove_prefix(1);
      line.text = std::string(rest);
      break;
    }
  }
}

constexpr std::string_view kBoxSides[] = {"│", "┃", "║", "¦", "â”‚"};

/// Takes the sides of a drawn frame; its top and bottom become what is written in them.
void take_box(Line& line) {
  const std::size_t begin = line.text.find_first_not_of(' ');
  if (begin == line.text.npos) return;
  const std::string_view text = std::string_view(line.text).substr(begin);
  for (const std::string_view side : kBoxSides) {
    if (!text.starts_with(side)) continue;
    std::string_view inside = text.substr(side.size());
    while (inside.ends_with(' ')) inside.remove_suffix(1);
    if (inside.ends_with(side)) inside.remove_suffix(side.size());
    while (inside.ends_with(' ')) inside.remove_suffix(1);
    std::string kept(inside.starts_with(' ') ? inside.substr(1) : inside);
    // Rich draws the indentation of source lines too.
    replace_all(kept, std::string(side) + "   ", "    ");
    line.text = std::move(kept);
    line.boxed = true;
    return;
  }
  // The margin of Python's exception groups, and Rich's frame in ASCII.
  static const RE2 kMargin(R"(^\s{0,40}\| (.*?)\s*\|?$)");
  std::string quoted;
  if (text.starts_with('|') && RE2::FullMatch(line.text, kMargin, &quoted)) {
    line.text = quoted;
    return;
  }
  static const RE2 kEdge(R"(^[╭╰┌└╔╚┏┗+]?(?:[─━═]|â”€){2,}\s*(.*?)\s*(?:[─━═]|â”€)*[╮╯┐┘╗╝┓┛+]?$)");
  std::string title;
  if (RE2::FullMatch(std::string(text), kEdge, &title)) {
    line.text = title;
    line.boxed = true;
  }
}

/// Where a paste has lost its newlines but kept the blanks that filled a console's lines.
std::string break_at_gaps(const std::string& text) {
  constexpr std::size_t kShortest = 120;
  static const RE2 kGap(R"((\S) {24,}(\S))");
  static const RE2 kColumn(R"( {24,}\S+\.py:\d+$)");
  if (text.size() < kShortest || RE2::PartialMatch(text, kColumn)) return text;
  std::string broken = text;
  RE2::GlobalReplace(&broken, kGap, "\\1\n\\2");
  return broken;
}

std::vector<std::string> pieces_of(const std::string& broken) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= broken.size()) {
    const std::size_t end = std::min(broken.find('\n', begin), broken.size());
    std::string part = broken.substr(begin, end - begin);
    if (part.find_first_not_of(' ') != part.npos) parts.push_back(std::move(part));
    begin = end + 1;
  }
  return parts;
}

/// Where a paste has lost its newlines: a traceback whose frames follow each other on one line.
std::vector<std::string> split_collapsed(const std::string& text) {
  static const RE2 kFrame(R"re(File "[^"]+", line \d+)re");
  static const RE2 kHeader(R"(Traceback \(most recent call last\):\s*\S)");
  re2::StringPiece rest(text);
  int frames = 0;
  while (frames < 2 && RE2::FindAndConsume(&rest, kFrame)) ++frames;
  if (frames < 2 && !(frames == 1 && RE2::PartialMatch(text, kHeader))) {
    const std::string lines = break_at_gaps(text);
    return lines.size() == text.size() ? std::vector<std::string>{text} : pieces_of(lines);
  }
  std::string broken = text;
  RE2::GlobalReplace(&broken, R"re(\s*(Traceback \(most recent call last\):))re", "\n\\1");
  RE2::GlobalReplace(&broken, R"re(\s*(File "[^"]+", line \d+(?:, in (?:<?[\w.]+>?))?))re",
                     "\n  \\1\n    ");
  RE2::GlobalReplace(
      &broken,
      R"(\s*(During handling of the above exception, another exception occurred:|The above exception was the direct cause of the following exception:))",
      "\n\n\\1\n\n");
  RE2::GlobalReplace(
      &broken, R"(\s+((?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Warning)(?:: |$)))",
      "\n\\1");
  return pieces_of(broken);
}

/// Newlines that JSON or repr() wrote as two characters.
bool unescape(std::string& text) {
  if (text.find("\\n") == text.npos) return false;
  const bool trace =
      text.find("Traceback (most recent") != text.npos || text.find("\\n  File ") != text.npos;
  if (!trace) return false;
  replace_all(text, "\\\\n", "\n");
  replace_all(text, "\\n", "\n");
  replace_all(text, "\\\"", "\"");
  replace_all(text, "\\'", "'");
  return true;
}

void append_piece(std::string piece, std::size_t number, std::size_t further,
                  std::vector<Line>& lines) {
  const bool bar = without_bar(piece);
  if (bar && piece.find_first_not_of(" \t\r") == piece.npos) return;
  Line line{.number = number, .further = further, .text = std::move(piece)};
  replace_all(line.text, "\t", "    ");
  replace_all(line.text, "\xc2\xa0", " ");
  // A quotation, as mails and threads mark it.
  if (line.text.starts_with("> ")) line.text.erase(0, 2);
  // Pastes through word processors.
  replace_all(line.text, "\u201c", "\"");
  replace_all(line.text, "\u201d", "\"");
  // Colab's frames are links.
  static const RE2 kLink(R"(^\[([^\]]+)\]\(https?://[^)]*\))");
  if (line.text.starts_with('[')) RE2::Replace(&line.text, kLink, "\\1");
  take_prefixes(line);
  take_box(line);
  if (without_bar(line.text) && line.text.find_first_not_of(' ') == line.text.npos) return;
  const std::size_t end = line.text.find_last_not_of(" \r");
  line.text.resize(end == line.text.npos ? 0 : end + 1);
  bool first = true;
  for (std::string& part : split_collapsed(line.text)) {
    Line copy = line;
    copy.text = std::move(part);
    copy.stamped = line.stamped && first;
    first = false;
    lines.push_back(std::move(copy));
  }
}

}  // namespace

void append_lines(std::string_view raw, std::size_t number, std::vector<Line>& lines,
                  std::size_t further) {
  while (raw.ends_with('\r')) raw.remove_suffix(1);
  std::string text = without_escapes(raw);
  unescape(text);
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    append_piece(text.substr(begin, end - begin), number, further, lines);
    begin = end + 1;
  }
}

}  // namespace sinter::diagnose::log
