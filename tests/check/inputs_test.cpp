#include "tests/check/checked.h"

namespace sinter::check {
namespace {

ModelBuilder dynamic() {
  ModelBuilder builder;
  builder.input("sample", DType::kF32, {"batch", 4, "height", "width"});
  builder.output("out_sample", DType::kF32, {"batch", 4, "height", "width"});
  builder.node("Sigmoid", "s", {"sample"}, "out_sample");
  return builder;
}

Lines held(const ModelBuilder& builder, const Options& options) {
  const std::string bytes = builder.bytes();
  return checked(graph::outline_of(std::as_bytes(std::span(bytes)), "m.onnx"), options);
}

TEST(Profiles, AreMissedForTensorRtAlone) {
  EXPECT_EQ(checked(dynamic(), Target::kTrtRtx),
            Lines{"note profile sample: its size is free, so an engine needs a profile: smallest, "
                  "usual and largest size of every such input"});
  EXPECT_EQ(checked(dynamic(), Target::kOrtCuda), Lines());
}

TEST(Profiles, HaveToHaveEveryDynamicInput) {
  const InputProfile good{"sample", {1, 4, 32, 32}, {1, 4, 64, 64}, {4, 4, 96, 96}};
  EXPECT_EQ(held(dynamic(), {.profile = {good}}), Lines());
  EXPECT_EQ(held(dynamic(), {.profile = {{"context", {1, 77, 8}, {1, 77, 8}, {1, 77, 8}}}}),
            (Lines{"error profile sample: its size is free, and the profile says nothing of it",
                   "error profile context: the profile has sizes for it, and the graph has no such "
                   "input"}));
}

TEST(Profiles, HaveToBeInOrderAndOfTheGraph) {
  EXPECT_EQ(
      held(dynamic(), {.profile = {{"sample", {1, 4, 64, 32}, {1, 4, 32, 32}, {1, 4, 96, 96}}}}),
      Lines{"error profile sample: dimension 2 of its profile is 64, 32, 96; expected min <= "
            "opt <= max"});
  EXPECT_EQ(
      held(dynamic(), {.profile = {{"sample", {1, 9, 32, 32}, {1, 9, 32, 32}, {1, 9, 32, 32}}}}),
      Lines{"error profile sample: dimension 1 is always 4, and its profile says 9 to 9"});
  EXPECT_EQ(held(dynamic(), {.profile = {{"sample", {1, 4}, {1, 4}, {1, 4}}}}),
            Lines{"error profile sample: its profile has 2, 2 and 2 dimensions, the input 4"});
}

Contract contract() {
  return {.name = "optimum",
          .component = "unet",
          .inputs = {{.name = "sample", .types = {1, 10}, .ranks = {4}},
                     {.name = "down", .required = false, .numbered = true}},
          .outputs = {{.name = "out_sample", .types = {1}, .ranks = {4}}}};
}

TEST(Contracts, HoldForTheNamesOfAProgram) {
  EXPECT_EQ(held(dynamic(), {.target = Target::kOrtCpu, .contract = contract()}), Lines());
}

TEST(Contracts, SayWhatIsThereInstead) {
  ModelBuilder builder = dynamic();
  builder.graph().mutable_input(0)->set_name("x");
  builder.graph().mutable_node(0)->set_input(0, "x");
  EXPECT_EQ(held(builder, {.target = Target::kOrtCpu, .contract = contract()}),
            (Lines{"error contract sample: input 'sample' of optimum's unet is not there; what is "
                   "there instead: x",
                   "error contract x: optimum's unet has no input 'x'"}));
}

TEST(Contracts, CompareTypesAndRanks) {
  ModelBuilder builder;
  builder.input("sample", DType::kF64, {4}).input("down_3", DType::kF32, {4});
  builder.output("out_sample", DType::kF32, {1, 4, 8, 8});
  builder.node("Thing", "t", {"sample", "down_3"}, "out_sample");
  EXPECT_EQ(
      of_rule(held(builder, {.target = Target::kOrtCpu, .contract = contract()}), "contract"),
      (Lines{"error contract sample: input 'sample' is float64, and optimum's unet has float32 "
             "or float16",
             "error contract sample: input 'sample' has 1 dimensions, and optimum's unet has "
             "4"}));
}

}  // namespace
}  // namespace sinter::check
