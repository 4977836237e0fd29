#include "sinter/verify/tolerance.h"

#include <array>

namespace sinter::verify {
namespace {

// float32: the references themselves agree to 1e-5 between two implementations; summation order in
//   other kernels adds up to another order of magnitude.
// float16: 11 bits of significand through some hundred layers, measured at 1.5e-3 and 2.7e-4.
// bfloat16: 8 bits, three fewer, so eight times float16's; measured on UNets at 1.8e-2 and 3.8e-3.
constexpr std::array kTolerances{
    Tolerance{"float32", DType::kF32, 1e-4, 1e-4},
    Tolerance{"float16", DType::kF16, 1e-2, 1e-3},
    Tolerance{"bfloat16", DType::kBF16, 8e-2, 8e-3},
};

}  // namespace

constexpr Tolerance kTensorRtTolerance{"TensorRT", DType::kF16, 2e-2, 2e-3};

const Tolerance& tolerance_for(DType compute) {
  for (const Tolerance& row : kTolerances) {
    if (row.compute == compute) return row;
  }
  // float64 is held to the references' own float32, anything coarser to the coarsest row.
  return compute == DType::kF64 ? kTolerances.front() : kTolerances.back();
}

const Tolerance& coarser(const Tolerance& a, const Tolerance& b) { return a.max < b.max ? b : a; }

}  // namespace sinter::verify
