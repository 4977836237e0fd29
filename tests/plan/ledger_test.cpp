#include "sinter/plan/ledger.h"

#include <gtest/gtest.h>

namespace sinter::plan {
namespace {

using graph::ValueDeclaration;

/// A network by hand: values of [batch,width] elements.
class Builder {
 public:
  std::size_t input(std::int64_t width, DType dtype = DType::kF16) {
    return value("", width, dtype, true);
  }

  std::size_t node(const std::string& op, std::vector<std::size_t> reads, std::int64_t width,
                   DType dtype = DType::kF16) {
    const std::string name = op + std::to_string(network_.nodes.size());
    const std::size_t made = value(name, width, dtype, false);
    network_.nodes.push_back({name, op, std::move(reads), {made}});
    return made;
  }

  void output(std::size_t value) { network_.values[value].output = true; }

  /// Activations without the workspace that every engine has.
  std::uint64_t activations(EngineSizes kind = EngineSizes::kOne,
                            Norms norms = Norms::kJoined) const {
    const graph::Symbols sizes{{"batch", 1000}};
    return MemoryModel(network_, norms).at(sizes, kind).activations -
           MemoryModel({}).at({}, kind).activations;
  }

  const Network& network() const { return network_; }

 private:
  std::size_t value(const std::string& name, std::int64_t width, DType dtype, bool input) {
    network_.values.push_back(
        {.type = {.name = name, .dtype = dtype, .shape = {-1, width}, .symbols = {"batch", ""}},
         .input = input});
    return network_.values.size() - 1;
  }

  Network network_;
};

TEST(Ledger, CountsWhatIsAliveAtOnceAndNotTheCallersMemory) {
  Builder b;
  const std::size_t x = b.input(64);
  const std::size_t first = b.node("MatMul", {x}, 64);
  const std::size_t second = b.node("MatMul", {first}, 64);
  const std::size_t third = b.node("MatMul", {second}, 64);
  b.output(b.node("MatMul", {third}, 64));
  EXPECT_EQ(b.activations(), 2 * 64 * 2 * 1000u);
}

TEST(Ledger, ASkipStaysAliveUntilItIsRead) {
  Builder b;
  const std::size_t skip = b.node("MatMul", {b.input(64)}, 64);
  const std::size_t inner = b.node("MatMul", {b.node("MatMul", {skip}, 64)}, 64);
  b.output(b.node("Concat", {skip, inner}, 128));
  EXPECT_EQ(b.activations(), 3 * 64 * 2 * 1000u);
}

TEST(Ledger, ElementWiseChainsRunWithTheProductBeforeThem) {
  Builder b;
  const std::size_t product = b.node("MatMul", {b.input(64)}, 64);
  // SiLU: both readers of the product end in one multiplication.
  const std::size_t silu = b.node("Mul", {product, b.node("Sigmoid", {product}, 64)}, 64);
  b.output(b.node("MatMul", {silu}, 64));
  EXPECT_EQ(fuse(b.network(), Norms::kJoined).size(), 2u);
  EXPECT_EQ(b.activations(), 64 * 2 * 1000u);
}

TEST(Ledger, AnAttentionInHalfPrecisionHoldsNoScores) {
  const auto attention = [](std::int64_t width, DType dtype, std::int64_t scores) {
    Builder b;
    const std::size_t x = b.input(width, dtype);
    const std::size_t q = b.node("MatMul", {x}, width, dtype);
    const std::size_t k = b.node("MatMul", {x}, width, dtype);
    const std::size_t product = b.node("MatMul", {q, k}, scores, dtype);
    const std::size_t weights = b.node("Softmax", {product}, scores, dtype);
    b.output(b.node("MatMul", {weights, b.node("MatMul", {x}, width, dtype)}, width, dtype));
    return b.activations();
  };
  EXPECT_EQ(attention(64, DType::kF16, 4096), 3 * 64 * 2 * 1000u);
  // Scores and weights at once: in float32, with heads of 512, and of a width that is no multiple
  // of 8.
  EXPECT_EQ(attention(64, DType::kF32, 4096), 2 * 4096 * 4 * 1000u);
  EXPECT_EQ(attention(512, DType::kF16, 4096), 2 * 4096 * 2 * 1000u);
  EXPECT_EQ(attention(4, DType::kF16, 4096), 2 * 4096 * 2 * 1000u);
}

TEST(Ledger, AnEngineOfOneSizeOverwritesAndOneOfARangeDoesNot) {
  Builder b;
  const std::size_t product = b.node("MatMul", {b.input(64, DType::kF32)}, 64, DType::kF32);
  const std::size_t normal = b.node("InstanceNormalization", {product}, 64, DType::kF32);
  const std::size_t scaled = b.node("Mul", {normal}, 64, DType::kF32);
  b.output(b.node("Add", {product, b.node("Conv", {scaled}, 64, DType::kF32)}, 64, DType::kF32));
  const std::uint64_t one = 64 * 4 * 1000;
  EXPECT_EQ(b.activations(EngineSizes::kOne), 2 * one);
  EXPECT_EQ(b.activations(EngineSizes::kRange), 3 * one + one);  // and its output
}

TEST(Ledger, AJoinedNormIsOneKernelWithItsCastsAndItsActivation) {
  Builder b;
  const std::size_t x = b.node("Conv", {b.input(64)}, 64);
  const std::size_t wide = b.node("Cast", {x}, 64, DType::kF32);
  const std::size_t normal = b.node("InstanceNormalization", {wide}, 64, DType::kF32);
  const std::size_t scaled = b.node("Mul", {b.node("Cast", {normal}, 64)}, 64);
  const std::size_t silu = b.node("Mul", {scaled, b.node("Sigmoid", {scaled}, 64)}, 64);
  b.output(b.node("Conv", {silu}, 64));
  EXPECT_EQ(b.activations(), 2 * 64 * 2 * 1000u);
  // As written, its operand and its result are in memory in float32. The first cast runs with the
  // convolution.
  EXPECT_EQ(b.activations(EngineSizes::kOne, Norms::kAsWritten), 2 * 64 * 4 * 1000u);
}

TEST(Ledger, AHalfPrecisionValueForAConvolutionAndAnotherIsHeldTwice) {
  Builder b;
  const std::size_t joined = b.node("Concat", {b.input(32), b.input(32)}, 64);
  const std::size_t a = b.node("Conv", {joined}, 8);
  b.output(b.node("Concat", {a, b.node("MatMul", {joined}, 8)}, 16));
  EXPECT_EQ(b.activations(EngineSizes::kOne, Norms::kAsWritten), (2 * 64 + 2 * 8) * 2 * 1000u);
  EXPECT_EQ(b.activations(), (64 + 2 * 8) * 2 * 1000u);
}

TEST(Ledger, WhatOnlyMakesAnOutputRunsAtOnce) {
  Builder b;
  const std::size_t first = b.node("MatMul", {b.input(64)}, 64);
  const std::size_t second = b.node("MatMul", {first}, 64);
  const std::size_t third = b.node("MatMul", {second}, 64);
  b.output(b.node("MatMul", {third}, 64));
  b.output(b.node("MatMul", {first}, 64));  // last in the file, as a ControlNet's projections
  EXPECT_EQ(b.activations(), 2 * 64 * 2 * 1000u);
}

TEST(Ledger, SaysWhereMostIsNeededAndOfWhat) {
  Builder b;
  const std::size_t small = b.node("MatMul", {b.input(8)}, 8);
  const std::size_t large = b.node("MatMul", {small}, 512);
  b.output(b.node("MatMul", {large}, 8));
  const Ledger ledger = MemoryModel(b.network()).at({{"batch", 10}}, EngineSizes::kOne);
  EXPECT_EQ(ledger.peak, "MatMul1");
  ASSERT_EQ(ledger.held.size(), 2u);
  EXPECT_EQ(ledger.held[0].name, "MatMul1");
  EXPECT_EQ(ledger.held[0].bytes, 512u * 2 * 10);
  EXPECT_EQ(ledger.bindings, (8u + 8) * 2 * 10);
}

}  // namespace
}  // namespace sinter::plan
