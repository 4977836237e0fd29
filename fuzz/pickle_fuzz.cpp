// Any bytes as a pickle program: it may be refused, but only with sinter::Error, and what it leaves
// can be quoted and walked.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sinter/base/error.h"
#include "sinter/weights/pickle/machine.h"
#include "sinter/weights/torch/tensor_walk.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sinter::weights;
  const std::string_view program(static_cast<const char*>(static_cast<const void*>(data)), size);
  pickle::Values values;
  pickle::Findings findings;
  pickle::Machine machine(values, findings);
  try {
    const pickle::Ref root = machine.run(program);
    if (machine.consumed() > size) std::abort();
    pickle::quote(values, root);
    torch::walk_tensors(values, root);
  } catch (const sinter::Error&) {
  }
  for (const pickle::DangerousUse& use : findings.dangerous)
    if (!findings.globals.contains(use.global)) std::abort();
  return 0;
}
