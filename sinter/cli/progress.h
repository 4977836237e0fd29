#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace sinter::cli {

/// Progress on standard error: a bar in a terminal, a line now and then elsewhere. Nothing in the
/// first second.
class Progress {
 public:
  /// title stands before the bar; unit is what is counted per second ("it", "MB").
  Progress(std::string title, std::string unit);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// detail: what is being worked on.
  void update(std::string_view detail, double done, double total);

  /// A piece of work that cannot be divided begins.
  void stage(std::string_view text);

  /// Ends the bar's line.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void redraw(const std::string& line);  // on a terminal

  std::string title_;
  std::string unit_;
  std::string detail_;
  Clock::time_point start_ = Clock::now();  // of the present detail
  Clock::time_point shown_ = Clock::now();  // last time that something was printed
  int columns_;
  bool open_ = false;
};

/// The same counting bytes.
class ByteProgress {
 public:
  explicit ByteProgress(std::string title) : progress_(std::move(title), "MB") {}
  void update(std::string_view detail, std::uint64_t done, std::uint64_t total) {
    progress_.update(detail, static_cast<double>(done) / 1e6, static_cast<double>(total) / 1e6);
  }
  void finish() { progress_.finish(); }

 private:
  Progress progress_;
};

}  // namespace sinter::cli
