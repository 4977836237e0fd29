#include "sinter/convert/json_text.h"

#include <gtest/gtest.h>

namespace sinter::convert {
namespace {

TEST(WithMember, ReplacesOneValueAndNothingElse) {
  EXPECT_EQ(with_member("{\n \"a\" : [1, {\"k\": 2}], \"k\":\t\"old, }\" ,\n \"b\": -Infinity }\n",
                        "k", "\"new\""),
            "{\n \"a\" : [1, {\"k\": 2}], \"k\":\t\"new\" ,\n \"b\": -Infinity }\n");
  EXPECT_EQ(with_member(R"({"x": "k", "\"k": "\\", "k": null})", "k", "3"),
            R"({"x": "k", "\"k": "\\", "k": 3})");
  EXPECT_EQ(with_member(R"({"k": {"k": [1]}, "z": 0})", "k", "3"), R"({"k": 3, "z": 0})");
}

TEST(WithMember, AddsWhatIsNotThere) {
  EXPECT_EQ(with_member("{\n  \"a\": 1\n}", "k", "true"), "{\n  \"k\": true,\n  \"a\": 1\n}");
  EXPECT_EQ(with_member("{}", "k", "true"), "{\n  \"k\": true\n}");
}

TEST(WithMember, OfTwoValuesReplacesBoth) {
  EXPECT_EQ(with_member(R"({"k": 1, "k": 2})", "k", "3"), R"({"k": 3, "k": 3})");
}

}  // namespace
}  // namespace sinter::convert
