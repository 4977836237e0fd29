#include "sinter/adapters/arithmetic/matrix_product.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sinter::adapters {
namespace {

struct Product {
  float* out;
  const float* left;
  const float* right;
  std::size_t rows;
  std::size_t inner;
  std::size_t columns;
  float factor;
};

/// The part of a product from a column on.
void add_scalar(const Product& p, std::size_t first_column) {
  for (std::size_t row = 0; row < p.rows; ++row) {
    for (std::size_t column = first_column; column < p.columns; ++column) {
      float sum = 0;
      for (std::size_t k = 0; k < p.inner; ++k)
        sum = std::fma(p.left[row * p.inner + k], p.right[k * p.columns + column], sum);
      float& value = p.out[row * p.columns + column];
      value = std::fma(p.factor, sum, value);
    }
  }
}

#if defined(__x86_64__)

// A block of sums stays in registers: 4 rows of 4 vectors are 16 of AVX-512's 32, 4 rows of 2 are
// half of AVX2's 16. The loops over a block have to be unrolled for that at any level.
constexpr std::size_t kBlockRows = 4;
constexpr std::size_t kStrip512 = 64;
constexpr std::size_t kStrip256 = 16;

/// Columns of the right matrix in a row: a width that is a power of two would put all of them into
/// a few sets of the cache.
void pack_strip(const Product& p, std::size_t column, std::size_t width, std::span<float> strip) {
  for (std::size_t k = 0; k < p.inner; ++k)
    std::copy_n(p.right + k * p.columns + column, width, strip.data() + k * width);
}

template <std::size_t kRows>
__attribute__((target("avx512f"))) inline void add_block_512(const Product& p, const float* right,
                                                             std::size_t row, std::size_t column) {
  constexpr std::size_t kVectors = 4;
  __m512 sums[kRows][kVectors];
#pragma GCC unroll 4
  for (auto& of_row : sums)
#pragma GCC unroll 4
    for (__m512& sum : of_row) sum = _mm512_setzero_ps();
  for (std::size_t k = 0; k < p.inner; ++k, right += kStrip512) {
    __m512 values[kVectors];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) values[v] = _mm512_loadu_ps(right + 16 * v);
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRows; ++r) {
      const __m512 weight = _mm512_set1_ps(p.left[(row + r) * p.inner + k]);
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v)
        sums[r][v] = _mm512_fmadd_ps(weight, values[v], sums[r][v]);
    }
  }
  const __m512 factor = _mm512_set1_ps(p.factor);
#pragma GCC unroll 4
  for (std::size_t r = 0; r < kRows; ++r) {
    float* out = p.out + (row + r) * p.columns + column;
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v)
      _mm512_storeu_ps(out + 16 * v,
                       _mm512_fmadd_ps(factor, sums[r][v], _mm512_loadu_ps(out + 16 * v)));
  }
}

/// Returns the columns that were done.
__attribute__((target("avx512f"))) std::size_t add_512(const Product& p) {
  std::vector<float> strip(p.inner * kStrip512);
  std::size_t column = 0;
  for (; column + kStrip512 <= p.columns; column += kStrip512) {
    pack_strip(p, column, kStrip512, strip);
    std::size_t row = 0;
    for (; row + kBlockRows <= p.rows; row += kBlockRows)
      add_block_512<kBlockRows>(p, strip.data(), row, column);
    for (; row < p.rows; ++row) add_block_512<1>(p, strip.data(), row, column);
  }
  return column;
}

template <std::size_t kRows>
__attribute__((target("avx2,fma"))) inline void add_block_256(const Product& p, const float* right,
                                                              std::size_t row, std::size_t column) {
  constexpr std::size_t kVectors = 2;
  __m256 sums[kRows][kVectors];
#pragma GCC unroll 4
  for (auto& of_row : sums)
#pragma GCC unroll 4
    for (__m256& sum : of_row) sum = _mm256_setzero_ps();
  for (std::size_t k = 0; k < p.inner; ++k, right += kStrip256) {
    __m256 values[kVectors];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) values[v] = _mm256_loadu_ps(right + 8 * v);
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRows; ++r) {
      const __m256 weight = _mm256_set1_ps(p.left[(row + r) * p.inner + k]);
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v)
        sums[r][v] = _mm256_fmadd_ps(weight, values[v], sums[r][v]);
    }
  }
  const __m256 factor = _mm256_set1_ps(p.factor);
#pragma GCC unroll 4
  for (std::size_t r = 0; r < kRows; ++r) {
    float* out = p.out + (row + r) * p.columns + column;
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v)
      _mm256_storeu_ps(out + 8 * v,
                       _mm256_fmadd_ps(factor, sums[r][v], _mm256_loadu_ps(out + 8 * v)));
  }
}

__attribute__((target("avx2,fma"))) std::size_t add_256(const Product& p) {
  std::vector<float> strip(p.inner * kStrip256);
  std::size_t column = 0;
  for (; column + kStrip256 <= p.columns; column += kStrip256) {
    pack_strip(p, column, kStrip256, strip);
    std::size_t row = 0;
    for (; row + kBlockRows <= p.rows; row += kBlockRows)
      add_block_256<kBlockRows>(p, strip.data(), row, column);
    for (; row < p.rows; ++row) add_block_256<1>(p, strip.data(), row, column);
  }
  return column;
}

#endif

/// The columns that the processor's vectors take.
std::size_t add_vectors([[maybe_unused]] const Product& p) {
#if defined(__x86_64__)
  static const bool has_512 = __builtin_cpu_supports("avx512f");
  static const bool has_256 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_512) return add_512(p);
  if (has_256) return add_256(p);
#endif
  return 0;
}

}  // namespace

void add_product(std::span<float> out, std::span<const float> left, std::span<const float> right,
                 std::int64_t inner, float factor) {
  if (out.empty() || inner == 0) return;
  const auto depth = static_cast<std::size_t>(inner);
  const Product product{.out = out.data(),
                        .left = left.data(),
                        .right = right.data(),
                        .rows = left.size() / depth,
                        .inner = depth,
                        .columns = right.size() / depth,
                        .factor = factor};
  assert(product.rows * product.columns == out.size());
  add_scalar(product, add_vectors(product));
}

}  // namespace sinter::adapters
