#include "sinter/weights/safetensors_json.h"

#include <gtest/gtest.h>

#include "sinter/base/error.h"

namespace sinter::weights {
namespace {

StatedHeader parse(std::string_view json) {
  return parse_safetensors_json(std::as_bytes(std::span(json)), 8);
}

std::string refusal(std::string_view json) {
  try {
    parse(json);
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadFile);
    return error.message();
  }
}

/// A header of one tensor with this shape.
std::string with_shape(std::string_view shape) {
  return std::string(R"({"a":{"dtype":"F32","data_offsets":[0,4],"shape":)") + std::string(shape) +
         "}}";
}

TEST(SafetensorsJson, KeepsTheHeadersOrder) {
  const StatedHeader header =
      parse(R"({"b":{"dtype":"X","shape":[3,0],"data_offsets":[7,9]},"__metadata__":{"k":"v\n"},)"
            R"("\u0061":{"data_offsets":[0,7],"shape":[],"dtype":"F32"}})");
  ASSERT_EQ(header.tensors.size(), 2u);
  EXPECT_EQ(header.tensors[0].name, "b");
  EXPECT_EQ(header.tensors[0].dtype, "X");
  EXPECT_EQ(header.tensors[0].shape, (std::vector<std::uint64_t>{3, 0}));
  EXPECT_EQ(header.tensors[0].begin, 7u);
  EXPECT_EQ(header.tensors[0].end, 9u);
  EXPECT_EQ(header.tensors[1].name, "a");
  EXPECT_EQ(header.metadata.at("k"), "v\n");
}

TEST(SafetensorsJson, RefusesKeysThatStandTwice) {
  EXPECT_EQ(refusal(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"\u0061":{}})"),
            "the key 'a' stands twice, at byte 70");
  EXPECT_EQ(refusal(R"({"__metadata__":{},"__metadata__":{}})"),
            "the key '__metadata__' stands twice, at byte 41");
  EXPECT_EQ(refusal(R"({"__metadata__":{"k":"1","k":"2"}})"),
            "'k' stands twice in '__metadata__', at byte 36");
  EXPECT_EQ(refusal(R"({"a":{"dtype":"F32","dtype":"F32"}})"),
            "'dtype' stands twice in 'a', at byte 35");
}

TEST(SafetensorsJson, RefusesWhatIsNotAWholeNumber) {
  EXPECT_EQ(refusal(with_shape("[-1]")),
            "shape of 'a' is -1, expected a whole number that is not negative, at byte 61");
  EXPECT_EQ(refusal(with_shape("[2.0]")),
            "shape of 'a' is 2.0, expected a whole number that is not negative, at byte 62");
  EXPECT_EQ(refusal(with_shape("[-0]")),
            "shape of 'a' is -0, expected a whole number that is not negative, at byte 61");
  EXPECT_EQ(refusal(with_shape("[18446744073709551616]")),
            "shape of 'a' is 18446744073709551616, expected a whole number that is not negative, "
            "at byte 79");
  EXPECT_EQ(refusal(with_shape("[[1]]")),
            "shape of 'a' is a list, expected a whole number that is not negative, at byte 59");
  EXPECT_EQ(refusal(with_shape("\"1\"")),
            "shape of 'a' is the text \"1\", expected a list of whole numbers, at byte 60");
}

TEST(SafetensorsJson, RefusesFieldsOfTheWrongKind) {
  EXPECT_EQ(refusal("[]"), "the header is a list, expected an object of tensors, at byte 9");
  EXPECT_EQ(refusal(R"({"a":null})"),
            "'a' is null, expected an object with dtype, shape and data_offsets, at byte 17");
  EXPECT_EQ(refusal(R"({"a":["F32",[1],[0,4]]})"),
            "'a' is a list, expected an object with dtype, shape and data_offsets, at byte 14");
  EXPECT_EQ(refusal(R"({"a":{"dtype":7}})"),
            "dtype of 'a' is 7, expected the name of an element type, at byte 24");
  EXPECT_EQ(refusal(R"({"a":{"data_offsets":[0,4,8]}})"),
            "'a' has 3 data_offsets, expected 2, at byte 36");
  EXPECT_EQ(refusal(R"({"a":{"dtype":"F32","shape":[]}})"), "'a' has no data_offsets, at byte 39");
  EXPECT_EQ(refusal(R"({"__metadata__":{"step":7}})"),
            "step of '__metadata__' is 7, expected a text, at byte 34");
  EXPECT_EQ(refusal(R"({"__metadata__":[]})"),
            "'__metadata__' is a list, expected an object of texts, at byte 25");
}

TEST(SafetensorsJson, RefusesWhatIsNotJson) {
  EXPECT_EQ(refusal(R"({"a":)"),
            "the header is not JSON: syntax error while parsing value - unexpected end of input; "
            "expected '[', '{', or a literal, at byte 13");
  EXPECT_EQ(refusal("{} x"),
            "the header is not JSON: syntax error while parsing value - invalid literal; expected "
            "end of input, at byte 12");
  EXPECT_EQ(refusal(std::string_view("{}\0\0", 4)), "the header is not JSON: byte 10 is zero");
  EXPECT_EQ(refusal("{\"\xff\":{}}"), "the header is not UTF-8: byte 10 is 0xff");
  // A lone surrogate is no character.
  EXPECT_NE(refusal(R"({"\ud800":{}})"), "accepted");
}

TEST(SafetensorsJson, DeepNestingDoesNotRecurse) {
  const std::string deep(1'000'000, '[');
  EXPECT_NE(refusal(R"({"a":{"x":)" + deep), "accepted");
}

}  // namespace
}  // namespace sinter::weights
