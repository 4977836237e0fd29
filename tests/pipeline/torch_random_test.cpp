#include "sinter/pipeline/torch_random.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sinter::pipeline {
namespace {

// Numbers: torch 2.15, torch.randn(n, generator=torch.Generator().manual_seed(0)).
TEST(TorchRandom, FewNumbersComeFromThePairwiseTransform) {
  const float expected[] = {1.5409961f, -0.2934289f, -2.1787894f};
  const Tensor found = TorchRandom(0).normal({3});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found.floats()[i], expected[i], 1e-6f);
}

TEST(TorchRandom, TheOtherNumberOfAPairWaitsForTheNextDraw) {
  TorchRandom one_by_one(7);
  TorchRandom together(7);
  const Tensor pair = together.normal({2});
  EXPECT_EQ(one_by_one.normal({1}).floats()[0], pair.floats()[0]);
  EXPECT_EQ(one_by_one.normal({1}).floats()[0], pair.floats()[1]);
}

TEST(TorchRandom, SeedsThatDifferOnlyAbove32BitsAreTheSame) {
  const Tensor low = TorchRandom(7).normal({32});
  const Tensor high = TorchRandom((std::uint64_t{1} << 40) + 7).normal({32});
  EXPECT_TRUE(std::ranges::equal(low.floats(), high.floats()));
}

}  // namespace
}  // namespace sinter::pipeline
