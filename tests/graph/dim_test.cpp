#include "sinter/graph/dim.h"

#include <gtest/gtest.h>

namespace sinter::graph {
namespace {

TEST(Dim, WritesExpressionsAsReadersExpect) {
  const Dim h = Dim::symbol("height");
  EXPECT_EQ(h.text(), "height");
  EXPECT_EQ(h.times(8).text(), "8*height");
  EXPECT_EQ(h.divided(2).text(), "height/2");
  EXPECT_EQ(h.times(Dim::symbol("width")).text(), "height*width");
  EXPECT_EQ(Dim(4).text(), "4");
}

TEST(Dim, HalvingTwiceIsAQuarterRoundedUp) {
  EXPECT_EQ(Dim::symbol("height").divided(2).divided(2), Dim::symbol("height").divided(4));
  EXPECT_EQ(Dim(13).divided(2).divided(2), Dim(13).divided(4));
}

TEST(Dim, TwiceAHalfIsNotTheWhole) {
  // The upsampled half of an odd extent is one larger.
  EXPECT_NE(Dim::symbol("height").divided(2).times(2), Dim::symbol("height"));
}

TEST(Dim, WholeMultiplesCancel) {
  EXPECT_EQ(Dim::symbol("height").times(8).divided(2), Dim::symbol("height").times(4));
}

TEST(Dim, NumbersAreComputed) {
  EXPECT_EQ(Dim(6).times(Dim(7)), Dim(42));
  EXPECT_TRUE(Dim(6).times(7).is_static());
  EXPECT_EQ(to_string(Dims{2, Dim::symbol("height")}), "[2,height]");
}

}  // namespace
}  // namespace sinter::graph
