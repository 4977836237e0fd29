#include "sinter/base/error.h"

#include <gtest/gtest.h>

namespace sinter {
namespace {

TEST(Error, TellsMessageContextAndHintInOrder) {
  Error error(ErrorCode::kShapeMismatch, "'conv_in.weight' is [320,9,3,3], expected [320,4,3,3]");
  error.add_context("building unet");
  error.add_context("converting dream.safetensors as sd15");
  error.add_hint("nine input channels is an inpainting UNet");
  error.add_hint("a later hint does not replace the first");
  EXPECT_STREQ(error.what(),
               "'conv_in.weight' is [320,9,3,3], expected [320,4,3,3]\n"
               "  while building unet\n"
               "  while converting dream.safetensors as sd15\n"
               "hint: nine input channels is an inpainting UNet");
}

TEST(Error, CodesDecideTheExitStatus) {
  EXPECT_EQ(exit_status(ErrorCode::kNoMatch), 1);
  EXPECT_EQ(exit_status(ErrorCode::kUsage), 2);
  EXPECT_EQ(exit_status(ErrorCode::kBadFile), 3);
  EXPECT_EQ(exit_status(ErrorCode::kIo), 3);
  EXPECT_EQ(exit_status(ErrorCode::kUnsupported), 4);
  EXPECT_EQ(exit_status(ErrorCode::kRuntime), 5);
  EXPECT_EQ(exit_status(ErrorCode::kInternal), 70);
}

}  // namespace
}  // namespace sinter
