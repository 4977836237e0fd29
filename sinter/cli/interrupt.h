#pragma once

namespace sinter::cli {

/// While it lives, the first Ctrl-C (or SIGTERM) is noted instead of ending the process, so that
/// work which can be stopped ends cleanly; the second ends the process at once.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool requested() const;

  /// Ends the process as the signal would have.
  [[noreturn]] void end() const;
};

}  // namespace sinter::cli
