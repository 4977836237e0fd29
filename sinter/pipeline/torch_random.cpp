#include "sinter/pipeline/torch_random.h"

#include <cmath>
#include <numbers>

namespace sinter::pipeline {
namespace {

constexpr std::size_t kShift = 397;
constexpr std::size_t kBlock = 16;

std::uint32_t twist(std::uint32_t upper, std::uint32_t lower) {
  const std::uint32_t mixed = (upper & 0x80000000u) | (lower & 0x7FFFFFFFu);
  return (mixed >> 1) ^ ((lower & 1u) != 0 ? 0x9908B0DFu : 0u);
}

// Sixteen uniform numbers become normal: the first eight give radii, the others angles.
void box_muller(std::span<float, kBlock> block) {
  for (std::size_t j = 0; j < kBlock / 2; ++j) {
    const float radius = std::sqrt(-2.0f * std::log(1.0f - block[j]));
    const float angle = 2.0f * std::numbers::pi_v<float> * block[j + kBlock / 2];
    block[j] = radius * std::cos(angle);
    block[j + kBlock / 2] = radius * std::sin(angle);
  }
}

}  // namespace

TorchRandom::TorchRandom(std::uint64_t seed) : position_(state_.size()) {
  // PyTorch keeps 64 bits of seed but uses 32 of them.
  state_[0] = static_cast<std::uint32_t>(seed);
  for (std::uint32_t j = 1; j < state_.size(); ++j)
    state_[j] = 1812433253u * (state_[j - 1] ^ (state_[j - 1] >> 30)) + j;
}

void TorchRandom::refill() {
  const std::size_t size = state_.size();
  for (std::size_t i = 0; i < size; ++i) {
    state_[i] = state_[(i + kShift) % size] ^ twist(state_[i], state_[(i + 1) % size]);
  }
  position_ = 0;
}

std::uint32_t TorchRandom::next() {
  if (position_ == state_.size()) refill();
  std::uint32_t y = state_[position_++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9D2C5680u;
  y ^= (y << 15) & 0xEFC60000u;
  return y ^ (y >> 18);
}

float TorchRandom::uniform_float() { return static_cast<float>(next() & 0xFFFFFFu) * 0x1.0p-24f; }

double TorchRandom::uniform_double() {
  const std::uint64_t high = next();
  const std::uint64_t bits = (high << 32) | next();
  return static_cast<double>(bits & ((std::uint64_t{1} << 53) - 1)) * 0x1.0p-53;
}

double TorchRandom::normal_double() {
  if (second_) {
    const double kept = *second_;
    second_.reset();
    return kept;
  }
  const double angle = 2.0 * std::numbers::pi * uniform_double();
  const double radius = std::sqrt(-2.0 * std::log1p(-uniform_double()));
  second_ = radius * std::sin(angle);
  return radius * std::cos(angle);
}

void TorchRandom::normal(std::span<float> values) {
  if (values.size() < kBlock) {
    for (float& value : values) value = static_cast<float>(normal_double());
    return;
  }
  for (float& value : values) value = uniform_float();
  for (std::size_t begin = 0; begin + kBlock <= values.size(); begin += kBlock)
    box_muller(values.subspan(begin).first<kBlock>());
  if (values.size() % kBlock != 0) {
    // The last sixteen are drawn anew, over what the whole blocks left in some of them.
    const auto tail = values.last<kBlock>();
    for (float& value : tail) value = uniform_float();
    box_muller(tail);
  }
}

Tensor TorchRandom::normal(Shape shape) {
  Tensor result(DType::kF32, std::move(shape));
  normal(result.floats());
  return result;
}

}  // namespace sinter::pipeline
