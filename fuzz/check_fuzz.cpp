// Any bytes as an ONNX file that is judged: findings are values, and only sinter::Error may come
// out of a file that is none. What would be folded is planned too, and the sizes that it claims.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "sinter/base/error.h"
#include "sinter/check/check.h"
#include "sinter/check/trial_inputs.h"
#include "sinter/fold/fold_plan.h"
#include "sinter/graph/onnx_outline.h"

namespace {

/// Beside the small weight file of the tests, so that some external data is found.
const std::filesystem::path kPath = SINTER_TEST_DATA "/engine/fuzz.onnx";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const sinter::graph::Outline file =
        sinter::graph::outline_of(std::as_bytes(std::span(data, size)), kPath);
    for (const sinter::check::TargetFacts& target : sinter::check::targets()) {
      sinter::check::check(file, {.target = target.target});
    }
    sinter::check::trial_inputs(file);
    sinter::fold::known_sizes(file);
    sinter::fold::plan_folds(file);
  } catch (const sinter::Error&) {
  }
  return 0;
}
