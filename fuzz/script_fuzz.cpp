// Any bytes as a Python script: reading it along its paths may refuse them, but only with
// sinter::Error.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "sinter/base/error.h"
#include "sinter/lint/lint.h"
#include "sinter/lint/report/edits.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using sinter::lint::Finding;
  try {
    const sinter::lint::ScriptReport report = sinter::lint::check_script(
        "fuzz.py", std::string(reinterpret_cast<const char*>(data), size));
    for (const Finding& finding : report.findings) {
      if (finding.message.empty() || finding.place.end > size) std::abort();
      sinter::lint::apply_edits(report.text, {&finding.edit});
    }
  } catch (const sinter::Error&) {
    return 0;
  }
  return 0;
}
