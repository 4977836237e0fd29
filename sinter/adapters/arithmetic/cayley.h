#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sinter::adapters {

/// Rotations out of free parameters: Q = A - A^T of each block, R = (I + Q)(I - Q)^-1.
///
/// blocks: [count, size, size]. constraint: the largest norm of all Q together, which are scaled
/// down to it; 0: none. Returns [count, size, size]. Computed in double: an inverse.
/// Source: Cayley's transform, as Qiu et al. 2023 (arXiv 2306.07280), section 3.3, uses it.
std::vector<float> cayley_rotations(std::span<const float> blocks, std::int64_t size,
                                    double constraint);

}  // namespace sinter::adapters
