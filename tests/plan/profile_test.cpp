#include "sinter/plan/profile.h"

#include <gtest/gtest.h>

#include "sinter/base/error.h"

namespace sinter::plan {
namespace {

using graph::ValueDeclaration;

std::vector<ValueDeclaration> unet_inputs() {
  return {{.name = "sample",
           .dtype = DType::kF32,
           .shape = {-1, 4, -1, -1},
           .symbols = {"batch", "", "height", "width"}},
          {.name = "timestep", .dtype = DType::kF32, .shape = {1}, .symbols = {""}}};
}

InputRange sample() { return {"sample", {1, 4, 32, 32}, {2, 4, 64, 64}, {8, 4, 80, 80}}; }

std::string refusal(const Profile& profile) {
  try {
    require_covers(profile, unet_inputs());
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    return error.what();
  }
  return "taken";
}

TEST(Profile, CoversDynamicInputsAndNeedsNoneForFixedOnes) {
  EXPECT_EQ(refusal({{sample()}}), "taken");
  EXPECT_EQ(refusal({{sample(), {"timestep", {1}, {1}, {1}}}}), "taken");
}

TEST(Profile, RefusesWhatIsOutOfOrder) {
  InputRange range = sample();
  range.opt[2] = 96;
  EXPECT_EQ(refusal({{range}}),
            "axis 2 of 'sample' is out of order: min 32, opt 96, max 80, expected 1 <= min <= opt "
            "<= max");
  range = sample();
  range.min[0] = 0;
  EXPECT_EQ(refusal({{range}}),
            "axis 0 of 'sample' is out of order: min 0, opt 2, max 8, expected 1 <= min <= opt <= "
            "max");
  range = sample();
  range.max.pop_back();
  EXPECT_EQ(
      refusal({{range}}),
      "the shapes of 'sample' differ in rank: min [1,4,32,32], opt [2,4,64,64], max [8,4,80]");
}

TEST(Profile, RefusesAnInputThatTheGraphLacksOrThatStandsTwice) {
  EXPECT_EQ(refusal({{sample(), {"simple", {1}, {1}, {1}}}}),
            "the graph has no input 'simple'; it has sample, timestep\n"
            "hint: did you mean 'sample'?");
  EXPECT_EQ(refusal({{sample(), sample()}}), "the input 'sample' has two ranges");
}

TEST(Profile, RefusesToLeaveADynamicInputOut) {
  EXPECT_EQ(
      refusal({}),
      "the dynamic input 'sample' has no range\n"
      "hint: an engine needs min, opt and max of every dynamic input; sinter plan gives them");
}

TEST(Profile, RefusesToChangeAFixedExtent) {
  InputRange range = sample();
  range.max[1] = 9;
  EXPECT_EQ(
      refusal({{range}}),
      "the shape [8,9,80,80] does not fit the input 'sample', which is [batch,4,height,width]");
}

}  // namespace
}  // namespace sinter::plan
