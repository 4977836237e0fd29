#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sinter/diagnose/log/matcher.h"
#include "sinter/diagnose/log/records.h"
#include "sinter/diagnose/log/traceback.h"

namespace sinter::diagnose::log {

/// A log taken apart.
struct LogParts {
  std::vector<Record> records;
  std::vector<Exception> exceptions;
};

/// How near something is to a cause; the faults of a log are those of the best rank in it.
enum class Rank {
  kCause,
  kError,     // a symptom, or an exception that no pattern knows
  kSteering,  // an unknown exception of a class that programs use to steer
  kSuspicion,
};

/// A pattern found in the log, or an exception that no pattern knows, before it is explained.
struct Finding {
  Match match;       // its pattern is null for an unknown exception
  std::string text;  // in which it was found
  std::size_t record = 0;
  std::string_view guess;   // a cause by the words of an error line that no pattern knows; else ""
  int exception = -1;       // whose message it is in, or whose stack stands beside it
  bool in_message = false;  // the match is in that exception's message
  Rank rank = Rank::kCause;
  bool aside = false;             // the program went on: an extension that was left out, a warning
  std::vector<std::size_t> also;  // records of repetitions and symptoms of the same cause
};

/// Every pattern in the log, and every exception that none explains, in order.
std::vector<Finding> find_all(const LogParts& parts);

/// Drops what others explain: consequences in a chain, symptoms where a cause is known,
/// repetitions. In the order of the log, what the program survived last.
std::vector<Finding> independent(const LogParts& parts, std::vector<Finding> findings);

/// The class and message of what was found, as one line.
std::string root_text(const LogParts& parts, const Finding& finding);

}  // namespace sinter::diagnose::log
