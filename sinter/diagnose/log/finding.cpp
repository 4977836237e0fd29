#include "sinter/diagnose/log/finding.h"

#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "sinter/diagnose/log/unknown.h"
#include "sinter/diagnose/log/wrapping.h"

namespace sinter::diagnose::log {
namespace {

constexpr std::size_t kNear = 8;  // records between a message and its stack

/// The records of stacks: calls and quoted source, in which words are no messages.
std::vector<bool> quoted_records(const LogParts& parts) {
  std::vector<bool> quoted(parts.records.size(), false);
  for (const Exception& exception : parts.exceptions) {
    if (exception.frames.empty()) continue;
    std::size_t first = exception.frames.front().record;
    std::size_t last = first;
    for (const Frame& frame : exception.frames) {
      first = std::min(first, frame.record);
      last = std::max(last, frame.source_record);
    }
    const bool above = !exception.type.empty() && exception.record > last;
    const std::size_t end = above ? exception.record : last + 1;
    for (std::size_t i = first; i < end; ++i) quoted[i] = true;
  }
  return quoted;
}

int weight_order(const Match& match) { return static_cast<int>(match.pattern->weight); }

/// The most telling match in a text; null where there is none or where the line is harmless.
const Match* best(const std::vector<Match>& matches) {
  const Match* found = nullptr;
  for (const Match& match : matches) {
    if (match.pattern->weight == Weight::kHarmless) return nullptr;
    if (match.pattern->reading == Reading::kConsequence) return &match;
    if (found == nullptr || weight_order(match) < weight_order(*found)) found = &match;
  }
  return found;
}

bool has(const std::vector<Match>& matches, Reading reading) {
  return std::any_of(matches.begin(), matches.end(),
                     [&](const Match& match) { return match.pattern->reading == reading; });
}

bool is_harmless(const std::vector<Match>& matches) {
  return std::any_of(matches.begin(), matches.end(),
                     [](const Match& match) { return match.pattern->weight == Weight::kHarmless; });
}

/// Of two matches that begin in the same line.
bool says_more(const Match& match, const Match& other) {
  if (weight_order(match) != weight_order(other)) return weight_order(match) < weight_order(other);
  if (match.order != other.order) return match.order < other.order;
  return match.captures.size() > other.captures.size() ||
         (match.captures.size() == other.captures.size() &&
          match.end - match.begin > other.end - other.begin + 1);
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
    if (found_.empty()) add_cut_stack();
    if (found_.empty()) guess();
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Finding& a, const Finding& b) { return a.record < b.record; });
    return std::move(found_);
  }

 private:
  void look(std::size_t record) {
    const std::string& text = parts_.records[record].text;
    std::vector<Match> matches = Matcher::rules().find(text);
    if (has(matches, Reading::kRevokes) && !found_.empty() && found_.back().record + 1 == record) {
      quoted_[record - 1] = true;
      found_.pop_back();
    }
    if (is_harmless(matches)) {
      cover(record, has(matches, Reading::kAnnounces));
      return;
    }
    std::string joined;
    // The rest of a sentence may say more than its beginning.
    if (std::vector<Match> across = look_across_wrap(record, best(matches), joined);
        best(across) != nullptr)
      matches = std::move(across);
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

  /// A harmless line speaks for its exception, and for the stack right below it if it announces
  /// one.
  void cover(std::size_t record, bool announces) {
    for (std::size_t i = 0; i < parts_.exceptions.size(); ++i) {
      const Exception& exception = parts_.exceptions[i];
      const bool owner =
          !exception.type.empty() && exception.record <= record && record <= exception.last_record;
      const bool below = announces && exception.first_record == record + 1;
      if (!owner && !below) continue;
      explained_[i] = true;
      for (std::size_t at = exception.first_record; at <= exception.last_record; ++at)
        quoted_[at] = true;
    }
  }

  /// Programs print a message in the stack and once more below it.
  static bool repeats(const std::string& text, const Record& next) {
    constexpr std::size_t kSame = 24;
    return text.find(std::string_view(next.text).substr(next.indent(), kSame)) != text.npos;
  }

  /// Whether `next` may be a further line of the message that began in `record`.
  bool goes_on(std::size_t record, std::size_t next) const {
    if (next >= parts_.records.size() || quoted_[next]) return false;
    const Record& last = parts_.records[next - 1];
    const Record& rest = parts_.records[next];
    if (rest.blank() || rest.stamped || rest.first_line > last.last_line + 1) return false;
    if (begins_anew(rest.text) || repeats(parts_.records[record].text, rest)) return false;
    if (may_continue(last, rest)) return true;
    const int owner = owner_of(record);
    if (owner >= 0) return next <= parts_.exceptions[static_cast<std::size_t>(owner)].last_record;
    return leaves_open(last.text) && reads_on(last.text, rest.text);
  }

  /// The rest of what `joined`, which ends with the record `last`, is the beginning of.
  void add_end_of_sentence(std::size_t last, std::string& joined) const {
    constexpr std::size_t kMostBytes = 1000;
    for (; !joined.empty() && joined.size() < kMostBytes && last + 1 < parts_.records.size();
         ++last) {
      const Record& record = parts_.records[last];
      const Record& next = parts_.records[last + 1];
      const bool wide = may_continue(record, next) || leaves_open(joined);
      if (quoted_[last + 1] || !wide || next.blank() || next.stamped ||
          !reads_on(joined, next.text))
        return;
      joined += " " + next.text.substr(next.indent());
    }
  }

  /// Matches that begin in one line and end in a later one, where they say more than `alone`, the
  /// best of the first line; with them the text in which they are.
  std::vector<Match> look_across_wrap(std::size_t record, const Match* alone,
                                      std::string& joined) const {
    constexpr std::size_t kMostBytes = 4000;
    if (alone != nullptr && alone->pattern->reading == Reading::kConsequence) return {};
    const std::size_t most = alone != nullptr || owner_of(record) >= 0 ? 12 : 2;
    const std::size_t first_size = parts_.records[record].text.size();
    std::vector<Match> told;
    std::optional<Match> most_telling;
    if (alone != nullptr) most_telling = *alone;
    std::size_t told_to = record;
    std::string text = parts_.records[record].text;
    std::size_t next = record + 1;
    for (; next <= record + most && goes_on(record, next); ++next) {
      if (text.size() > kMostBytes) break;
      const std::string rest = parts_.records[next].text.substr(parts_.records[next].indent());
      // Lines of one length were cut in the middle of words.
      const bool cut = parts_.records[next - 1].text.size() == first_size && next > record + 1;
      std::string longer = text + (cut ? "" : " ") + rest;
      for (const std::string_view between : {" ", ""}) {
        std::string candidate = text + std::string(between) + rest;
        std::vector<Match> matches = Matcher::rules().find(candidate);
        std::erase_if(matches, [&](const Match& match) {
          return match.begin >= first_size || match.end <= text.size();
        });
        const Match* found = best(matches);
        if (found == nullptr || (most_telling && !says_more(*found, *most_telling))) continue;
        // Where a pattern ends with anything, it always grows; without a blank a last word does.
        const bool grows = most_telling && found->order == most_telling->order &&
                           found->captures.size() == most_telling->captures.size();
        if (grows && (between.empty() || !reads_on(text, rest))) continue;
        most_telling = *found;
        told = std::move(matches);
        joined = candidate;
        told_to = next;
        longer = std::move(candidate);
      }
      text = std::move(longer);
    }
    add_end_of_sentence(told_to, joined);
    return told;
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
      if (above || (below && !tells_other_fault(exception, finding))) {
        finding.exception = static_cast<int>(i);
        return;
      }
    }
  }

  /// Whether an exception speaks of another domain than a message above its stack.
  static bool tells_other_fault(const Exception& exception, const Finding& finding) {
    if (exception.type.empty() || finding.match.pattern == nullptr) return false;
    const std::vector<Match> matches =
        Matcher::rules().find(exception.type + ": " + exception.message);
    const Match* match = best(matches);
    return match != nullptr && match->pattern->weight == Weight::kCause &&
           cause_of(match->pattern->cause).domain != cause_of(finding.match.pattern->cause).domain;
  }

  bool survived(const Finding& finding) const {
    if (finding.exception >= 0 &&
        is_left_out(parts_, parts_.exceptions[static_cast<std::size_t>(finding.exception)]))
      return true;
    if (finding.in_message) return false;
    const Record& record = parts_.records[finding.record];
    return record.level == Level::kWarning || tells_left_out(record.text);
  }

  /// The message that ComfyUI prints above the stack of an exception.
  std::optional<std::size_t> announced(const Exception& exception) const {
    static const RE2 kSameLine(R"(^!!! Exception during processing ?!!! \S)");
    static const RE2 kLineAbove(
        R"(^(?:Error occurred when executing .*:|!!! Exception during processing ?!!!)$)");
    std::size_t at = exception.first_record;
    const auto above = [&]() -> const Record* {
      for (int steps = 0; at > 0 && steps < 3; ++steps)
        if (!parts_.records[--at].blank()) return &parts_.records[at];
      return nullptr;
    };
    const Record* message = above();
    if (message == nullptr) return std::nullopt;
    const std::size_t place = at;
    if (RE2::PartialMatch(message->text, kSameLine)) return place;
    const Record* heading = above();
    if (heading != nullptr && RE2::PartialMatch(heading->text, kLineAbove)) return place;
    return std::nullopt;
  }

  /// A stack without its exception, where nothing else is wrong: what was announced, or raised.
  void add_cut_stack() {
    static const RE2 kRaise(R"(^\s*raise ([A-Za-z_][\w.]*))");
    for (std::size_t i = 0; i < parts_.exceptions.size(); ++i) {
      Exception cut = parts_.exceptions[i];
      if (!cut.type.empty() || cut.frames.empty()) continue;
      const std::optional<std::size_t> message = announced(cut);
      const bool raised = RE2::PartialMatch(cut.frames.back().source, kRaise, &cut.type);
      if (!message && !raised) continue;
      const std::size_t record = message ? *message : cut.frames.back().source_record;
      cut.message = parts_.records[record].text;
      found_.push_back({.match = {},
                        .text = cut.message.substr(parts_.records[record].indent()),
                        .record = record,
                        .guess = cause_of_unknown(cut),
                        .exception = static_cast<int>(i),
                        .rank = Rank::kError});
      return;
    }
    add_cut_log();
  }

  /// Where the log ends within a stack, its innermost call.
  void add_cut_log() {
    if (parts_.exceptions.empty()) return;
    const Exception& cut = parts_.exceptions.back();
    if (!cut.type.empty() || cut.frames.empty()) return;
    const Frame& innermost = cut.frames.back();
    for (std::size_t i = std::max(innermost.record, innermost.source_record) + 1;
         i < parts_.records.size(); ++i)
      if (!parts_.records[i].blank() && parts_.records[i].indent() == 0) return;
    const Record& record = parts_.records[innermost.record];
    found_.push_back({.match = {},
                      .text = record.text.substr(record.indent()),
                      .record = innermost.record,
                      .guess = "code-cut",
                      .exception = static_cast<int>(parts_.exceptions.size()) - 1,
                      .rank = Rank::kError});
  }

  /// Where nothing else is there, the first line that its logger called an error.
  void guess() {
    for (std::size_t i = 0; i < parts_.records.size(); ++i) {
      const Record& record = parts_.records[i];
      if (record.level != Level::kError || quoted_[i] || record.blank()) continue;
      if (is_harmless(Matcher::rules().find(record.text))) continue;
      const std::string_view cause = cause_of_words(record.text);
      if (cause.empty()) continue;
      Finding finding{
          .match = {}, .text = record.text, .record = i, .guess = cause, .rank = Rank::kSuspicion};
      attach(finding);
      found_.push_back(std::move(finding));
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

}  // namespace

std::vector<Finding> find_all(const LogParts& parts) { return Finder(parts).find(); }

}  // namespace sinter::diagnose::log
