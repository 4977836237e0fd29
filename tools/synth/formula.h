#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sinter/base/shape.h"

namespace sinter::synth {

/// value = offset + scale * v, v uniform in [-1, 1): how a tensor's values come from the generator.
struct Formula {
  std::uint64_t hash;  // FNV-1a 64 of the key
  double scale;
  double offset;  // 0 or 1
};

Formula formula_of(std::string_view key, const Shape& shape);

/// Values first, first + 1, ... of the tensor, as float32. Any start: values do not depend on each
/// other.
void fill_random(const Formula& formula, std::uint64_t first, std::span<float> values);

/// Whether the tensor is a schedule buffer: a vector of 1000 whose key has no dot.
bool is_schedule(std::string_view key, const Shape& shape);

/// The buffer of that name: "betas", "alphas_cumprod", zeros for others. values: 1000.
void fill_schedule(std::string_view key, std::span<float> values);

}  // namespace sinter::synth
