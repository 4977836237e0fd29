#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sinter/diagnose/memory/trace.h"

namespace sinter::diagnose::memory {

/// One value a round.
struct Point {
  double round = 0;
  double mb = 0;
  std::size_t line = 0;
};
using Points = std::vector<Point>;

/// The samples that stand for one moment of every round, the end of it where the log has that.
struct Series {
  Points allocated;
  Points reserved;
  Points gap;  // reserved less allocated
  Points used;
  Points allocations;
  bool by_round = false;  // the log numbers the rounds; else samples are counted from 1

  /// Of what the program itself holds, else of the whole device.
  const Points& held() const {
    return !allocated.empty() ? allocated : !used.empty() ? used : reserved;
  }
};

Series series_of(const Trace& trace);

/// How values go on over the rounds, beyond the first two, in which workspaces are made.
struct Trend {
  double slope = 0;          // MB a round: the median of the slopes between all pairs (Theil, Sen)
  double least_squares = 0;  // the same by least squares
  double rise = 0;           // of the last third's median over the first third's
  double noise = 0;          // typical distance from the line
  bool steady = false;       // it rises from the first third to the middle one and on to the last
  bool climbing = false;     // steady, and far more than the noise
  int rises = 0;             // rounds after which more was held than ever before
  std::size_t flat_from =
      0;  // index of the first value from which on all stay near the last median
};

Trend trend_of(const Points& points);

}  // namespace sinter::diagnose::memory
