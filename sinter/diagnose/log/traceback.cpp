#include "sinter/diagnose/log/traceback.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace sinter::diagnose::log {
namespace {

bool ends_with_any(std::string_view text, const auto& endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return text.ends_with(ending); });
}

constexpr std::array<std::string_view, 7> kClassEndings{
    "Error", "Exception", "Interrupt", "Fault", "Failure", "Timeout", "Exit"};

// Exceptions that do not say so in their name.
constexpr std::array<std::string_view, 19> kClasses{"InvalidGraph",
                                                    "InvalidProtobuf",
                                                    "NoSuchFile",
                                                    "InvalidArgument",
                                                    "Fail",
                                                    "NotImplemented",
                                                    "EPFail",
                                                    "RuntimeException",
                                                    "EngineError",
                                                    "WouldBlock",
                                                    "EndOfStream",
                                                    "StopIteration",
                                                    "BadZipFile",
                                                    "gaierror",
                                                    "CancelledError",
                                                    "EndOfFile",
                                                    "GuardOnDataDependentSymNode",
                                                    "Unsupported",
                                                    "BackendCompilerFailed"};

constexpr std::array<std::string_view, 15> kControlFlow{"KeyError",
                                                        "StopIteration",
                                                        "StopAsyncIteration",
                                                        "WouldBlock",
                                                        "EndOfStream",
                                                        "AttributeError",
                                                        "CancelledError",
                                                        "Empty",
                                                        "BrokenResourceError",
                                                        "IndexError",
                                                        "EntryNotFoundError",
                                                        "ClosedResourceError",
                                                        "GeneratorExit",
                                                        "BrokenPipeError",
                                                        "Full"};

struct Typed {
  std::string type;
  std::string message;
};

/// "torch.cuda.OutOfMemoryError: CUDA out of memory..." and the like at the start of a line.
std::optional<Typed> typed_line(std::string_view text, bool in_stack, bool boxed) {
  static const RE2 kTyped(R"(^\s{0,8}((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*)(?: ?:\s+(.*)|:?)$)");
  Typed found;
  if (!RE2::FullMatch(re2::StringPiece(text.data(), text.size()), kTyped, &found.type,
                      &found.message))
    return std::nullopt;
  const std::string_view name = class_name(found.type);
  if (ends_with_any(name, kClassEndings)) {
    // "Error:" alone is a word of prose, unless a stack leads to it.
    if (name == found.type && (name == "Error" || name == "Failure" || name == "Timeout") &&
        !in_stack)
      return std::nullopt;
    return found;
  }
  const bool dotted = name.size() < found.type.size();
  const bool known = std::find(kClasses.begin(), kClasses.end(), name) != kClasses.end();
  if (known && (dotted || in_stack || boxed)) return found;
  if (in_stack && name.ends_with("Warning")) return found;
  const bool upper = name.front() >= 'A' && name.front() <= 'Z';
  if (in_stack && upper && text.front() != ' ' && (dotted || name.size() > 4)) return found;
  return std::nullopt;
}

std::optional<Typed> dotnet_line(const std::string& text) {
  static const RE2 kUnhandled(
      R"(^\s*(?:Unhandled [Ee]xception[.:]|--->)\s*((?:\w+\.)+\w+): (.*)$)");
  static const RE2 kJava(R"re(^Exception in thread "[^"]*" ((?:\w+\.)+\w+): (.*)$)re");
  Typed found;
  if (RE2::FullMatch(text, kUnhandled, &found.type, &found.message) ||
      RE2::FullMatch(text, kJava, &found.type, &found.message))
    return found;
  return std::nullopt;
}

std::optional<Frame> frame_line(const Record& record) {
  static const RE2 kPython(R"re(^\s*(?:File ")?([^"]+)", line \d+(?:, in (.+))?$)re");
  static const RE2 kIPython(R"(^File (\S.*?)(?::\d+)?, in ([\w.<>]+).*$)");
  static const RE2 kCell(
      R"(^\s*(<ipython-input-[^>]+>|(?:Cell )?In(?:put In)? ?\[\d+\]|[~/\w:][^\s:(]*\.py)(?:,? (?:line \d+|in (?:<cell line: \d+>)?([\w<>.]*)).*|:\d+)$)");
  static const RE2 kRich(R"(^(\S.*?\.pyx?):\d+ in\s*(\S*)\s*$)");
  static const RE2 kDotNet(R"(^\s+(?:at|在|bei|à|в|en) ((?:[\w<>`+\[\]]+\.)+[\w<>`+.\[\]]+)\(.*$)");
  Frame frame;
  if (RE2::FullMatch(record.text, kPython, &frame.path, &frame.function)) return frame;
  if (record.boxed) {
    if (RE2::FullMatch(record.text, kRich, &frame.path, &frame.function)) return frame;
    return std::nullopt;
  }
  if (RE2::FullMatch(record.text, kIPython, &frame.path, &frame.function)) return frame;
  if (RE2::FullMatch(record.text, kCell, &frame.path, &frame.function)) return frame;
  if (RE2::FullMatch(record.text, kDotNet, &frame.function)) return frame;
  return std::nullopt;
}

/// The source line that a notebook or Rich marks as the one that ran.
std::optional<std::string> marked_source(const std::string& text) {
  static const RE2 kMarked(R"(^\s*(?:-+>|❱|>|\?)\s*\d+\s(.*)$)");
  std::string source;
  if (RE2::FullMatch(text, kMarked, &source)) return source;
  return std::nullopt;
}

Link link_of(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  if (text.starts_with("During handling of the above exception")) return Link::kDuringHandling;
  if (text.starts_with("The above exception was the direct cause")) return Link::kDirectCause;
  return Link::kNone;
}

bool is_header(const std::string& text) {
  static const RE2 kHeader(R"(Traceback \(most recent call last\))");
  return RE2::PartialMatch(text, kHeader);
}

class Parser {
 public:
  explicit Parser(const std::vector<Record>& records) : records_(records) {}

  std::vector<Exception> parse() {
    for (at_ = 0; at_ < records_.size(); ++at_) take(records_[at_]);
    close();
    return std::move(found_);
  }

 private:
  void take(const Record& record) {
    if (record.blank()) {
      message_open_ = false;
      return;
    }
    if (const Link link = link_of(record.text); link != Link::kNone) {
      close();
      pending_link_ = link;
      linked_to_ = found_.empty() ? -1 : static_cast<int>(found_.size()) - 1;
      return;
    }
    if (is_header(record.text)) {
      close();
      open(at_);
      has_header_ = true;
      return;
    }
    if (std::optional<Frame> frame = frame_line(record)) {
      add_frame(std::move(*frame));
      return;
    }
    if (take_exception(record)) return;
    if (message_open_) {
      extend_message(record);
    } else if (open_) {
      add_source(record);
    }
  }

  void add_frame(Frame frame) {
    const std::size_t since = open_ ? at_ - last_part_ : 0;
    if (open_ && since > 40) close();
    if (!open_) open(at_);
    frame.record = at_;
    frame.source_record = at_;
    stack_.frames.push_back(std::move(frame));
    last_part_ = at_;
    message_open_ = false;
    wants_source_ = true;
  }

  /// "- **Exception Type:** T" and on the next line "- **Exception Message:** M"; "T" alone and
  /// "  Message=M" two lines below.
  bool take_fields(const Record& record) {
    static const RE2 kType(
        R"(^\s*(?:[-*]\s+)?(?:\*\*)?Exception Type:?(?:\*\*)?:?\s*([\w.]+)\s*$)");
    static const RE2 kMessage(
        R"(^\s*(?:[-*]\s+)?(?:\*\*)?(?:Exception )?Message:?(?:\*\*)?\s*[:=]?\s*(\S.*)$)");
    static const RE2 kDotted(R"(^((?:\w+\.)+\w*Exception):?$)");
    std::string type;
    if (!RE2::FullMatch(record.text, kType, &type) && !RE2::FullMatch(record.text, kDotted, &type))
      return false;
    for (std::size_t next = at_ + 1; next < std::min(at_ + 4, records_.size()); ++next) {
      std::string message;
      if (!RE2::FullMatch(records_[next].text, kMessage, &message)) continue;
      close();
      open(at_);
      stack_.type = type;
      stack_.message = message;
      stack_.record = next;
      stack_.last_record = next;
      finish_stack();
      at_ = next;
      message_open_ = true;
      return true;
    }
    return false;
  }

  bool take_exception(const Record& record) {
    if (take_fields(record)) return true;
    const bool in_stack =
        open_ && !stack_.frames.empty() && at_ - last_part_ <= 12 && !wants_source_;
    std::optional<Typed> typed =
        typed_line(record.text, in_stack || record_after_box(), record.boxed);
    if (!typed) typed = dotnet_line(record.text);
    if (!typed) return false;
    // ".NET: Type: message ---> Inner: message" ends with what happened first.
    if (!open_) open(at_);
    stack_.type = typed->type;
    stack_.message = typed->message;
    stack_.record = at_;
    stack_.last_record = at_;
    finish_stack();
    message_open_ = true;
    return true;
  }

  bool record_after_box() const {
    return open_ && at_ > 0 && records_[at_ - 1].boxed && !records_[at_].boxed;
  }

  void extend_message(const Record& record) {
    Exception& last = found_.back();
    if (record.stamped || at_ - last.record > 60) {
      message_open_ = false;
      return;
    }
    last.last_record = at_;
  }

  void add_source(const Record& record) {
    if (stack_.frames.empty()) {
      if (at_ - last_part_ > 6) close();
      return;
    }
    Frame& frame = stack_.frames.back();
    if (const auto source = marked_source(record.text)) {
      frame.source = *source;
      frame.source_record = at_;
      last_part_ = at_;
      return;
    }
    if (record.boxed) return;
    const bool python = records_[frame.record].text.find("\", line ") != std::string::npos;
    if (python && wants_source_) {
      frame.source = record.text;
      frame.source_record = at_;
      last_part_ = at_;
      wants_source_ = false;
      return;
    }
    // The marks under the source, or its further lines.
    const bool marks = record.text.find_first_not_of(" ^~") == std::string::npos;
    const bool part = record.indent() >= 2 || marks || !python;
    if (!part || at_ - last_part_ > 30) close();
  }

  void open(std::size_t record) {
    stack_ = Exception{};
    stack_.first_record = record;
    stack_.record = record;
    stack_.last_record = record;
    open_ = true;
    last_part_ = record;
    message_open_ = false;
    wants_source_ = false;
    has_header_ = false;
  }

  void finish_stack() {
    stack_.link = pending_link_;
    stack_.previous = pending_link_ == Link::kNone ? -1 : linked_to_;
    pending_link_ = Link::kNone;
    found_.push_back(std::move(stack_));
    stack_ = Exception{};
    open_ = false;
    wants_source_ = false;
  }

  /// A stack whose exception is cut off still tells where.
  void close() {
    if (open_ && !stack_.frames.empty() && is_stack_of_last()) {
      // .NET prints the innermost call first.
      if (stack_.frames.front().path.empty())
        std::reverse(stack_.frames.begin(), stack_.frames.end());
      found_.back().frames = std::move(stack_.frames);
      stack_ = Exception{};
    } else if (open_ && !stack_.frames.empty()) {
      stack_.record = stack_.frames.back().record;
      stack_.last_record = stack_.record;
      finish_stack();
    }
    open_ = false;
    message_open_ = false;
  }

  /// Some programs print the message first and the calls below it.
  bool is_stack_of_last() const {
    constexpr std::size_t kBetween = 6;  // "Source=", "StackTrace:", "Stack Trace", blank lines
    if (found_.empty() || has_header_ || pending_link_ != Link::kNone) return false;
    const Exception& last = found_.back();
    return !last.type.empty() && last.frames.empty() &&
           stack_.first_record <= last.last_record + kBetween;
  }

  const std::vector<Record>& records_;
  std::vector<Exception> found_;
  Exception stack_;
  std::size_t at_ = 0;
  std::size_t last_part_ = 0;
  bool open_ = false;
  bool message_open_ = false;
  bool wants_source_ = false;
  bool has_header_ = false;
  Link pending_link_ = Link::kNone;
  int linked_to_ = -1;
};

}  // namespace

std::string_view class_name(std::string_view type) {
  const std::size_t dot = type.rfind('.');
  return dot == type.npos ? type : type.substr(dot + 1);
}

bool is_control_flow(std::string_view type) {
  const std::string_view name = class_name(type);
  return std::find(kControlFlow.begin(), kControlFlow.end(), name) != kControlFlow.end();
}

std::vector<Exception> read_tracebacks(const std::vector<Record>& records) {
  return Parser(records).parse();
}

}  // namespace sinter::diagnose::log
