#include "sinter/diagnose/log/wrapping.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <string>

namespace sinter::diagnose::log {
namespace {

constexpr std::size_t kNarrowest = 40;  // a terminal is hardly narrower
constexpr std::size_t kWidest = 400;    // nor wider
constexpr std::size_t kWidestAtBlank = 250;
constexpr std::array<std::size_t, 8> kUsualWidths{80, 100, 120, 128, 132, 140, 150, 160};
constexpr int kPlenty = 3;  // so many lines of one width are no chance

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

/// Columns, one for each code point.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

std::string_view without_indent(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

std::string_view without_end(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::string_view first_word(std::string_view text) {
  text = without_indent(text);
  return text.substr(0, std::min(text.find(' '), text.size()));
}

bool is_framed(std::string_view text) {
  static const RE2 kFrame(R"(^\s*(?:[│┃║╭╰┌└╔╚┏┗├]|[|+][-=+ ])|[│┃║╮╯┐┘╗╝┓┛]\s*$)");
  return RE2::PartialMatch(piece(text), kFrame);
}

bool is_beginning(std::string_view text) {
  static const RE2 kBeginning(
      R"(^\s*(?:\x1b?\[[\d;]*m)*(?:\[(?:rank|default)\d+\]:\s*|[\w.-]+\s+\|\s+)?(?:\[?\d{4}[-/]\d\d[-/]\d\d[T _-]|\[?\d\d:\d\d:\d\d[\s,.\]]|\[\d\d/\d\d/\d{4}|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:|File "|Traceback \(most|During handling of|The above exception was|(?:INFO|DEBUG|WARNING|ERROR|CRITICAL)[: \]]|\[(?:INFO|DEBUG|WARNING|ERROR|[EWIVF])\b|(?:[a-z_]\w*\.)*[A-Z]\w+(?:Error|Exception|Warning|Interrupt): |(?:[a-z_]\w*\.)+[A-Z]\w+ ?: |&&&& |[~^]+\s*$|[-=*#_]{6,})|^\s*\d{1,3}%\|)");
  return RE2::PartialMatch(piece(text), kBeginning);
}

/// A call of a stack that is told to its end; its source stands below it, indented or not.
bool is_whole_call(std::string_view text) {
  static const RE2 kCall(R"re(^\s*File "[^"]+", line \d+, in [\w<>.]+\s*$)re");
  return RE2::PartialMatch(piece(text), kCall);
}

/// Lists and repeated messages are alike at their beginning; the rest of a line is not.
bool is_alike(std::string_view line, std::string_view next) {
  constexpr std::size_t kSame = 16;
  return next.size() >= kSame && line.substr(0, kSame) == next.substr(0, kSame);
}

// Whole words of the tools' messages, to tell a cut between two words from one in a word. Sorted.
// clang-format off
constexpr std::array<std::string_view, 448> kWords{
    "a", "aborted", "above", "access", "add", "after", "again", "all", "allocate", "allocated",
    "allocation", "already", "also", "amd", "an", "and", "any", "appear", "appears",
    "application", "architecture", "are", "argument", "arguments", "as", "at", "attempt",
    "attention", "available", "avoid", "backend", "bad", "batch", "be", "because", "been",
    "before", "being", "below", "between", "blocks", "both", "build", "building", "but", "by",
    "byte", "bytes", "cache", "call", "called", "calls", "can", "cannot", "capacity", "card",
    "cause", "caused", "channel", "channels", "check", "checking", "checkpoint", "choose",
    "class", "clip", "closed", "code", "compatible", "compiled", "complete", "completed",
    "compute", "config", "connection", "consider", "considering", "contains", "controlnet",
    "conv", "converting", "copy", "correct", "could", "cpu", "creating", "cuda", "current",
    "custom", "data", "decode", "decoder", "decoding", "default", "denied", "deserialize",
    "device", "devices", "did", "different", "dimension", "dimensions", "directories",
    "directory", "disabled", "do", "does", "down", "download", "downloaded", "driver", "drivers",
    "dtype", "during", "each", "either", "embedding", "empty", "enabled", "encode", "encoder",
    "encoding", "end", "engine", "equal", "error", "even", "every", "exceed", "exceeds",
    "exception", "execute", "executed", "executing", "execution", "exist", "exists", "expected",
    "export", "extension", "extensions", "failed", "failure", "false", "few", "file", "files",
    "find", "finding", "first", "float", "folder", "for", "found", "four", "fragmentation",
    "free", "from", "full", "function", "generate", "generator", "get", "getting", "given", "got",
    "gpu", "graph", "greater", "group", "groups", "half", "has", "have", "height", "help", "high",
    "higher", "however", "if", "image", "images", "implementation", "implemented", "import", "in",
    "incompatible", "incorrect", "index", "indices", "initialize", "initialized", "input",
    "inputs", "inside", "install", "installed", "installing", "instead", "intel", "into",
    "invalid", "is", "it", "just", "kernel", "kernels", "key", "killed", "large", "larger",
    "last", "latent", "latents", "later", "layer", "layers", "least", "left", "length", "level",
    "library", "like", "limit", "linear", "list", "load", "loaded", "loading", "long", "lora",
    "low", "lower", "machine", "make", "many", "match", "matrix", "max", "maximum", "may",
    "memory", "message", "method", "mid", "might", "min", "minimum", "mismatch", "missing",
    "mode", "model", "module", "more", "much", "must", "name", "namespace", "need", "needed",
    "needs", "new", "next", "no", "node", "nodes", "none", "norm", "not", "note", "now", "null",
    "numpy", "nvidia", "object", "of", "on", "one", "only", "onnx", "op", "open", "operation",
    "operator", "option", "or", "other", "out", "output", "outside", "over", "package",
    "packages", "parameter", "parameters", "pass", "passed", "passing", "path", "per",
    "permission", "please", "position", "previous", "process", "processes", "processing",
    "program", "prompt", "provide", "provided", "provider", "python", "pytorch", "query", "raise",
    "raised", "range", "read", "reading", "reduce", "reducing", "request", "requested",
    "requests", "require", "required", "requires", "reserved", "response", "result", "right",
    "run", "running", "runtime", "safetensors", "same", "scalar", "second", "see", "seem",
    "seems", "select", "selected", "sequence", "server", "set", "sets", "setting", "shall",
    "shape", "short", "should", "side", "sides", "since", "size", "sizes", "small", "smaller",
    "so", "some", "specified", "stack", "start", "started", "state", "status", "stop", "stopped",
    "storage", "such", "support", "supported", "sure", "system", "tensor", "tensorrt", "tensors",
    "text", "than", "that", "the", "their", "then", "there", "these", "they", "third", "this",
    "though", "thread", "threads", "three", "to", "too", "top", "torch", "total", "trace",
    "tried", "true", "try", "trying", "two", "type", "types", "unable", "unavailable", "under",
    "unet", "unknown", "unless", "unsupported", "until", "up", "update", "use", "used", "user",
    "using", "vae", "valid", "value", "values", "version", "via", "want", "warning", "was",
    "weight", "weights", "were", "when", "where", "which", "while", "width", "will", "windows",
    "with", "without", "would", "writing", "wrong", "you", "your", "zero"};
// clang-format on

/// How much a seam looks like one between two words (above 0) or in a word (below).
int words_at_seam(std::string_view line, std::string_view rest) {
  // A blank that was not broken at; more of them are indentation.
  if (line.ends_with(' ') || (rest.starts_with(' ') && !rest.starts_with("  "))) return -2;
  const auto judge = [](std::string_view word) {
    while (!word.empty() && std::string_view(".,:;!?)('\"").find(word.back()) != word.npos)
      word.remove_suffix(1);
    while (!word.empty() && std::string_view("('\"").find(word.front()) != word.npos)
      word.remove_prefix(1);
    const bool letters = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    });
    if (!letters) return 0;
    std::string lower(word);
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return std::binary_search(kWords.begin(), kWords.end(), std::string_view(lower)) ? 1 : -1;
  };
  return judge(line.substr(line.rfind(' ') + 1)) + judge(first_word(rest));
}

/// The rest of a name that was cut: "in _call_im", "pl".
bool is_fragment(std::string_view rest) {
  static const RE2 kFragment(R"(^[\w<>.]+\s*$)");
  return RE2::PartialMatch(piece(rest), kFragment);
}

bool may_be_rest(const RawLine& line, const RawLine& next, std::string_view rest) {
  return next.number == line.number + line.further + 1 && !without_indent(rest).empty() &&
         !is_framed(rest) && !is_beginning(rest) && !is_alike(line.text, rest) &&
         (!is_whole_call(line.text) || is_fragment(rest));
}

/// How lines were broken: at a column, or at the last blank before it.
struct Wrap {
  enum class Kind { kNone, kColumn, kBlank } kind = Kind::kNone;
  std::size_t width = 0;
  bool sure = false;  // seen often enough to need no other sign
  int words = 0;      // see words_at_seam
};

struct Measured {
  std::size_t width = 0;
  bool framed = false;
  bool words = false;  // it could have been broken at a blank
};

std::vector<Measured> measure(const std::vector<RawLine>& lines) {
  std::vector<Measured> measured(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string_view text = lines[i].text;
    while (text.ends_with('\r')) text.remove_suffix(1);
    // A bar that is drawn again and again is one line only in the file.
    if (text.find('\r') != text.npos) continue;
    measured[i].width = width_of(text);
    measured[i].framed = is_framed(text) || text.find_first_not_of(" ^~") == text.npos;
    measured[i].words = without_indent(without_end(text)).find(' ') != text.npos;
  }
  return measured;
}

/// Whether the first word of the next line would have passed the width.
bool is_full(const Measured& line, std::string_view text, std::string_view next,
             std::size_t width) {
  const std::size_t used = std::min(line.width, width_of(without_end(text)));
  return used + 1 + width_of(first_word(next)) > width;
}

Wrap wrap_at_column(const std::vector<RawLine>& lines, const std::vector<Measured>& measured) {
  Wrap wrap{.kind = Wrap::Kind::kColumn};
  for (const Measured& line : measured)
    if (!line.framed) wrap.width = std::max(wrap.width, line.width);
  if (wrap.width < kNarrowest || wrap.width > kWidest) return {};
  int good = 0;
  int bad = 0;
  int words = 0;
  bool in_word = false;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    if (measured[i].width != wrap.width || measured[i].framed) continue;
    const bool rest = may_be_rest(lines[i], lines[i + 1], lines[i + 1].text);
    ++(rest ? good : bad);
    if (!rest) continue;
    const std::string_view next = lines[i + 1].text;
    const int seam = words_at_seam(lines[i].text, next);
    words += seam;
    in_word = in_word || (seam == -2 && !next.starts_with(' ') && !lines[i].text.ends_with(' ') &&
                          reads_on(lines[i].text, next));
  }
  const bool usual =
      std::find(kUsualWidths.begin(), kUsualWidths.end(), wrap.width) != kUsualWidths.end();
  wrap.sure = good >= kPlenty;
  wrap.words = words;
  const bool often = good > 2 * bad || (in_word && good >= bad);
  return often && (wrap.sure || usual || in_word || (good == 2 && words < 0)) ? wrap : Wrap{};
}

Wrap wrap_at_blank(const std::vector<RawLine>& lines, const std::vector<Measured>& measured) {
  Wrap wrap{.kind = Wrap::Kind::kBlank};
  for (const Measured& line : measured)
    if (line.words) wrap.width = std::max(wrap.width, line.width);
  if (wrap.width < kNarrowest || wrap.width > kWidestAtBlank) return {};
  int good = 0;
  int bad = 0;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const std::string_view next = lines[i + 1].text;
    if (measured[i].framed || measured[i].width == 0 ||
        !is_full(measured[i], lines[i].text, next, wrap.width))
      continue;
    const bool rest = may_be_rest(lines[i], lines[i + 1], next) && !next.starts_with("  ");
    ++(rest ? good : bad);
  }
  wrap.sure = good >= kPlenty && good > bad;
  return good > 0 ? wrap : Wrap{};
}

/// How often lines of a wrap's width are followed by what may be their rest.
int count_rests(const Wrap& wrap, const std::vector<RawLine>& lines,
                const std::vector<Measured>& measured) {
  int rests = 0;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const std::string_view next = lines[i + 1].text;
    if (measured[i].framed || measured[i].width == 0) continue;
    const bool full = wrap.kind == Wrap::Kind::kColumn
                          ? measured[i].width == wrap.width
                          : is_full(measured[i], lines[i].text, next, wrap.width);
    if (full && may_be_rest(lines[i], lines[i + 1], next)) ++rests;
  }
  return rests;
}

Wrap wrap_of(const std::vector<RawLine>& lines, const std::vector<Measured>& measured) {
  const Wrap column = wrap_at_column(lines, measured);
  const Wrap blank = wrap_at_blank(lines, measured);
  if (column.kind == Wrap::Kind::kNone) return blank;
  if (blank.kind == Wrap::Kind::kNone) return column;
  // Cut at a column every broken line has that width; cut at blanks few have it by chance.
  const int at_column = count_rests(column, lines, measured);
  const int at_blank = count_rests(blank, lines, measured);
  if (at_column >= kPlenty && 10 * at_column >= 8 * at_blank) return column;
  const bool few = 10 * at_column < 6 * at_blank;
  if (few && at_blank >= at_column + 2) return blank;
  if (column.words <= -at_column) return column;
  return column.words > 0 || few ? blank : column;
}

// Words that stand before something.
constexpr std::array<std::string_view, 28> kOpenWords{
    "and",  "or",  "to",    "of",   "the",   "a",    "an",   "but",  "at",   "is",
    "are",  "be",  "by",    "with", "for",   "in",   "on",   "from", "than", "that",
    "type", "not", "least", "as",   "while", "when", "same", "found"};

bool is_small_word(std::string_view word) {
  return std::find(kOpenWords.begin(), kOpenWords.end(), word) != kOpenWords.end();
}

/// Whether one line goes on in the next one, and what stood between the two.
struct Seam {
  bool joined = false;
  std::string_view between;
};

Seam seam_of(const Wrap& wrap, const RawLine& line, const RawLine& next, const Measured& shape) {
  const std::string_view rest = next.text;
  if (shape.framed || shape.width == 0 || next.number != line.number + line.further + 1 ||
      without_indent(rest).empty() || is_framed(rest))
    return {};
  if (wrap.kind == Wrap::Kind::kColumn) {
    // A terminal that drops the blank at its edge leaves the line one shorter.
    const bool edge = shape.width + 1 == wrap.width && reads_on(line.text, rest);
    if (shape.width != wrap.width && !edge) return {};
    if (!wrap.sure && !may_be_rest(line, next, rest)) return {};
    static const RE2 kStamp(R"(^\[?\d{4}[-/]\d\d[-/]\d\d[T _-]\d\d:\d\d)");
    if (RE2::PartialMatch(piece(rest), kStamp)) return {};
    return {true, edge ? " " : ""};
  }
  if (!is_full(shape, line.text, rest, wrap.width) || rest.starts_with("  ") ||
      !may_be_rest(line, next, rest))
    return {};
  // A long first word proves little.
  const bool quoted = rest.starts_with('"') || rest.starts_with('\'');
  const bool nearly_full = 10 * shape.width >= (quoted ? 9U : 8U) * wrap.width;
  if (!wrap.sure && !(nearly_full && reads_on(line.text, rest))) return {};
  return {true, " "};
}

/// The kubelet's records: "TIME stderr P text" is a part of a line, "... F text" its end.
bool is_part(const std::string& text, std::string& head, std::string& rest, std::string& tag) {
  static const RE2 kRecord(
      R"(^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d) std(?:out|err)) ([FP]) (.*)$)");
  return text.find(" std") != text.npos && RE2::FullMatch(text, kRecord, &head, &tag, &rest);
}

std::vector<RawLine> join_parts(std::vector<RawLine> lines) {
  std::vector<RawLine> joined;
  bool open = false;
  for (RawLine& line : lines) {
    std::string head;
    std::string rest;
    std::string tag;
    const bool record = is_part(line.text, head, rest, tag);
    if (open && record && !joined.empty()) {
      joined.back().text += rest;
      joined.back().further += line.further + 1;
    } else {
      if (record && tag == "P") line.text = head + " F " + rest;
      joined.push_back(std::move(line));
    }
    open = record && tag == "P";
  }
  return joined;
}

}  // namespace

bool begins_anew(std::string_view text) { return is_beginning(text); }

bool leaves_open(std::string_view text) {
  text = without_end(text);
  if (text.ends_with(',') || text.ends_with('(') || text.ends_with('[')) return true;
  const auto count = [&](char c) { return std::count(text.begin(), text.end(), c); };
  if (count('(') > count(')') || count('[') > count(']') || count('"') % 2 == 1) return true;
  const std::size_t blank = text.rfind(' ');
  if (blank == text.npos) return false;
  return is_small_word(text.substr(blank + 1));
}

bool reads_on(std::string_view text, std::string_view next) {
  text = without_end(text);
  next = without_indent(next);
  if (text.empty() || next.empty() || is_beginning(next) || is_whole_call(text) ||
      next.starts_with("Exception raised"))
    return false;
  const auto first = static_cast<unsigned char>(next.front());
  const auto last = static_cast<unsigned char>(text.back());
  // One script may end a sentence where another begins one.
  if ((first >= 0x80U) != (last >= 0x80U)) return false;
  static const RE2 kTag(R"(^\[[A-Za-z_][\w.: -]*\])");
  if (RE2::PartialMatch(piece(next), kTag)) return false;
  const bool open = leaves_open(text);
  if (open) return true;
  if (next.front() == '(') return true;
  if (text.find_last_of(".!?:;)]}'\"") == text.size() - 1) return false;
  if (first >= 0x80U) return !text.ends_with("。") && !text.ends_with("！");
  const bool upper = first >= 'A' && first <= 'Z';
  return !upper && std::string_view("*->#").find(next.front()) == std::string_view::npos;
}

std::vector<RawLine> unwrap(std::vector<RawLine> lines) {
  lines = join_parts(std::move(lines));
  const std::vector<Measured> measured = measure(lines);
  const Wrap wrap = wrap_of(lines, measured);
  if (wrap.kind == Wrap::Kind::kNone) return lines;
  std::vector<RawLine> joined;
  RawLine last;  // the piece that the joined line ends with
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Seam seam = i == 0 ? Seam{} : seam_of(wrap, last, lines[i], measured[i - 1]);
    last = lines[i];
    if (!seam.joined) {
      joined.push_back(std::move(lines[i]));
      continue;
    }
    RawLine& line = joined.back();
    if (!seam.between.empty()) line.text.resize(without_end(line.text).size());
    line.text += seam.between;
    std::string_view rest = last.text;
    // A quotation marks each of its lines.
    if (line.text.starts_with('>') && rest.starts_with('>')) rest.remove_prefix(1);
    line.text += seam.between.empty() ? rest : without_indent(rest);
    line.further += last.further + 1;
  }
  return joined;
}

}  // namespace sinter::diagnose::log
