#pragma once

#include <cstdint>
#include <vector>

namespace sinter::adapters {

/// The inner half of a Tucker decomposition of a convolution: what one factor and the core give.
///
/// core: [left, right, kernel], inputs: [right, inputs]. Returns [left, inputs * kernel].
/// Source: LyCORIS, Yeh et al. 2023 (arXiv 2309.14859), section B.
struct TuckerCore {
  std::int64_t left;
  std::int64_t right;
  std::int64_t inputs;
  std::int64_t kernel;
};
std::vector<float> contract_core(const TuckerCore& shape, const std::vector<float>& core,
                                 const std::vector<float>& inputs);

/// Refuses a rank that nobody trains: the contracted core grows with it, and a forged one must not
/// allocate.
/// @throws Error{kShapeMismatch}.
void require_core_rank(std::int64_t rank);

}  // namespace sinter::adapters
