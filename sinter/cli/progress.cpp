#include "sinter/cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "sinter/base/process.h"
#include "sinter/cli/text.h"

namespace sinter::cli {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};     // of a bar
constexpr std::chrono::milliseconds kNextLine{2000};  // of plain lines
constexpr std::chrono::milliseconds kQuiet{1000};     // before anything is shown on a terminal

std::string rate(double done, double seconds, const std::string& unit) {
  const double value = seconds > 0 ? done / seconds : 0;
  // Below one a second, people read seconds a step.
  return value >= 1 || value <= 0 ? fmt::format("{:.2f} {}/s", value, unit)
                                  : fmt::format("{:.2f} s/{}", 1 / value, unit);
}

}  // namespace

Progress::Progress(std::string title, std::string unit)
    : title_(std::move(title)), unit_(std::move(unit)), columns_(terminal_columns()) {}

void Progress::redraw(const std::string& line) {
  fmt::print(stderr, "\r\x1b[K{}", line);
  std::fflush(stderr);
  open_ = true;
}

void Progress::stage(std::string_view text) {
  const Clock::time_point now = Clock::now();
  const bool terminal = columns_ > 0;
  // A terminal shows every stage but those of a quick run; plain lines come now and then.
  if (!open_ && now - shown_ < (terminal ? kQuiet : kNextLine)) return;
  shown_ = now;
  const std::string line = fmt::format("{} {}", title_, text);
  if (terminal) {
    redraw(line.substr(0, static_cast<std::size_t>(columns_)));
  } else {
    fmt::print(stderr, "{}\n", line);
  }
}

void Progress::update(std::string_view detail, double done, double total) {
  const Clock::time_point now = Clock::now();
  if (detail != detail_) {
    detail_ = detail;
    start_ = now;
  }
  const bool last = done >= total;
  const bool terminal = columns_ > 0;
  if (now - shown_ < (terminal ? (open_ ? kRedraw : kQuiet) : kNextLine) && !(last && open_))
    return;
  shown_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double fraction = total > 0 ? std::clamp(done / total, 0.0, 1.0) : 0;
  const std::string head = fmt::format("{} {}", title_, detail_);
  std::string tail = fmt::format("{:.0f}/{:.0f} {}", done, total, unit_);
  if (fraction > 0) {
    tail += fmt::format(", {}, {} left", rate(done, seconds, unit_),
                        human_seconds(seconds / fraction - seconds));
  }
  if (!terminal) {
    fmt::print(stderr, "{}: {}\n", head, tail);
    return;
  }
  const int room = columns_ - static_cast<int>(head.size() + tail.size()) - 6;
  std::string bar;
  if (room >= 8) {
    const int width = std::min(room, 40);
    const int filled = static_cast<int>(fraction * width);
    bar = fmt::format("[{}{}] ", std::string(static_cast<std::size_t>(filled), '#'),
                      std::string(static_cast<std::size_t>(width - filled), '.'));
  }
  redraw(fmt::format("{} {}{}", head, bar, tail));
}

void Progress::finish() {
  if (open_) fmt::print(stderr, "\n");
  open_ = false;
}

}  // namespace sinter::cli
