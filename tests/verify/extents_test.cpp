#include "sinter/verify/extents.h"

#include <gtest/gtest.h>

namespace sinter::verify {
namespace {

const Symbols kSymbols{{"height", 13}, {"width", 24}, {"a*b", 5}};

TEST(Extents, AreEvaluatedFromLeftToRightAndRoundedUp) {
  EXPECT_EQ(evaluate_extent("7", kSymbols), 7);
  EXPECT_EQ(evaluate_extent("height", kSymbols), 13);
  EXPECT_EQ(evaluate_extent("8*height", kSymbols), 104);
  EXPECT_EQ(evaluate_extent("height/2", kSymbols), 7);
  EXPECT_EQ(evaluate_extent("height*width/4", kSymbols), 78);
}

TEST(Extents, TakeAWholeExpressionForASymbol) { EXPECT_EQ(evaluate_extent("a*b", kSymbols), 5); }

TEST(Extents, AreUnknownWhereASymbolIs) {
  EXPECT_EQ(evaluate_extent("depth", kSymbols), std::nullopt);
  EXPECT_EQ(evaluate_extent("2*depth", kSymbols), std::nullopt);
  EXPECT_EQ(evaluate_extent("", kSymbols), std::nullopt);
  EXPECT_EQ(evaluate_extent("height/0", kSymbols), std::nullopt);
}

TEST(Extents, AreUnknownBeyondWhatANumberHolds) {
  EXPECT_EQ(evaluate_extent("9223372036854775807*2", {}), std::nullopt);
  EXPECT_EQ(evaluate_extent("9223372036854775807/2", {}), std::int64_t{1} << 62);
  EXPECT_EQ(evaluate_extent("99999999999999999999", {}), std::nullopt);
}

TEST(Extents, AreBoundByInputs) {
  const graph::ValueDeclaration declared{.name = "sample",
                                         .dtype = DType::kF32,
                                         .shape = {-1, 4, -1},
                                         .symbols = {"batch", "", "height"}};
  runtime::TensorMap inputs;
  inputs.emplace("sample", Tensor(DType::kF32, {2, 4, 8}));
  const Symbols symbols = bind_symbols({declared}, inputs);
  EXPECT_EQ(symbols, (Symbols{{"batch", 2}, {"height", 8}}));
  EXPECT_EQ(evaluate_shape(declared, symbols), (Shape{2, 4, 8}));
  EXPECT_EQ(evaluate_shape(declared, {}), std::nullopt);
}

}  // namespace
}  // namespace sinter::verify
