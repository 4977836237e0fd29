#include "sinter/diagnose/log/finding.h"

#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <set>

#include "sinter/diagnose/log/unknown.h"

namespace sinter::diagnose::log {
namespace {

constexpr std::size_t kWrapWidth =
    70;                           // a line at least this long may have been wrapped by a terminal
constexpr std::size_t kNear = 4;  // records between a message and its stack

/// The records of stacks: calls and quoted source, in which words are no messages.
std::vector<bool> quoted_records(const LogParts& parts) {
  std::vector<bool> quoted(parts.records.size(), false);
  for (const Exception& exception : parts.exceptions) {
    if (exception.frames.empty()) continue;
    const std::size_t end =
        exception.type.empty() ? exception.frames.back().source_record + 1 : exception.record;
    for (std::size_t i = exception.frames.front().record; i < end; ++i) quoted[i] = true;
  }
  return quoted;
}

/// Whether `next` may be the rest of a line that a terminal broke.
bool may_continue(const Record& record, const Record& next) {
  return record.text.size() >= kWrapWidth && !next.blank() && !next.stamped && next.indent() < 4 &&
         next.first_line <= record.last_line + 1;
}

int weight_order(const Match& match) { return static_cast<int>(match.pattern->weight); }

/// The most telling match in a text; null where there is none or where the line is harmless.
const Match* best(const std::vector<Match>& matches) {
  const Match* found = nullptr;
  for (const Match& match : matches) {
    if (match.pattern->weight == Weight::kHarmless) return nullptr;
    if (found == nullptr || weight_order(match) < weight_order(*found)) found = &match;
  }
  return found;
}

bool is_harmless(const std::vector<Match>& matches) {
  return std::any_of(matches.begin(), matches.end(),
                     [](const Match& match) { return match.pattern->weight == Weight::kHarmless; });
}

Rank rank_of(Weight weight) {
  switch (weight) {
    case Weight::kCause:
      return Rank::kCause;
    case Weight::kSymptom:
      return Rank::kError;
    default:
      return Rank::kSuspicion;
  }
}

/// What programs say of an extension that they go on without.
bool tells_left_out(const std::string& text) {
  static const RE2 kLeftOut(
      R"(module for custom nodes|IMPORT FAILED|[Ee]rror loading script|[Ee]rror (?:loading|running) (?:extension|preload)|Failed to (?:load|import) (?:extension|custom node|node)|[Ss]kipping|[Cc]ontinuing without|[Pp]roceeding without)");
  return RE2::PartialMatch(text, kLeftOut);
}

/// Whether the program survived an exception: its loader of extensions caught it, or it says so.
bool is_left_out(const LogParts& parts, const Exception& exception) {
  static const RE2 kLoaders(
      R"(load_custom_node|load_extension|load_scripts|prepare_environment_for_extension|load_module_from|run_extension_installer)");
  for (const Frame& frame : exception.frames) {
    if (RE2::PartialMatch(frame.function, kLoaders)) return true;
  }
  if (exception.first_record > 0 && tells_left_out(parts.records[exception.first_record - 1].text))
    return true;
  const std::size_t last = std::min(exception.last_record + 4, parts.records.size());
  for (std::size_t i = exception.record; i < last; ++i)
    if (tells_left_out(parts.records[i].text)) return true;
  return false;
}

class Finder {
 public:
  explicit Finder(const LogParts& parts)
      : parts_(parts), quoted_(quoted_records(parts)), explained_(parts.exceptions.size(), false) {}

  std::vector<Finding> find() {
    for (std::size_t i = 0; i < parts_.records.size(); ++i) {
      if (!quoted_[i] && !parts_.records[i].blank()) look(i);
    }
    for (std::size_t i = 0; i < parts_.exceptions.size(); ++i) {
      if (!explained_[i] && !parts_.exceptions[i].type.empty()) add_unknown(static_cast<int>(i));
    }
    if (found_.empty()) guess();
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Finding& a, const Finding& b) { return a.record < b.record; });
    return std::move(found_);
  }

 private:
  void look(std::size_t record) {
    const std::string& text = parts_.records[record].text;
    std::vector<Match> matches = Matcher::rules().find(text);
    if (std::any_of(
            matches.begin(), matches.end(),
            [](const Match& match) { return match.pattern->reading == Reading::kRevokes; }) &&
        !found_.empty() && found_.back().record + 1 == record) {
      quoted_[record - 1] = true;
      found_.pop_back();
    }
    if (is_harmless(matches)) {
      cover(record);
      return;
    }
    std::string joined;
    if (best(matches) == nullptr) matches = look_across_wrap(record, joined);
    const Match* match = best(matches);
    if (match == nullptr) return;
    Finding finding{.match = *match,
                    .text = joined.empty() ? text : joined,
                    .record = record,
                    .rank = rank_of(match->pattern->weight)};
    // The heading of a message stands before what it is about.
    for (const Match& other : matches)
      if (other.pattern->reading == Reading::kHeading)
        finding.match.begin = std::min(finding.match.begin, other.begin);
    attach(finding);
    finding.aside = survived(finding);
    found_.push_back(std::move(finding));
  }

  /// A harmless line speaks for its exception, and for the stack printed right below it.
  void cover(std::size_t record) {
    for (std::size_t i = 0; i < parts_.exceptions.size(); ++i) {
      const Exception& exception = parts_.exceptions[i];
      const bool owner =
          !exception.type.empty() && exception.record <= record && record <= exception.last_record;
      const bool below = exception.first_record == record + 1 && exception.frames.size() > 0;
      if (!owner && !below) continue;
      explained_[i] = true;
      for (std::size_t at = exception.first_record; at <= exception.last_record; ++at)
        quoted_[at] = true;
    }
  }

  /// Matches that begin in one line and end in the next, with a blank between them and without.
  std::vector<Match> look_across_wrap(std::size_t record, std::string& joined) {
    if (record + 1 >= parts_.records.size() || quoted_[record + 1]) return {};
    const Record& first = parts_.records[record];
    const Record& second = parts_.records[record + 1];
    if (!may_continue(first, second)) return {};
    std::string rest = second.text;
    if (record + 2 < parts_.records.size() && may_continue(second, parts_.records[record + 2]) &&
        !quoted_[record + 2])
      rest += " " + parts_.records[record + 2].text;
    for (const std::string_view between : {" ", ""}) {
      joined = first.text + std::string(between) + rest;
      std::vector<Match> matches = Matcher::rules().find(joined);
      std::erase_if(matches, [&](const Match& match) {
        return match.begin >= first.text.size() || match.end <= first.text.size();
      });
      if (best(matches) != nullptr) return matches;
    }
    joined.clear();
    return {};
  }

  int owner_of(std::size_t record) const {
    for (std::size_t i = 0; i < parts_.exceptions.size(); ++i) {
      const Exception& exception = parts_.exceptions[i];
      if (!exception.type.empty() && exception.record <= record && record <= exception.last_record)
        return static_cast<int>(i);
    }
    return -1;
  }

  void attach(Finding& finding) {
    finding.exception = owner_of(finding.record);
    if (finding.exception >= 0) {
      finding.in_message = true;
      explained_[static_cast<std::size_t>(finding.exception)] = true;
      return;
    }
    // A stack right below the message (ComfyUI), or a cut one right above it.
    for (std::size_t i = 0; i < parts_.exceptions.size(); ++i) {
      const Exception& exception = parts_.exceptions[i];
      const bool below = exception.first_record > finding.record &&
                         exception.first_record <= finding.record + kNear;
      const bool above = exception.type.empty() && exception.last_record < finding.record &&
                         exception.last_record + kNear >= finding.record;
      if (below || above) {
        finding.exception = static_cast<int>(i);
        return;
      }
    }
  }

  bool survived(const Finding& finding) const {
    if (finding.exception >= 0 &&
        is_left_out(parts_, parts_.exceptions[static_cast<std::size_t>(finding.exception)]))
      return true;
    if (finding.in_message) return false;
    const Record& record = parts_.records[finding.record];
    return record.level == Level::kWarning || tells_left_out(record.text);
  }

  /// Where nothing else is there, the first line that its logger called an error.
  void guess() {
    for (std::size_t i = 0; i < parts_.records.size(); ++i) {
      const Record& record = parts_.records[i];
      if (record.level != Level::kError || quoted_[i] || record.blank()) continue;
      if (is_harmless(Matcher::rules().find(record.text))) continue;
      const std::string_view cause = cause_of_words(record.text);
      if (cause.empty()) continue;
      found_.push_back({.match = {},
                        .text = record.text,
                        .record = i,
                        .guess = cause,
                        .rank = Rank::kSuspicion});
      return;
    }
  }

  void add_unknown(int index) {
    const Exception& exception = parts_.exceptions[static_cast<std::size_t>(index)];
    const std::string_view name = class_name(exception.type);
    if (name.ends_with("Warning")) return;
    Finding finding{.match = {},
                    .text = exception.type + ": " + exception.message,
                    .record = exception.record,
                    .exception = index,
                    .in_message = true,
                    .rank = is_control_flow(exception.type) ? Rank::kSteering : Rank::kError};
    finding.aside = is_left_out(parts_, exception);
    found_.push_back(std::move(finding));
  }

  const LogParts& parts_;
  std::vector<bool> quoted_;
  std::vector<bool> explained_;  // exceptions in whose message a pattern was found
  std::vector<Finding> found_;
};

/// One finding of each exception: the best, and of equals the first, unless it is only a heading.
std::vector<Finding> one_of_each_exception(std::vector<Finding> findings) {
  std::vector<Finding> kept;
  std::map<int, std::size_t> place;
  for (Finding& finding : findings) {
    if (!finding.in_message) {
      kept.push_back(std::move(finding));
      continue;
    }
    const auto [at, fresh] = place.try_emplace(finding.exception, kept.size());
    if (fresh) {
      kept.push_back(std::move(finding));
      continue;
    }
    Finding& held = kept[at->second];
    const bool heading =
        held.match.pattern != nullptr && held.match.pattern->reading == Reading::kHeading;
    if (finding.rank < held.rank || (heading && finding.rank == held.rank)) {
      finding.also.push_back(held.record);
      held = std::move(finding);
    } else {
      held.also.push_back(finding.record);
    }
  }
  return kept;
}

/// The members of an exception's chain, first raised first.
std::vector<int> chain_of(const LogParts& parts, int index) {
  std::vector<int> chain;
  while (index >= 0 && chain.size() < 64) {
    chain.insert(chain.begin(), index);
    index = parts.exceptions[static_cast<std::size_t>(index)].previous;
  }
  return chain;
}

/// The message without its class and numbers, as far as two tellings of it agree.
std::string bare_message(const LogParts& parts, const Finding& finding) {
  std::string text = root_text(parts, finding);
  static const RE2 kClass(R"(^(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*: )");
  RE2::Replace(&text, kClass, "");
  std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
  return text.substr(0, 60);
}

/// Of each chain only what started it.
std::vector<Finding> roots_of_chains(const LogParts& parts, std::vector<Finding> findings) {
  std::map<int, std::size_t> by_exception;
  for (std::size_t i = 0; i < findings.size(); ++i)
    if (findings[i].in_message) by_exception.emplace(findings[i].exception, i);
  std::set<std::size_t> dropped;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (!findings[i].in_message) continue;
    const std::vector<int> chain = chain_of(parts, findings[i].exception);
    for (const int member : chain) {
      if (member == findings[i].exception) break;
      const auto other = by_exception.find(member);
      if (other == by_exception.end()) continue;
      Finding& first = findings[other->second];
      if (first.rank == Rank::kSteering || first.rank == Rank::kSuspicion) {
        dropped.insert(other->second);
        continue;
      }
      // An exception that no pattern knows gets its explanation from the one that it led to.
      // One that says only that a file is no text gets it, too.
      const bool no_text = first.match.pattern != nullptr &&
                           first.match.pattern->cause == "filesystem-encoding" &&
                           first.match.capture("arg") == "utf-8";
      const bool unknown =
          first.match.pattern == nullptr &&
          cause_of(cause_of_unknown(parts.exceptions[static_cast<std::size_t>(first.exception)]))
                  .domain == Domain::kUserCode;
      if ((unknown || no_text) && findings[i].match.pattern != nullptr) {
        first.match = findings[i].match;
        first.rank = std::min(first.rank, findings[i].rank);
      }
      dropped.insert(i);
      break;
    }
  }
  // What was only a consequence in a chain is one where it stands alone, too.
  std::set<std::string> consequences;
  for (const std::size_t i : dropped)
    if (findings[i].rank != Rank::kSteering) consequences.insert(bare_message(parts, findings[i]));
  for (std::size_t i = 0; i < findings.size(); ++i) {
    // An exception that passes on its cause's words is no other one.
    if (!dropped.contains(i) && findings[i].in_message)
      consequences.erase(bare_message(parts, findings[i]));
  }
  std::vector<Finding> kept;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (!dropped.contains(i) && !consequences.contains(bare_message(parts, findings[i])))
      kept.push_back(std::move(findings[i]));
  }
  return kept;
}

/// What makes two tellings one fault: memory runs out once, an engine fails once; else the cause
/// and what it is about (a package, a file, an operator).
std::string sameness(const LogParts& parts, const Finding& finding) {
  if (finding.match.pattern == nullptr) return bare_message(parts, finding);
  const Cause& cause = cause_of(finding.match.pattern->cause);
  if (cause.domain == Domain::kVram || cause.domain == Domain::kTensorRtBuild ||
      cause.domain == Domain::kTensorRtRuntime)
    return std::string(domain_name(cause.domain));
  std::string key(cause.id);
  for (const Capture& capture : finding.match.captures) {
    if (capture.name.starts_with("arg") || capture.name.starts_with("op"))
      key += " " + capture.text.substr(0, 60);
  }
  return key;
}

std::vector<Finding> without_repetitions(const LogParts& parts, std::vector<Finding> findings) {
  std::vector<Finding> kept;
  std::map<std::string, std::size_t> place;
  for (Finding& finding : findings) {
    const auto [at, fresh] = place.try_emplace(sameness(parts, finding), kept.size());
    if (fresh) {
      kept.push_back(std::move(finding));
      continue;
    }
    Finding& held = kept[at->second];
    // The one with a class and a stack says more than the bare message.
    const bool better = finding.rank < held.rank ||
                        (finding.rank == held.rank && finding.in_message && !held.in_message);
    const bool aside = held.aside && finding.aside;
    if (better) {
      finding.also.push_back(held.record);
      held = std::move(finding);
    } else {
      held.also.push_back(finding.record);
    }
    held.aside = aside;
  }
  return kept;
}

void trim(std::string& text) {
  static const RE2 kBlanks(R"(\s+)");
  RE2::GlobalReplace(&text, kBlanks, " ");
  while (text.ends_with(' ')) text.pop_back();
  while (text.starts_with(' ')) text.erase(0, 1);
  constexpr std::size_t kMost = 1000;
  if (text.size() > kMost) {
    std::size_t end = kMost;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
    text.resize(end);
  }
}

/// Class and message of an exception, with the rest of a line that a terminal broke.
std::string exception_text(const LogParts& parts, const Exception& exception) {
  std::string text = exception.type;
  if (!exception.message.empty()) text += ": " + exception.message;
  for (std::size_t i = exception.record; i < exception.last_record && i < exception.record + 4;
       ++i) {
    const Record& record = parts.records[i];
    const Record& next = parts.records[i + 1];
    if (record.text.ends_with(':') || !may_continue(record, next) || next.indent() > 0) break;
    text += " " + next.text;
  }
  return text;
}

/// A graph or an engine that is missing after an earlier fault is what that fault did not make.
void drop_missing_products(std::vector<Finding>& findings) {
  static const RE2 kProduct(R"(\.(?:onnx|trt|plan|engine)\b)");
  for (std::size_t i = findings.size(); i-- > 1;) {
    const Finding& finding = findings[i];
    if (finding.match.pattern == nullptr ||
        cause_of(finding.match.pattern->cause).domain != Domain::kFilesystem ||
        !RE2::PartialMatch(finding.text, kProduct))
      continue;
    findings.front().also.push_back(finding.record);
    findings.erase(findings.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace

std::vector<Finding> find_all(const LogParts& parts) { return Finder(parts).find(); }

std::vector<Finding> independent(const LogParts& parts, std::vector<Finding> findings) {
  findings = one_of_each_exception(std::move(findings));
  findings = roots_of_chains(parts, std::move(findings));
  findings = without_repetitions(parts, std::move(findings));
  const auto best_rank = [&](bool aside) {
    Rank rank = Rank::kSuspicion;
    for (const Finding& finding : findings)
      if (finding.aside == aside) rank = std::min(rank, finding.rank);
    return rank;
  };
  const bool any = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return !finding.aside && finding.rank != Rank::kSuspicion;
  });
  const Rank main_rank = any ? best_rank(false) : best_rank(true);
  std::vector<Finding> kept;
  std::vector<Finding> others;
  for (Finding& finding : findings) {
    if (finding.aside && any) {
      if (finding.rank == Rank::kCause) others.push_back(std::move(finding));
    } else if (finding.rank == main_rank || (!any && finding.rank == best_rank(true))) {
      // Without a known cause only the first error is one; the rest follows from it.
      if (main_rank == Rank::kCause || kept.empty()) kept.push_back(std::move(finding));
    }
  }
  drop_missing_products(kept);
  for (Finding& finding : others) {
    // The loader repeats the message of the exception that it caught.
    const bool told = std::any_of(kept.begin(), kept.end(), [&](const Finding& other) {
      return finding.text.find(other.text.substr(other.match.begin, 40)) != std::string::npos;
    });
    if (!told) kept.push_back(std::move(finding));
  }
  return kept;
}

std::string root_text(const LogParts& parts, const Finding& finding) {
  std::string text;
  const Exception* exception =
      finding.in_message ? &parts.exceptions[static_cast<std::size_t>(finding.exception)] : nullptr;
  if (exception != nullptr && !exception->type.empty()) {
    text = exception->message.empty() && finding.match.pattern != nullptr &&
                   finding.record != exception->record
               ? exception->type + ": " + finding.text
           : finding.record == exception->record &&
                   finding.text.size() > parts.records[finding.record].text.size()
               ? finding.text
               : exception_text(parts, *exception);
    trim(text);
    return text;
  }
  text = finding.text;
  const std::string before = text.substr(0, finding.match.begin);
  static const RE2 kClassBefore(
      R"((?:^|.*[^\w.])((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:Error|Exception|Warning)):\s+)");
  std::string type;
  re2::StringPiece rest(before);
  re2::StringPiece name;
  if (RE2::PartialMatch(before, kClassBefore, &name)) {
    text = text.substr(static_cast<std::size_t>(name.data() - before.data()));
  } else if (const std::size_t status = before.rfind("[ONNXRuntimeError]"); status != before.npos) {
    text = text.substr(status);
  } else if (const std::size_t code = before.rfind("Error Code "); code != before.npos) {
    text = text.substr(code);
  } else {
    text = text.substr(finding.match.begin);
    const std::string_view known =
        finding.match.pattern != nullptr ? finding.match.pattern->type : "";
    if (!known.empty() && !text.starts_with(known)) text = std::string(known) + ": " + text;
  }
  trim(text);
  return text;
}

}  // namespace sinter::diagnose::log
