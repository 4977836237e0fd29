#include "sinter/plan/trtexec.h"

#include <gtest/gtest.h>

#include "sinter/base/error.h"
#include "sinter/plan/make_plan.h"
#include "tests/plan/outlines.h"

namespace sinter::plan {
namespace {

std::string line(const char* options, const char* folder, std::string_view version) {
  const std::filesystem::path out = converted_outline("sd15", options);
  const PlannedGraph graph = PlannedGraph::load(out / folder / "model.onnx");
  const Plan plan = make_plan({graph}, {}, 0);
  std::string text = trtexec_line(graph, plan.graphs.front(), trtexec_version(version));
  const std::string place = out.string() + "/";
  for (std::size_t at = 0; (at = text.find(place)) != text.npos;) text.erase(at, place.size());
  return text;
}

TEST(Trtexec, EachVersionIsToldTypesAndWorkspaceItsOwnWay) {
  const std::string shapes =
      "trtexec --onnx=unet/model.onnx --saveEngine=unet/model.plan "
      "--minShapes=sample:1x4x32x32,timestep:1,encoder_hidden_states:1x77x768 "
      "--optShapes=sample:2x4x64x64,timestep:2,encoder_hidden_states:2x77x768 "
      "--maxShapes=sample:2x4x80x80,timestep:2,encoder_hidden_states:2x231x768";
  const std::string end = " --timingCacheFile=timing.cache --skipInference";
  EXPECT_EQ(line("", "unet", "8.6"), shapes + " --fp16 --memPoolSize=workspace:1024" + end);
  EXPECT_EQ(line("", "unet", "10"),
            shapes + " --stronglyTyped --memPoolSize=workspace:1024M" + end);
  EXPECT_EQ(line("", "unet", "11"), shapes + " --memPoolSize=workspace:1024M" + end);
}

TEST(Trtexec, Float32NeedsNoFlagIn86AndStaysFloat32In10) {
  EXPECT_EQ(line("", "vae_decoder", "8.6").find("--fp16"), std::string::npos);
  EXPECT_NE(line("", "vae_decoder", "10").find(" --stronglyTyped "), std::string::npos);
}

TEST(Trtexec, AStaticGraphHasNoShapes) {
  EXPECT_EQ(line("--static", "unet", "11").find("Shapes"), std::string::npos);
}

TEST(Trtexec, RefusesWhatAVersionDoesNotHave) {
  try {
    line("--precision bf16", "unet", "8.6");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_STREQ(error.what(),
                 "unet computes in bfloat16, which TensorRT 8.6 does not have\n"
                 "hint: convert with --precision fp16 and --vae-precision fp32");
  }
  try {
    trtexec_version("9");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "there is no trtexec '9' here; there are 8.6, 10, 11");
  }
}

}  // namespace
}  // namespace sinter::plan
