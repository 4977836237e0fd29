// The log reader on any bytes: whatever a log holds, there is an answer and no exception, the same
// for the whole and for pieces, and its evidence is in the log.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sinter/diagnose/log/diagnosis.h"

using sinter::diagnose::log::Diagnosis;
using sinter::diagnose::log::Fault;
using sinter::diagnose::log::LogReader;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Diagnosis whole = sinter::diagnose::log::diagnose_log(text);
  LogReader reader;
  for (std::size_t i = 0; i < size; i += 7) reader.feed(text.substr(i, 7));
  const Diagnosis pieces = reader.finish();
  if (whole.faults.size() != pieces.faults.size()) std::abort();
  for (const Fault& fault : whole.faults) {
    if (fault.root_exception.empty() || fault.evidence.empty()) std::abort();
    for (const auto& line : fault.evidence)
      if (line.line == 0 || line.line > whole.lines) std::abort();
  }
  return 0;
}
