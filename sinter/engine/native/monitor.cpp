#include "sinter/engine/native/monitor.h"

#include <algorithm>

namespace sinter::engine::native::SINTER_BACKEND {

void Monitor::tell() {
  if (!report_ || stopped_ || phases_.empty()) return;
  double fraction = 0;
  double share = 1;  // of the whole, of one step of the phase
  for (const Phase& phase : phases_) {
    share /= std::max(phase.steps, 1);
    fraction += share * phase.done;
  }
  // Phases that begin anew inside another must not turn the bar back.
  fraction_ = std::clamp(fraction, fraction_, 1.0);
  stopped_ = !report_({.phase = phases_.back().name, .fraction = fraction_});
}

void Monitor::phaseStart(const char* phase, const char*, std::int32_t steps) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    phases_.push_back({phase == nullptr ? "" : phase, steps, 0});
    tell();
  } catch (...) {  // the library's call: passed on when it has returned
    thrown_ = std::current_exception();
    stopped_ = true;
  }
}

bool Monitor::stepComplete(const char* phase, std::int32_t step) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    const auto found = std::find_if(phases_.rbegin(), phases_.rend(),
                                    [&](const Phase& known) { return known.name == phase; });
    if (found != phases_.rend()) found->done = std::min(step + 1, found->steps);
    tell();
  } catch (...) {  // as above
    thrown_ = std::current_exception();
    stopped_ = true;
  }
  return !stopped_;
}

void Monitor::phaseFinish(const char* phase) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(phases_.rbegin(), phases_.rend(),
                                  [&](const Phase& known) { return known.name == phase; });
  if (found != phases_.rend()) phases_.erase(std::next(found).base());
}

}  // namespace sinter::engine::native::SINTER_BACKEND
