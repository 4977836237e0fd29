#include "sinter/verify/reference_case.h"

#include <gtest/gtest.h>

#include "sinter/base/error.h"
#include "tests/verify/case_builder.h"

namespace sinter::verify {
namespace {

TEST(ReferenceCase, HoldsInputsOutputsAndMetadata) {
  const TestFolder folder("reference_case");
  Tensor ids(DType::kI64, {1, 3});
  ids.ints()[1] = 49407;
  const ReferenceCase loaded = ReferenceCase::load(write_case(
      folder / "case.safetensors",
      {{"in.input_ids", ids}, {"out.a.b", floats({2}, {1, 2})}, {"base.a", filled({1}, 0)}},
      {{"component", "text_encoder"}, {"manifest", "tiny/sd1"}}));
  EXPECT_EQ(loaded.component, "text_encoder");
  EXPECT_EQ(loaded.metadata.at("manifest"), "tiny/sd1");
  ASSERT_EQ(loaded.inputs.size(), 1u);
  EXPECT_EQ(loaded.inputs.at("input_ids").ints()[1], 49407);
  ASSERT_EQ(loaded.outputs.size(), 1u);
  EXPECT_EQ(loaded.outputs.at("a.b").floats()[1], 2);
}

TEST(ReferenceCase, RefusesFilesThatAreNone) {
  const TestFolder folder("reference_case_none");
  try {
    ReferenceCase::load(write_case(folder / "case.safetensors", {{"weight", filled({1}, 0)}}, {}));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadFile);
    EXPECT_EQ(error.message(),
              fmt::format("{} has 0 tensors 'in.NAME' and 0 'out.NAME'; a reference case has both",
                          (folder / "case.safetensors").string()));
  }
}

}  // namespace
}  // namespace sinter::verify
