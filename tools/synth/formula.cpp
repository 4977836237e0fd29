#include "tools/synth/formula.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace sinter::synth {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;
constexpr std::size_t kScheduleLength = 1000;

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return hash;
}

// Of 24 bits, so the integer fits int32 (which every vector unit converts) and the value is exact.
// Two roundings where the offset is not zero, as in the reference: this file is compiled with
// -ffp-contract=off, since a fused multiply-add would round once.
inline __attribute__((always_inline)) void fill_body(std::uint64_t state, double scale,
                                                     double offset, float* values,
                                                     std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t z = state + i * kGolden;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    const double v = static_cast<double>(static_cast<std::int32_t>(z >> 40)) * 0x1p-23 - 1.0;
    values[i] = static_cast<float>(offset + scale * v);
  }
}

void fill_portable(std::uint64_t state, double scale, double offset, float* values,
                   std::size_t count) {
  fill_body(state, scale, offset, values, count);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void fill_avx2(std::uint64_t state, double scale, double offset,
                                               float* values, std::size_t count) {
  fill_body(state, scale, offset, values, count);
}

__attribute__((target("avx512f,avx512dq,avx512vl"))) void fill_avx512(std::uint64_t state,
                                                                      double scale, double offset,
                                                                      float* values,
                                                                      std::size_t count) {
  fill_body(state, scale, offset, values, count);
}
#endif

using Fill = void (*)(std::uint64_t, double, double, float*, std::size_t);

Fill best_fill() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) return fill_avx512;
  if (__builtin_cpu_supports("avx2")) return fill_avx2;
#endif
  return fill_portable;
}

}  // namespace

Formula formula_of(std::string_view key, const Shape& shape) {
  const std::uint64_t hash = fnv1a(key);
  if (shape.size() >= 2) {
    double fan_in = 1;
    for (const std::int64_t extent : std::span(shape).subspan(1)) {
      fan_in *= static_cast<double>(extent);
    }
    return {hash, std::sqrt(3.0 / fan_in), 0.0};
  }
  if (shape.size() == 1 && key.ends_with("weight")) return {hash, 0.1, 1.0};
  return {hash, 0.1, 0.0};
}

void fill_random(const Formula& formula, std::uint64_t first, std::span<float> values) {
  static const Fill fill = best_fill();
  fill(formula.hash + (first + 1) * kGolden, formula.scale, formula.offset, values.data(),
       values.size());
}

bool is_schedule(std::string_view key, const Shape& shape) {
  return key.find('.') == key.npos && shape == Shape{kScheduleLength};
}

void fill_schedule(std::string_view key, std::span<float> values) {
  std::fill(values.begin(), values.end(), 0.0f);
  if (key != "betas" && key != "alphas_cumprod") return;
  const double start = std::pow(0.00085, 0.5);
  const double stop = std::pow(0.012, 0.5);
  const double step = (stop - start) / static_cast<double>(kScheduleLength - 1);
  double product = 1.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double root = i + 1 == kScheduleLength ? stop : static_cast<double>(i) * step + start;
    const double beta = root * root;
    product *= 1.0 - beta;
    values[i] = static_cast<float>(key == "betas" ? beta : product);
  }
}

}  // namespace sinter::synth
