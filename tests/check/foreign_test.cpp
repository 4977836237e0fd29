// Exports of PyTorch, made as other people make them (tests/golden/make_foreign_onnx.py).

#include "tests/check/checked.h"

namespace sinter::check {
namespace {

Lines of(const std::string& name, Target target) {
  return checked(graph::read_outline(SINTER_TEST_DATA "/check/" + name), {.target = target});
}

TEST(Foreign, ASkipThatOnlyFitsEvenSizes) {
  EXPECT_EQ(of_rule(of("skip.onnx", Target::kOrtCpu), "size-step"),
            (Lines{"warning size-step /Concat: 'height' has to be a multiple of 2: at 65 it joins "
                   "[1,8,65,64] and [1,8,66,64] along dimension 1, where 65 != 66",
                   "warning size-step /Concat: 'width' has to be a multiple of 2: at 65 it joins "
                   "[1,8,64,65] and [1,8,64,66] along dimension 1, where 65 != 66"}));
}

TEST(Foreign, SizesOfTheExportInTheGraph) {
  const Lines lines = of_rule(of("baked.onnx", Target::kOrtCpu), "baked-size");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1],
            "error baked-size /Reshape: 'height' is said to be free and is 64 in the graph: at "
            "height 128 it makes [1,8,1024] of [1,8,64,32], which has 16384 elements");
}

TEST(Foreign, AnUnfoldedUNetIsTakenWithWarnings) {
  const Report report =
      check(graph::read_outline(SINTER_TEST_DATA "/check/unet.onnx"), {.target = Target::kTrtRtx});
  EXPECT_EQ(report.count(Severity::kError), 0u);
  const auto unfolded = std::ranges::find(report.findings, "unfolded-constant", &Finding::rule);
  ASSERT_NE(unfolded, report.findings.end());
  EXPECT_GT(unfolded->places.size(), 50u);
  EXPECT_EQ(unfolded->todo, "fold it once: sinter fold IN.onnx OUT.onnx");
}

TEST(Foreign, NoiseInsideAnEncoder) {
  EXPECT_EQ(of_rule(of("random.onnx", Target::kTrt86), "random-operator").size(), 1u);
}

TEST(Foreign, ResizesThatTensorRtLacks) {
  EXPECT_EQ(
      of_rule(of("cubic.onnx", Target::kTrt10), "operator-form"),
      Lines{"error operator-form /Resize: a Resize of mode 'cubic'; the target has nearest and "
            "linear"});
  EXPECT_EQ(of_rule(of("cubic.onnx", Target::kOrtCpu), "operator-form"), Lines());
}

TEST(Foreign, WeightsInDouble) {
  EXPECT_EQ(of_rule(of("double.onnx", Target::kTrtRtx), "double-weight").size(), 2u);
}

}  // namespace
}  // namespace sinter::check
