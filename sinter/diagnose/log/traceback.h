#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sinter/diagnose/log/records.h"

namespace sinter::diagnose::log {

/// One call of a stack: Python's, IPython's, Rich's or .NET's.
struct Frame {
  std::string path;
  std::string function;
  std::string source;  // the line quoted below it; may be empty
  std::size_t record = 0;
  std::size_t source_record = 0;  // equal to record where nothing is quoted
};

/// How an exception came to follow the one before it.
enum class Link { kNone, kDuringHandling, kDirectCause };

/// An exception with its stack, outermost call first. Where a log is cut, either may be missing.
struct Exception {
  std::string type;     // as written, "torch.cuda.OutOfMemoryError"; empty for a stack without end
  std::string message;  // its first line
  std::size_t record = 0;        // the line with the type, or the last of the stack
  std::size_t first_record = 0;  // of the stack
  std::size_t last_record = 0;   // of the message
  std::vector<Frame> frames;
  Link link = Link::kNone;
  int previous = -1;  // index of the exception that it follows
};

/// The last part of a class name: "torch.cuda.OutOfMemoryError" -> "OutOfMemoryError".
std::string_view class_name(std::string_view type);

/// Classes that programs use to steer (KeyError, StopIteration, WouldBlock, ...): the first of a
/// chain that began with one of them is not where the fault is.
bool is_control_flow(std::string_view type);

/// Every exception and cut stack of a log, in order.
std::vector<Exception> read_tracebacks(const std::vector<Record>& records);

}  // namespace sinter::diagnose::log
