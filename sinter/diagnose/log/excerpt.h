#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sinter::diagnose::log {

/// A line of the log as it stands there.
struct RawLine {
  std::size_t number = 0;  // from 1
  std::string text;
  std::size_t further = 0;  // lines of the file that belong to it, too (see wrapping.h)
};

/// What is worth reading of a log of any length: all of a short one; of a longer one its beginning,
/// its end, and the neighbourhoods of lines that sound like trouble, each kind a few times.
///
/// Memory stays below 32 MiB. The result does not depend on how the text was cut into pieces.
class Excerpt {
 public:
  /// The next piece, UTF-8 or nearly.
  void add(std::string_view text);

  /// The lines in order, where lines are left out an empty one stands for them. Call once.
  std::vector<RawLine> finish();

  std::size_t lines_read() const { return next_number_ - 1; }

 private:
  void take_block(std::string_view block, bool last);
  void take_whole(std::string_view block);
  void take_windows(std::string_view block);
  void keep(std::string_view lines, std::size_t first_number);
  bool is_news(std::string_view line);

  std::string pending_;
  std::size_t next_number_ = 1;
  std::size_t kept_bytes_ = 0;
  std::size_t last_kept_ = 0;   // number of the last kept line
  std::size_t lines_owed_ = 0;  // after a hit in an earlier block
  std::vector<RawLine> kept_;
  std::unordered_map<std::uint64_t, int> seen_;
  std::string tail_;
  std::size_t tail_number_ = 1;
};

/// Whether a line by itself would be kept of a long log.
bool sounds_like_trouble(std::string_view line);

}  // namespace sinter::diagnose::log
