#include "sinter/graph/onnx_edit.h"

#include <gtest/gtest.h>

#include <span>

#include "tests/runtime/model_builder.h"

namespace sinter::graph {
namespace {

TEST(OnnxEdit, MakesInitializersOfConstants) {
  const TestFolder folder("onnx_edit_lift");
  ModelBuilder builder;
  builder.input("x", DType::kF32, {2}).output("y", DType::kF32, {2});
  builder.node("Constant", "c", {}).node("Add", "a", {"x", "c"}, "y");
  onnx::AttributeProto& value = *builder.graph().mutable_node(0)->add_attribute();
  value.set_name("value_floats");
  value.set_type(onnx::AttributeProto::FLOATS);
  value.add_floats(1);
  value.add_floats(2);
  OnnxEdit edit(builder.save(folder / "m.onnx"));

  EXPECT_EQ(edit.lift_constants(), 1u);

  const Outline outline = edit.outline();
  EXPECT_EQ(outline.graph.nodes.size(), 1u);
  ASSERT_EQ(outline.graph.initializers.size(), 1u);
  EXPECT_EQ(outline.graph.initializers[0].name, "c");
  EXPECT_EQ(outline.graph.initializers[0].values, (std::vector<double>{1, 2}));
}

TEST(OnnxEdit, SharedWeightsStayShared) {
  const TestFolder folder("onnx_edit_identity");
  ModelBuilder builder;
  builder.input("x", DType::kF32, {2}).output("y", DType::kF32, {2});
  builder.initializer("w", Tensor(DType::kF32, {2}));
  builder.node("Identity", "i", {"w"}).node("Identity", "j", {"i"});
  builder.node("Add", "a", {"x", "j"}, "y");
  OnnxEdit edit(builder.save(folder / "m.onnx"));

  EXPECT_EQ(edit.bypass_identities(), 2u);

  EXPECT_EQ(edit.outline().graph.nodes.at(0).inputs, (std::vector<std::string>{"x", "w"}));
}

TEST(OnnxEdit, PrunesWhatNothingNeeds) {
  const TestFolder folder("onnx_edit_prune");
  ModelBuilder builder;
  builder.input("x", DType::kF32, {2}).output("y", DType::kF32, {2});
  builder.initializer("w", Tensor(DType::kF32, {2})).value("n", DType::kF32, {2});
  builder.node("Neg", "n", {"w"}).node("Abs", "a", {"x"}, "y");
  OnnxEdit edit(builder.save(folder / "m.onnx"));

  EXPECT_EQ(edit.prune(), 1u);

  const Outline outline = edit.outline();
  EXPECT_TRUE(outline.graph.initializers.empty());
  EXPECT_TRUE(outline.graph.values.empty());
}

TEST(OnnxEdit, AnOldFileNeedsNoInputsForItsWeights) {
  const TestFolder folder("onnx_edit_old");
  onnx::ModelProto model;
  ModelBuilder builder;
  builder.input("x", DType::kF32, {2}).input("w", DType::kF32, {2}).output("y", DType::kF32, {2});
  builder.initializer("w", Tensor(DType::kF32, {2})).node("Add", "a", {"x", "w"}, "y");
  model.ParseFromString(builder.bytes());
  model.set_ir_version(3);
  write_file(folder / "m.onnx", model.SerializeAsString());
  OnnxEdit edit(folder / "m.onnx");

  edit.modernize();

  const Outline outline = edit.outline();
  EXPECT_EQ(outline.ir_version, 4);
  ASSERT_EQ(outline.graph.inputs.size(), 1u);
  EXPECT_EQ(outline.graph.inputs[0].name, "x");
}

}  // namespace
}  // namespace sinter::graph
