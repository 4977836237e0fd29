// Of all that was found in a log: what is a fault of its own, and how its root reads.
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <set>

#include "sinter/diagnose/log/finding.h"
#include "sinter/diagnose/log/unknown.h"
#include "sinter/diagnose/log/wrapping.h"

namespace sinter::diagnose::log {
namespace {

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
        // The places are of the other text.
        first.match.begin = 0;
        first.match.end = 0;
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

/// An error's own line, with what stands before the words that a pattern knows.
bool is_told_whole(const Record& record, const Finding& finding) {
  constexpr std::size_t kMostBefore = 400;
  return record.level == Level::kError && finding.match.begin > 0 &&
         finding.match.begin <= kMostBefore;
}

/// Class and message of an exception, with the rest of a line that a terminal broke.
std::string exception_text(const LogParts& parts, const Exception& exception) {
  std::string text = exception.type;
  if (!exception.message.empty()) text += ": " + exception.message;
  for (std::size_t i = exception.record; i < exception.last_record && i < exception.record + 4;
       ++i) {
    const Record& record = parts.records[i];
    const Record& next = parts.records[i + 1];
    const bool wide = may_continue(record, next) || leaves_open(record.text);
    if (record.text.ends_with(':') || !wide || !reads_on(record.text, next.text)) break;
    text += " " + next.text.substr(next.indent());
  }
  return text;
}

/// A graph or an engine that is missing after an earlier fault is what that fault did not make.
void drop_missing_products(std::vector<Finding>& findings) {
  static const RE2 kProduct(R"(\.(?:onnx|trt|plan|engine)\b|footprints?\.json)");
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
    // A heading alone says nothing: what was found below it belongs to it.
    if (text.ends_with(':') && finding.record != exception->record &&
        text.find(finding.text) == text.npos)
      text += " " + finding.text;
    trim(text);
    return text;
  }
  text = finding.text;
  const std::string before = text.substr(0, finding.match.begin);
  static const RE2 kClassBefore(
      R"((?:^|.*[^\w.])((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:Error|Exception|Warning)):\s+)");
  re2::StringPiece name;
  if (is_told_whole(parts.records[finding.record], finding)) {
    // The logger has marked where the message begins.
  } else if (RE2::PartialMatch(before, kClassBefore, &name)) {
    text = text.substr(static_cast<std::size_t>(name.data() - before.data()));
  } else if (const std::size_t status = before.rfind("[ONNXRuntimeError]"); status != before.npos) {
    text = text.substr(status);
  } else if (const std::size_t code = before.rfind("Error Code "); code != before.npos) {
    text = text.substr(code);
  } else {
    text = text.substr(finding.match.begin);
    const std::string_view known =
        finding.match.pattern != nullptr ? finding.match.pattern->type : "";
    // Only a message that stands alone has lost its class.
    const bool alone = before.find_first_not_of(' ') == before.npos;
    if (alone && !known.empty() && !text.starts_with(known))
      text = std::string(known) + ": " + text;
  }
  trim(text);
  return text;
}

}  // namespace sinter::diagnose::log
