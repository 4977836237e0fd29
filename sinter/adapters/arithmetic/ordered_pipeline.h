#pragma once

#include <cstddef>
#include <functional>

namespace sinter::adapters {

/// Makes numbered pieces on several threads and hands them on in order.
struct OrderedPipeline {
  std::size_t pieces;
  unsigned threads;   // that make; at least 1
  std::size_t slots;  // pieces that may wait to be handed on
  /// Makes a piece into a slot; called from several threads, for different slots.
  std::function<void(std::size_t piece, std::size_t slot)> make;
  /// Takes a made piece; called by the caller's thread, in order.
  std::function<void(std::size_t piece, std::size_t slot)> take;
};

/// Runs it to the end. The first exception of either function ends it and is thrown.
void run_pipeline(const OrderedPipeline& pipeline);

}  // namespace sinter::adapters
