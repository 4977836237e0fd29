#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sinter/diagnose/log/excerpt.h"
#include "sinter/diagnose/log/lines.h"

namespace sinter::diagnose::log {

/// A line in the sense of the program that wrote it, put together where a logger has wrapped it.
struct Record {
  std::size_t first_line = 0;
  std::size_t last_line = 0;
  std::string text;
  Level level = Level::kNone;
  bool stamped = false;
  bool boxed = false;

  bool blank() const { return text.empty(); }
  std::size_t indent() const {
    const std::size_t at = text.find_first_not_of(' ');
    return at == text.npos ? text.size() : at;
  }
};

std::vector<Record> read_records(std::vector<RawLine> lines);

/// Whether `next` may be the rest of a line that a terminal broke.
bool may_continue(const Record& record, const Record& next);

}  // namespace sinter::diagnose::log
