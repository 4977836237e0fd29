#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/diagnose/language.h"
#include "sinter/diagnose/log/rule.h"

namespace sinter::diagnose::log {

/// A sentence put together at run time, in both languages.
struct Sentence {
  std::string english;
  std::string chinese;

  const std::string& in(Language language) const {
    return language == Language::kChinese ? chinese : english;
  }
};

/// A line of the log that proves a fault.
struct Evidence {
  std::size_t line = 0;  // from 1
  std::string text;      // without colours, stamps and bars; long ones are cut
};

/// One thing that is wrong.
struct Fault {
  std::string cause;  // id of the row in the table of causes
  Domain domain{};
  std::string root_exception;  // class and message, on one line
  std::string component;  // "text encoder", "unet", "vae", "controlnet", "lora", "loader", "env",
                          // "builder", "runtime", "output" or "unknown"
  std::string operation;  // operator; may be empty
  std::string argument;   // may be empty
  Side side = Side::kUnknown;
  Sentence meaning;
  std::vector<Sentence> notes;  // what the numbers and the wording say; may be empty
  std::vector<Text> fixes;      // cheapest first
  Text confirm;
  std::vector<Evidence> evidence;
};

struct Diagnosis {
  std::vector<Fault> faults;  // independent ones, the root of each; in the order of the log
  std::size_t lines = 0;      // read
};

/// Reads a log of any length and says what went wrong. Memory is bounded.
class LogReader {
 public:
  LogReader();
  ~LogReader();
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  /// The next bytes, in any encoding that PowerShell and terminals write.
  void feed(std::string_view bytes);

  /// Call once, after the last byte.
  Diagnosis finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The same for a text in memory.
Diagnosis diagnose_log(std::string_view text);

}  // namespace sinter::diagnose::log
