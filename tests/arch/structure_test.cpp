#include "sinter/arch/structure.h"

#include <gtest/gtest.h>

namespace sinter::arch {
namespace {

class Structure : public testing::Test {
 protected:
  void add(const std::string& name, Shape shape) {
    entries_.push_back(
        std::make_unique<weights::TensorEntry>(weights::TensorEntry{.name = "file." + name,
                                                                    .dtype = DType::kF32,
                                                                    .shape = std::move(shape),
                                                                    .file = 0,
                                                                    .begin = 0,
                                                                    .bytes = 0}));
    weights_.add(name, {.tensor = entries_.back().get()});
  }
  const WeightMap& weights() const { return weights_; }

 private:
  std::vector<std::unique_ptr<weights::TensorEntry>> entries_;
  WeightMap weights_;
};

TEST_F(Structure, CountsChildrenByTheirLargestNumber) {
  add("a.0.w", {1});
  add("a.10.w", {1});
  add("a.2.w", {1});
  add("b.500.w", {1});
  EXPECT_EQ(count_children(weights(), "a.", 12), 11);
  EXPECT_EQ(count_children(weights(), "b.", 12), 0);
  EXPECT_EQ(count_children(weights(), "c.", 12), 0);
}

TEST_F(Structure, HasNoExtentWhereNothingIs) {
  add("a", {3, 4});
  EXPECT_EQ(extent(weights(), "a", 1), 4);
  EXPECT_EQ(extent(weights(), "a", 2), 0);
  EXPECT_EQ(extent(weights(), "b", 0), 0);
}

TEST_F(Structure, ReportsWhatIsMissingAndWhatIsWrong) {
  add("conv.weight", {8, 4, 3, 3});
  add("matrix.weight", {8, 8, 1, 1});
  const Deviations deviations = compare(weights(), {{"conv.weight", {8, 5, 3, 3}, false},
                                                    {"conv.bias", {8}, false},
                                                    {"matrix.weight", {8, 8}, true}});
  ASSERT_EQ(deviations.missing.size(), 1u);
  EXPECT_EQ(deviations.missing[0].name, "conv.bias");
  EXPECT_EQ(deviations.missing[0].shape, Shape{8});
  EXPECT_EQ(deviations.wrong,
            std::vector<std::string>{"'file.conv.weight' is [8,4,3,3], expected [8,5,3,3]"});
}

TEST_F(Structure, WritesUnknownExtentsAsUnknown) {
  add("w", {8, 4});
  EXPECT_TRUE(compare(weights(), {{"w", {0, 4}, false}}).wrong.empty());
  EXPECT_EQ(compare(weights(), {{"w", {0, 10}, false}}).wrong,
            std::vector<std::string>{"'file.w' is [8,4], expected [?,10]"});
  EXPECT_EQ(open_shape({0, 10, 0, 0}), "[?,10,?,?]");
  EXPECT_EQ(open_shape({}), "[]");
}

}  // namespace
}  // namespace sinter::arch
