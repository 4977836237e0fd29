#include "sinter/graph/graph.h"

#include <gtest/gtest.h>

#include <optional>

#include "onnx.pb.h"
#include "sinter/base/error.h"
#include "sinter/graph/onnx_writer.h"
#include "sinter/graph/ops.h"
#include "sinter/graph/scope.h"

namespace sinter::graph {
namespace {

/// Two weights of a made-up checkpoint.
class TwoWeights : public WeightProvider {
 public:
  std::optional<StoredWeight> find(std::string_view name) const override {
    if (name == "a.weight") return StoredWeight{"file.a", DType::kF16, {6, 4, 1, 1}, 0, 100};
    if (name == "t.weight") return StoredWeight{"file.t", DType::kF16, {4, 6}, 0, 200, true};
    return std::nullopt;
  }
};

class ScopeTest : public testing::Test {
 protected:
  Graph graph_{"test"};
  TwoWeights weights_;
  Scope root_{graph_, weights_, {.compute = DType::kF32}};
};

TEST_F(ScopeTest, ALinkedWeightIsCastToTheDtypeOfTheComputation) {
  const Value weight = (root_ / "a").weight("weight", {6, 4, 1, 1});
  EXPECT_EQ(weight.dtype(), DType::kF32);
  EXPECT_EQ(weight.name(), "a.weight/Cast");
  ASSERT_EQ(graph_.initializers().size(), 1u);
  EXPECT_EQ(graph_.initializers()[0].name, "file.a");
  EXPECT_EQ(graph_.initializers()[0].dtype, DType::kF16);
}

TEST_F(ScopeTest, AOneByOneConvolutionIsAMatrix) {
  const Value matrix = (root_ / "a").matrix("weight", 6, 4);
  EXPECT_EQ(to_string(matrix.dims()), "[4,6]");
}

TEST_F(ScopeTest, ARangeOfRowsIsAnOffsetAndSaysSoInItsName) {
  (root_ / "a").matrix_rows("weight", 6, 4, 2, 3);
  const Initializer& initializer = graph_.initializers().at(0);
  EXPECT_EQ(initializer.name, "file.a[2:5]");
  EXPECT_EQ(initializer.shape, (Shape{3, 4}));
  EXPECT_EQ(std::get<FileRange>(initializer.data).begin, 100u + 2 * 4 * 2);
}

TEST_F(ScopeTest, AMatrixStoredTransposedNeedsNoTranspose) {
  const Value matrix = (root_ / "t").matrix("weight", 6, 4);
  EXPECT_EQ(to_string(matrix.dims()), "[4,6]");
  for (const Node& node : graph_.nodes()) EXPECT_NE(node.op, "Transpose");
}

TEST_F(ScopeTest, AWrongShapeNamesTensorFoundAndExpected) {
  try {
    (root_ / "a").weight("weight", {6, 9, 1, 1});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kShapeMismatch);
    EXPECT_EQ(error.message(), "'file.a' is [6,4,1,1], expected [6,9,1,1]");
  }
}

TEST_F(ScopeTest, AMissingWeightIsNamed) {
  try {
    (root_ / "b").weight("weight", {2});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kMissingTensor);
    EXPECT_EQ(error.message(), "the checkpoint has no 'b.weight' (expected [2])");
  }
}

TEST(Graph, NodesAreNamedAfterTheirModuleAndNumberedWithinIt) {
  Graph graph("test");
  const Value x = graph.add_input("x", DType::kF32, {2, Dim::symbol("n")});
  graph.set_scope("block.0");
  const Value y = sigmoid(x);
  const Value z = sigmoid(y);
  EXPECT_EQ(y.name(), "block.0/Sigmoid");
  EXPECT_EQ(z.name(), "block.0/Sigmoid_1");
}

TEST(Graph, AnOutputHasItsInterfaceNameEverywhere) {
  Graph graph("test");
  const Value x = graph.add_input("x", DType::kF32, {2});
  const Value y = sigmoid(x);
  const Value z = sigmoid(y);
  graph.add_output("y", y);
  graph.add_output("z", z);
  EXPECT_EQ(graph.nodes()[0].outputs[0], "y");
  EXPECT_EQ(graph.nodes()[1].inputs[0], "y");
  EXPECT_TRUE(graph.inner_values().empty());
}

TEST(Graph, OneValueCanBeTwoOutputs) {
  Graph graph("test");
  const Value x = graph.add_input("x", DType::kF32, {2});
  const Value y = sigmoid(x);
  graph.add_output("a", y);
  graph.add_output("b", y);
  EXPECT_EQ(graph.outputs().size(), 2u);
  EXPECT_EQ(graph.nodes().back().op, "Identity");
}

TEST(Graph, AReshapeThatLeavesTwoExtentsOpenIsRefused) {
  Graph graph("test");
  const Value x = graph.add_input("x", DType::kF32, {2, Dim::symbol("a")});
  EXPECT_THROW(reshape(x, {Dim::symbol("b"), Dim::symbol("c")}), Error);
}

TEST(Graph, OperandsOfDifferentTypesAreRefused) {
  Graph graph("test");
  const Value x = graph.add_input("x", DType::kF32, {2});
  const Value y = graph.add_input("y", DType::kF16, {2});
  EXPECT_THROW(add(x, y), Error);
  EXPECT_THROW(
      matmul(graph.add_input("p", DType::kF32, {2, 3}), graph.add_input("q", DType::kF32, {4, 5})),
      Error);
}

TEST(OnnxWriter, TheSameGraphGivesTheSameBytes) {
  const auto write = [] {
    Graph graph("test");
    const Value x = graph.add_input("x", DType::kF32, {Dim::symbol("batch"), 4});
    graph.set_scope("m");
    const Value sum = add(x, graph.vector({1, 2, 3, 4}, {4}, DType::kF32, "bias"));
    graph.add_output("y", sigmoid(sum));
    return to_onnx(graph, {.placements = {},
                           .links = {},
                           .metadata = {{"b", "1"}, {"a", "2"}},
                           .producer_version = "1"});
  };
  EXPECT_EQ(write(), write());
}

TEST(OnnxWriter, OnlyAGraphThatComputesInBFloat16NeedsALaterOpset) {
  using Version = std::pair<std::int64_t, std::int64_t>;  // opset, IR
  const auto version = [](DType stored, DType compute) {
    Graph graph("test");
    const Value x = graph.add_input("x", DType::kF32, {4});
    const Value w =
        graph.add_initializer({"w", stored, {4}, std::vector<std::byte>(4 * dtype_bytes(stored))});
    graph.set_scope("m");
    const Value product = mul(cast(x, compute), cast(w, compute));
    graph.add_output("y", cast(product, DType::kF32));
    onnx::ModelProto model;
    model.ParseFromString(to_onnx(graph, {}));
    return Version(model.opset_import(0).version(), model.ir_version());
  };
  EXPECT_EQ(version(DType::kF16, DType::kF16), Version(17, 8));
  EXPECT_EQ(version(DType::kBF16, DType::kF32), Version(17, 8));
  EXPECT_EQ(version(DType::kBF16, DType::kBF16), Version(22, 10));
}

TEST(OnnxWriter, AWeightWithoutAPlaceIsOurBug) {
  Graph graph("test");
  graph.add_initializer({"w", DType::kF32, {2}, FileRange{0, 0, DType::kF32}});
  EXPECT_THROW(to_onnx(graph, {}), Error);
}

}  // namespace
}  // namespace sinter::graph
