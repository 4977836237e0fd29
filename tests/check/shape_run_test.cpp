#include "sinter/check/shape_run.h"

#include "tests/check/checked.h"

namespace sinter::check {
namespace {

Tensor integers(const std::vector<std::int64_t>& values) {
  Tensor tensor(DType::kI64, {static_cast<std::int64_t>(values.size())});
  std::ranges::copy(values, tensor.ints().begin());
  return tensor;
}

// What is known of 'y' for x of that shape.
struct Followed {
  Followed(const ModelBuilder& builder, const std::vector<std::int64_t>& x)
      : text(builder.bytes()),
        file(graph::outline_of(std::as_bytes(std::span(text)), "m.onnx")),
        subject(file, options),
        run(subject),
        conflict(run.run({{"x", x}})) {}

  std::vector<std::int64_t> shape() const {
    const Sketch* y = run.find("y");
    return y == nullptr ? std::vector<std::int64_t>{-1} : y->shape;
  }

  std::string text;
  Options options;
  graph::Outline file;
  Subject subject;
  ShapeRun run;
  std::optional<Conflict> conflict;
};

ModelBuilder of_x() {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {"b", 4, "h", "w"}).output("y", DType::kF32, {});
  return builder;
}

using Sizes = std::vector<std::int64_t>;

TEST(ShapeRun, FollowsAConvolution) {
  ModelBuilder builder = of_x();
  builder.initializer("w", Tensor(DType::kF32, {8, 4, 3, 3})).node("Conv", "c", {"x", "w"}, "y");
  EXPECT_EQ(Followed(builder, {2, 4, 10, 12}).shape(), (Sizes{2, 8, 8, 10}));
  EXPECT_EQ(Followed(builder, {2, 5, 10, 12}).conflict->what,
            "has weights for 4 channels and gets [2,5,10,12]");
}

TEST(ShapeRun, FollowsSizesThroughTheirOwnNodes) {
  ModelBuilder builder = of_x();
  builder.initializer("zero", integers({0})).initializer("rest", integers({-1}));
  builder.node("Shape", "s", {"x"}).node("Gather", "g", {"s", "zero"});
  builder.node("Concat", "c", {"g", "rest"}).attribute("axis", 0);
  builder.node("Reshape", "r", {"x", "c"}, "y");
  EXPECT_EQ(Followed(builder, {3, 4, 5, 6}).shape(), (Sizes{3, 120}));
}

TEST(ShapeRun, DividesAsIntegersDo) {
  ModelBuilder builder = of_x();
  builder.initializer("two", integers({2})).node("Shape", "s", {"x"});
  builder.node("Div", "d", {"s", "two"}).node("Expand", "e", {"one", "d"}, "y");
  builder.initializer("one", Tensor(DType::kF32, {1}));
  EXPECT_EQ(Followed(builder, {2, 4, 7, 9}).shape(), (Sizes{1, 2, 3, 4}));
}

TEST(ShapeRun, TellsReshapesThatDoNotFit) {
  ModelBuilder builder = of_x();
  builder.initializer("shape", integers({1, 4, 4096})).node("Reshape", "r", {"x", "shape"}, "y");
  EXPECT_EQ(Followed(builder, {1, 4, 64, 64}).shape(), (Sizes{1, 4, 4096}));
  EXPECT_EQ(Followed(builder, {1, 4, 64, 72}).conflict->what,
            "makes [1,4,4096] of [1,4,64,72], which has 18432 elements");
}

TEST(ShapeRun, KeepsWhatItDoesNotKnowUnknown) {
  ModelBuilder builder = of_x();
  builder.node("NonZero", "n", {"x"}).node("Transpose", "t", {"n"}, "y");
  EXPECT_EQ(Followed(builder, {1, 4, 8, 8}).shape(), Sizes{-1});
}

// Sizes come from the file: none of them may overflow or allocate.
TEST(ShapeRun, SurvivesForgedSizes) {
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  for (const char* op :
       {"ConstantOfShape", "Expand", "Reshape", "Tile", "Resize", "Pad", "Range"}) {
    ModelBuilder builder = of_x();
    builder.initializer("s", integers({huge, huge, huge, huge}));
    builder.node(op, "n", {"x", "s", "s", "s"}, "y");
    builder.node(op, "m", {"s"}, "z");
    Followed(builder, {huge, huge, huge, huge}).shape();
    Followed(builder, {1, 4, 8, 8}).shape();
  }
}

}  // namespace
}  // namespace sinter::check
