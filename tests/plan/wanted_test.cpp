#include "sinter/plan/wanted.h"

#include <gtest/gtest.h>

#include "sinter/base/error.h"

namespace sinter::plan {
namespace {

template <typename Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    return error.what();
  }
  return "taken";
}

Sizes with(std::string_view sizes, Margin margin) {
  Sizes result;
  set_pictures(result, picture_sizes(sizes), margin);
  return result;
}

TEST(Wanted, AMarginReachesFromHalfTheSmallestToAQuarterAboveTheLargest) {
  EXPECT_EQ(with("512x512", Margin::kWide).width, (Range{256, 512, 640}));
  EXPECT_EQ(with("512x512:768x768", Margin::kWide).width, (Range{256, 512, 960}));
  EXPECT_EQ(with("1024x1024", Margin::kWide).height, (Range{512, 1024, 1280}));
  // In steps of 64, outwards.
  EXPECT_EQ(with("520x512", Margin::kWide).width, (Range{256, 520, 704}));
  EXPECT_EQ(with("64x64", Margin::kWide).width, (Range{64, 64, 128}));
}

TEST(Wanted, NarrowHasNone) {
  EXPECT_EQ(with("512x768:768x512", Margin::kNarrow).width, (Range{512, 512, 768}));
  EXPECT_EQ(with("512x768:768x512", Margin::kNarrow).height, (Range{512, 768, 768}));
}

TEST(Wanted, RefusesSizesThatCannotBe) {
  for (const char* text : {"512", "512x", "x512", "512x512x512", "500x512", "0x512", "-64x64",
                           "16392x512", "512x512:", "512 x 512", "99999999999999999999x512"}) {
    EXPECT_TRUE(refusal([&] { picture_sizes(text); }).starts_with("the size '")) << text;
  }
  EXPECT_EQ(refusal([] { picture_sizes("512x512:500x512"); }),
            "the size '500x512' is not WIDTHxHEIGHT with sides that are multiples of 8 from 64 to "
            "16384\nhint: several sizes stand as 512x512:768x512, the main one first");
}

TEST(Wanted, CountsAreTheUsualAndTheMost) {
  EXPECT_EQ(usual_and_most("2", "--batch"), (Range{1, 2, 2}));
  EXPECT_EQ(usual_and_most("1:4", "--batch"), (Range{1, 1, 4}));
  EXPECT_EQ(refusal([] { usual_and_most("4:1", "--batch"); }),
            "--batch is '4:1', expected the usual number, or it and the most as 1:4, from 1 to 64");
  for (const char* text : {"", "0", "65", "1:2:3", "a", "1:"}) {
    EXPECT_NE(refusal([&] { usual_and_most(text, "--batch"); }), "taken") << text;
  }
}

TEST(Wanted, MemoryIsCountedAsCardsAreSold) {
  EXPECT_EQ(memory_size("8GB"), std::uint64_t{8} << 30);
  EXPECT_EQ(memory_size("8 GiB"), std::uint64_t{8} << 30);
  EXPECT_EQ(memory_size("8192mb"), std::uint64_t{8} << 30);
  EXPECT_EQ(memory_size("5.5g"), std::uint64_t{11} << 29);
  EXPECT_EQ(refusal([] { memory_size("8"); }),
            "'8' is no size of a card's memory, expected one as 8GB");
  for (const char* text : {"", "GB", "-8GB", "0GB", "nanGB", "infGB", "1e300GB", "8TB"}) {
    EXPECT_NE(refusal([&] { memory_size(text); }), "taken") << text;
  }
}

}  // namespace
}  // namespace sinter::plan
