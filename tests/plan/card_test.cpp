#include "sinter/plan/card.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/plan/outlines.h"

namespace sinter::plan {
namespace {

constexpr std::uint64_t kGibi = std::uint64_t{1} << 30;

class Card : public testing::Test {
 protected:
  static Sizes sizes(std::int64_t side, std::int64_t batch = 1) {
    return {.batch = {1, 1, batch},
            .height = {side / 2, side, side * 5 / 4},
            .width = {side / 2, side, side * 5 / 4}};
  }

  const std::vector<PlannedGraph> sd15_ = load_graphs(graphs_in(converted_outline("sd15")));
};

const Remedy* find(const std::vector<Remedy>& remedies, std::string_view name) {
  const auto found = std::ranges::find(remedies, name, &Remedy::name);
  return found == remedies.end() ? nullptr : &*found;
}

std::int64_t side(const Limit& limit) { return limit.fits ? limit.fits->width : 0; }

TEST_F(Card, NeedsWeightsOfAllAndTheActivationsOfOne) {
  const Need together = need_at(sd15_, sizes(512), {512, 512}, {});
  const Need alone = need_at(sd15_, sizes(512), {512, 512}, {.one_at_a_time = true});
  std::uint64_t weights = 0;
  for (const PlannedGraph& graph : sd15_) weights += graph.weight_bytes();
  EXPECT_EQ(together.bytes, weights + together.activations + kContextBytes);
  EXPECT_EQ(together.folder, "vae_decoder");
  EXPECT_LT(alone.bytes, together.bytes);
}

TEST_F(Card, TheLimitIsTheLastSizeThatFits) {
  const Limit limit = limit_of(sd15_, sizes(512), {}, 8 * kGibi);
  ASSERT_TRUE(limit.fits && limit.fails);
  EXPECT_EQ(limit.fails->width, limit.fits->width + 64);
  EXPECT_LE(need_at(sd15_, sizes(512), *limit.fits, {}).bytes, 8 * kGibi);
  EXPECT_GT(need_at(sd15_, sizes(512), *limit.fails, {}).bytes, 8 * kGibi);
  EXPECT_EQ(limit.need.bytes, need_at(sd15_, sizes(512), *limit.fails, {}).bytes);
}

TEST_F(Card, MoreMemoryReachesFurther) {
  std::int64_t last = 0;
  for (const std::uint64_t gibi : {4u, 6u, 8u, 12u, 24u}) {
    const std::int64_t reached = side(limit_of(sd15_, sizes(512), {}, gibi * kGibi));
    EXPECT_GT(reached, last) << gibi;
    last = reached;
  }
}

TEST_F(Card, KeepsTheProportionsOfTheUsualSize) {
  Sizes wide = sizes(512);
  wide.width = {512, 1024, 1280};
  const Limit limit = limit_of(sd15_, wide, {}, 8 * kGibi);
  ASSERT_TRUE(limit.fits);
  EXPECT_EQ(limit.fits->width, 2 * limit.fits->height);
}

TEST_F(Card, WhereNothingFitsItSaysWhatFailed) {
  const Limit limit = limit_of(sd15_, sizes(512), {}, kGibi);
  EXPECT_FALSE(limit.fits);
  EXPECT_EQ(limit.fails->width, 64);
  EXPECT_GT(limit.need.bytes, kGibi);
}

TEST_F(Card, RemediesReachFurtherThanThePlan) {
  const std::int64_t planned = side(limit_of(sd15_, sizes(512, 4), {}, 8 * kGibi));
  const std::vector<Remedy> found = remedies(sd15_, sizes(512, 4), 8 * kGibi);
  // The decoder decides: tiles and a smaller batch cure that.
  for (const char* name : {"one-at-a-time", "tiled", "one-picture", "all"}) {
    ASSERT_NE(find(found, name), nullptr) << name;
    EXPECT_GT(side(find(found, name)->limit), planned) << name;
  }
  // The UNet's rows do not.
  EXPECT_EQ(find(found, "one-row"), nullptr);
  EXPECT_EQ(found.back().name, "all");
  for (const Remedy& remedy : found)
    EXPECT_LE(side(remedy.limit), side(found.back().limit)) << remedy.name;
}

TEST_F(Card, HalvingTheAutoencoderHelpsWhereItsScoresDecide) {
  // In float32 its attention is not fused: the scores grow with the fourth power of the side.
  const std::vector<Remedy> found = remedies(sd15_, sizes(512), 24 * kGibi);
  ASSERT_NE(find(found, "half-vae"), nullptr);
  EXPECT_GT(side(find(found, "half-vae")->limit),
            side(limit_of(sd15_, sizes(512), {}, 24 * kGibi)));
}

}  // namespace
}  // namespace sinter::plan
