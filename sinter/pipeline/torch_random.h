#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "sinter/base/tensor.h"

namespace sinter::pipeline {

/// torch.Generator on the CPU with its normal distribution: the same seed gives torch.randn's
/// numbers to the last bits (PyTorch's vector code rounds its logarithm and cosine differently; to
/// 1e-6).
///
/// Draws continue one stream, as consecutive torch.randn calls with one generator do.
/// Source: MT19937 of Matsumoto and Nishimura 1998, seeded with the low 32 bits of the seed; Box
/// and Muller 1958 in double precision for fewer than 16 elements, in blocks of 16 in single
/// precision from there on.
class TorchRandom {
 public:
  explicit TorchRandom(std::uint64_t seed);

  /// Independent standard normal numbers, float32.
  Tensor normal(Shape shape);
  void normal(std::span<float> values);

 private:
  std::uint32_t next();
  float uniform_float();    // [0,1), 24 bits
  double uniform_double();  // [0,1), 53 bits
  double normal_double();
  void refill();

  std::array<std::uint32_t, 624> state_{};
  std::size_t position_ = 0;
  std::optional<double> second_;  // the other normal number of the last pair
};

}  // namespace sinter::pipeline
