#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

#include "tests/models/block.h"
#include "tests/models/transformer_config.h"

namespace sinter::models {
namespace {

using Names = std::vector<std::string>;

/// Names below a module, without its own and the dot.
Names below(const std::string& module, const Names& all) {
  Names found;
  for (const std::string& name : all) {
    if (name.starts_with(module + ".") || name.starts_with(module + "/"))
      found.push_back(name.substr(module.size() + 1));
  }
  return found;
}

struct Built {
  Names nodes;
  Names initializers;  // that lie in the checkpoint, as stored
};

Built built(const std::string& block, const Block::Emit& emit) {
  graph::Graph graph("block");
  Block(block).build(graph, DType::kF16, emit);  // as stored: no casts of weights
  Built names;
  for (const graph::Node& node : graph.nodes()) names.nodes.push_back(node.name);
  for (const graph::Initializer& initializer : graph.initializers()) {
    if (std::holds_alternative<graph::FileRange>(initializer.data))
      names.initializers.push_back(initializer.name);
  }
  return names;
}

TEST(Names, OfAResnetAreThoseOfItsModules) {
  const Built names = built("resnets", [](const Scope& s, const Block::Values& in) {
    const Value x = cast(in.at("x"), DType::kF16);
    const Value time = cast(in.at("time"), DType::kF16);
    return Block::Outputs{{"timed", resnet(s / "timed", x, time, 32, 1e-5f)}};
  });
  EXPECT_EQ(below("timed", names.initializers),
            (Names{"norm1.weight", "norm1.bias", "conv1.weight", "conv1.bias",
                   "time_emb_proj.weight", "time_emb_proj.bias", "norm2.weight", "norm2.bias",
                   "conv2.weight", "conv2.bias", "conv_shortcut.weight", "conv_shortcut.bias"}));
  EXPECT_EQ(below("timed.conv1", names.nodes), (Names{"Conv"}));
  EXPECT_EQ(below("timed.time_emb_proj", names.nodes),
            (Names{"weight/Transpose", "MatMul", "Add", "Unsqueeze", "Unsqueeze_1", "Add_1"}));
  EXPECT_EQ(below("timed.norm1", names.nodes),
            (Names{"Reshape", "Cast", "InstanceNormalization", "Cast_1", "Reshape_1", "Mul", "Add",
                   "Sigmoid", "Mul_1"}));
  EXPECT_EQ(*(names.nodes.end() - 2), "timed/Add");  // behind it, the cast to the output
}

TEST(Names, OfATransformerAreThoseOfItsModulesAndHalvesAreRanges) {
  const Built names = built("transformer", emit_transformer(false, DType::kF16));
  const std::string block = "mid_block.attentions.0.transformer_blocks.0";
  EXPECT_EQ(
      below(block + ".ff", names.initializers),
      (Names{"net.0.proj.weight[0:128]", "net.0.proj.bias[0:128]", "net.0.proj.weight[128:256]",
             "net.0.proj.bias[128:256]", "net.2.weight", "net.2.bias"}));
  EXPECT_EQ(
      below(block + ".attn2", names.initializers),
      (Names{"to_q.weight", "to_k.weight", "to_v.weight", "to_out.0.weight", "to_out.0.bias"}));
  // Product, softmax, product with nothing between: what engines fuse.
  const Names attention = below(block + ".attn1", names.nodes);
  const auto softmax = std::ranges::find(attention, "Softmax");
  ASSERT_NE(softmax, attention.end());
  EXPECT_EQ(*(softmax - 1), "MatMul");
  EXPECT_EQ(*(softmax + 1), "MatMul_1");
}

}  // namespace
}  // namespace sinter::models
