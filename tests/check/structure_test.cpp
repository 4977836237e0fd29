#include "tests/check/checked.h"

namespace sinter::check {
namespace {

TEST(Structure, ASoundGraphHasNoFindings) {
  for (const TargetFacts& target : targets()) {
    EXPECT_EQ(checked(one_node("Sigmoid"), target.target), Lines()) << target.name;
  }
}

TEST(Structure, TellsWhatReadsWhatNobodyMakes) {
  ModelBuilder builder = one_node("Sigmoid");
  builder.graph().mutable_node(0)->set_input(0, "lost");

  EXPECT_EQ(of_rule(checked(builder, Target::kTrtRtx), "undefined-value"),
            Lines{"error undefined-value block/Sigmoid: it reads 'lost', which nothing makes"});
}

TEST(Structure, TellsNodesOutOfOrder) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {4}).output("y", DType::kF32, {4});
  builder.node("Neg", "last", {"inner"}, "y").node("Abs", "first", {"x"}, "inner");

  EXPECT_EQ(checked(builder, Target::kTrtRtx),
            (Lines{"error undefined-value last: it reads 'inner', which a later node makes",
                   "note idle-part x: no output depends on this input"}));
}

TEST(Structure, TellsRepeatedNames) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {4}).output("y", DType::kF32, {4});
  builder.node("Neg", "a", {"x"}, "y").node("Abs", "a", {"x"}, "y");

  EXPECT_EQ(of_rule(checked(builder, Target::kTrtRtx), "repeated-name"),
            (Lines{"error repeated-name a: it makes 'y', which another node, input or weight is",
                   "warning repeated-name a: two nodes have this name: reports and layer names "
                   "cannot tell them apart"}));
}

TEST(Structure, TellsOperatorsThatTheOpsetLacks) {
  EXPECT_EQ(
      of_rule(checked(one_node("Gelu"), Target::kOrtCpu), "unknown-operator"),
      Lines{"error unknown-operator block/Gelu: Gelu exists from opset 20 on, and the file is "
            "opset 17"});
  EXPECT_EQ(of_rule(checked(one_node("Upsample"), Target::kOrtCpu), "unknown-operator"),
            Lines{"error unknown-operator block/Upsample: Upsample was withdrawn in opset 10, and "
                  "the file is opset 17"});
  EXPECT_EQ(of_rule(checked(one_node("Nonsense"), Target::kOrtCpu), "unknown-operator"),
            Lines{"error unknown-operator block/Nonsense: ONNX has no operator 'Nonsense'"});
}

TEST(Structure, TellsMissingOperands) {
  EXPECT_EQ(of_rule(checked(one_node("Add"), Target::kOrtCpu), "operand-count"),
            Lines{"error operand-count block/Add: it has 1 inputs, and Add takes 2"});
}

TEST(Structure, TellsDomainsThatAreNotImported) {
  EXPECT_EQ(
      of_rule(checked(one_node("Thing", "my.ops"), Target::kOrtCpu), "no-opset"),
      Lines{"error no-opset block/Thing: operators of 'my.ops' are used, and the file does not "
            "say of which version"});
}

TEST(Structure, TellsOutputsThatNobodyMakes) {
  ModelBuilder builder = one_node("Sigmoid");
  builder.output("z", DType::kF32, {4});

  EXPECT_EQ(checked(builder, Target::kTrtRtx),
            Lines{"error undefined-output z: nothing makes this output"});
}

TEST(Structure, TellsWhatIsIdle) {
  ModelBuilder builder = one_node("Sigmoid");
  builder.input("spare", DType::kF32, {4}).initializer("w", Tensor(DType::kF32, {4}));
  builder.node("Neg", "unused", {"spare"});

  EXPECT_EQ(checked(builder, Target::kOrtCpu),
            (Lines{"note idle-part w: no output depends on this weight",
                   "note idle-part spare: no output depends on this input",
                   "note idle-part unused: no output depends on this node"}));
}

TEST(Structure, TellsWeightsThatACallerCouldReplace) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {4}).input("w", DType::kF32, {4});
  builder.initializer("w", Tensor(DType::kF32, {4})).output("y", DType::kF32, {4});
  builder.node("Add", "sum", {"x", "w"}, "y");

  EXPECT_EQ(
      checked(builder, Target::kTrtRtx),
      Lines{"warning replaceable-weight w: this weight is an input too, so that a caller could "
            "replace it and nothing that depends on it can be folded"});
}

TEST(Structure, SeesInsideBodies) {
  ModelBuilder builder;
  builder.input("c", DType::kBool, {}).input("x", DType::kF32, {4}).output("y", DType::kF32, {4});
  builder.node("If", "choice", {"c"}, "y");
  for (const char* name : {"then_branch", "else_branch"}) {
    onnx::AttributeProto& attribute = *builder.graph().mutable_node(0)->add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    onnx::NodeProto& node = *attribute.mutable_g()->add_node();
    node.set_op_type(std::string(name) == "then_branch" ? "Abs" : "Nonsense");
    node.set_name(name);
    node.add_input("x");
    node.add_output(std::string(name) + "_out");
    attribute.mutable_g()->add_output()->set_name(std::string(name) + "_out");
  }

  EXPECT_EQ(checked(builder, Target::kTrtRtx),
            (Lines{"error unknown-operator else_branch: ONNX has no operator 'Nonsense'",
                   "warning control-flow choice: If keeps engines from fusing what is inside and "
                   "around it"}));
}

TEST(Structure, NamesTheModule) {
  EXPECT_EQ(graph::module_of("/down_blocks.0/resnets.0/conv1/Conv"),
            "down_blocks.0.resnets.0.conv1");
  EXPECT_EQ(graph::module_of("mid_block.attentions.0/MatMul"), "mid_block.attentions.0");
  EXPECT_EQ(graph::module_of("Conv_17"), "");
}

}  // namespace
}  // namespace sinter::check
