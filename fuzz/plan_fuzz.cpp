// Any bytes as a plan file: reading may refuse them, but only with sinter::Error, and what it takes
// comes back from its own text.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sinter/base/error.h"
#include "sinter/plan/plan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(static_cast<const char*>(static_cast<const void*>(data)), size);
  try {
    const sinter::plan::Plan plan = sinter::plan::plan_from_json(text);
    if (sinter::plan::plan_from_json(sinter::plan::to_json(plan)) != plan) std::abort();
  } catch (const sinter::Error&) {
  }
  return 0;
}
