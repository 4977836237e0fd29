#include "sinter/cli/interrupt.h"

#include <csignal>
#include <cstdlib>

namespace sinter::cli {
namespace {

volatile std::sig_atomic_t noted = 0;

extern "C" void note(int signal) {
  noted = signal;
  std::signal(signal, SIG_DFL);
}

constexpr int kSignals[] = {SIGINT, SIGTERM};

}  // namespace

Interrupt::Interrupt() {
  noted = 0;
  for (const int signal : kSignals) std::signal(signal, note);
}

Interrupt::~Interrupt() {
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
}

bool Interrupt::requested() const { return noted != 0; }

void Interrupt::end() const {
  const int signal = noted;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  std::abort();  // not reached: the default of both is to end
}

}  // namespace sinter::cli
