#include "sinter/adapters/arithmetic/cayley.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace sinter::adapters {
namespace {

/// Solves R (I - Q) = (I + Q) for one block: since Q is skew, (I - Q)^T = I + Q, and R^T solves
/// (I + Q) R^T = (I - Q). Its real part is the identity, so that it is never singular; rows are
/// exchanged all the same, for the sake of large Q.
class BlockSolver {
 public:
  explicit BlockSolver(std::size_t size) : size_(size), rows_(size * 2 * size) {}

  void solve(std::span<const double> q, std::span<float> rotation) {
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t j = 0; j < size_; ++j) {
        const double identity = i == j ? 1 : 0;
        at(i, j) = identity + q[i * size_ + j];
        at(i, size_ + j) = identity - q[i * size_ + j];
      }
    for (std::size_t pivot = 0; pivot < size_; ++pivot) eliminate(pivot);
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t j = 0; j < size_; ++j)
        rotation[j * size_ + i] = static_cast<float>(at(i, size_ + j));
  }

 private:
  double& at(std::size_t row, std::size_t column) { return rows_[row * 2 * size_ + column]; }

  void eliminate(std::size_t pivot) {
    std::size_t best = pivot;
    for (std::size_t row = pivot + 1; row < size_; ++row)
      if (std::abs(at(row, pivot)) > std::abs(at(best, pivot))) best = row;
    for (std::size_t column = 0; best != pivot && column < 2 * size_; ++column)
      std::swap(at(best, column), at(pivot, column));
    const double inverse = 1 / at(pivot, pivot);
    for (std::size_t column = 0; column < 2 * size_; ++column) at(pivot, column) *= inverse;
    for (std::size_t row = 0; row < size_; ++row) {
      if (row == pivot) continue;
      const double factor = at(row, pivot);
      for (std::size_t column = pivot; column < 2 * size_; ++column)
        at(row, column) -= factor * at(pivot, column);
    }
  }

  std::size_t size_;
  std::vector<double> rows_;  // [size, 2 size]: I + Q beside I - Q
};

}  // namespace

std::vector<float> cayley_rotations(std::span<const float> blocks, std::int64_t size,
                                    double constraint) {
  const auto width = static_cast<std::size_t>(size);
  const std::size_t area = width * width;
  std::vector<double> skew(blocks.size());
  double square = 0;
  for (std::size_t begin = 0; begin < blocks.size(); begin += area)
    for (std::size_t i = 0; i < width; ++i)
      for (std::size_t j = 0; j < width; ++j) {
        const double value = static_cast<double>(blocks[begin + i * width + j]) -
                             static_cast<double>(blocks[begin + j * width + i]);
        skew[begin + i * width + j] = value;
        square += value * value;
      }
  const double norm = std::sqrt(square);
  if (constraint > 0 && norm > constraint)
    for (double& value : skew) value *= constraint / norm;
  std::vector<float> rotations(blocks.size());
  BlockSolver solver(width);
  for (std::size_t begin = 0; begin < blocks.size(); begin += area)
    solver.solve(std::span(skew).subspan(begin, area), std::span(rotations).subspan(begin, area));
  return rotations;
}

}  // namespace sinter::adapters
