#include "sinter/engine/engine_program.h"

#include <gtest/gtest.h>

#include <string>

#include "sinter/engine/layer_report.h"

namespace sinter::engine {
namespace {

// Lines of an SD1.5 UNet's engine, shortened.
constexpr std::string_view kProgram = R"(binary before
descriptors {
  tensor={ alignment=128 dims={ 1 } mem_prop=100 name="__mye560870" offset=1 type=half }
  tensor={ alignment=128 dims={ 1 } name="conv_in/Conv.1" offset=1 type=half }
  tensor={ alignment=128 dims={ 1 } name="scores.1" offset=1 type=float }
}
main {
 label bb1: 
  shape_call={ name="__mye168745_0" stream=0  layers="" subg_id=0 }
  corrltn={ name="conv_in/Conv_U1" output={"conv_in/Conv.1_104" } input={"x" } stream=0 layers="[ONNX Layer: conv_in/Conv]" }
  function={ name=__myl_SiluGnor fqn=__myl_SiluGnor_0x1_vec output_args={ "__mye560870" } layers="[ONNX Layer: norm1/InstanceNormalization]
[ONNX Layer: norm1/Mul]
[ONNX Layer: norm1/Sigmoid]" swap_ab=false }
  function={ name=_gemm_mha_v2 fqn=_gemm_mha_v2_0x2 output_args={ "__mye560870" } layers="[ONNX Layer: b.attn1/MatMul]
[ONNX Layer: b.attn1/Softmax]
[ONNX Layer: b.attn1/MatMul_1]" }
  function={ name=__myl_MaxrSubExpSumDiv output_args={ "scores.1" } layers="[ONNX Layer: b.attn2/Softmax]" }
}
shape_main {
)";

EngineProgram read(std::string_view text) {
  return read_engine_program(std::as_bytes(std::span(text)));
}

TEST(EngineProgram, NamesTheNodesOfEveryKernel) {
  const EngineProgram program = read(kProgram);
  ASSERT_EQ(program.kernels.size(), 4U);
  EXPECT_EQ(program.kernels[0].operation, "corrltn");
  EXPECT_EQ(program.kernels[0].name, "conv_in/Conv_U1");
  EXPECT_EQ(program.kernels[0].type, "half");
  EXPECT_EQ(program.kernels[1].layers, (std::vector<std::string>{"norm1/InstanceNormalization",
                                                                 "norm1/Mul", "norm1/Sigmoid"}));
  EXPECT_TRUE(is_fused_attention(program.kernels[2]));
  EXPECT_EQ(program.kernels[3].type, "float");
}

TEST(EngineProgram, TellsFusedAttentionFromUnfused) {
  const EngineLayers layers = layers_of_engine(read(kProgram));
  EXPECT_TRUE(layers.known);
  EXPECT_EQ(layers.fused_attentions, 1U);
  EXPECT_EQ(layers.fused_norms, 1U);
  EXPECT_EQ(layers.unfused_attentions, (std::vector<std::string>{"b.attn2"}));
  EXPECT_EQ(layers.kernels_by_type.at("half"), 3U);
}

TEST(EngineProgram, IsEmptyWhereNothingCanBeRead) {
  EXPECT_EQ(read("").programs, 0U);
  EXPECT_EQ(read("ftrt and other bytes").programs, 0U);
  EXPECT_EQ(read(kProgram.substr(0, kProgram.size() / 2)).programs, 0U) << "cut off";
  EXPECT_FALSE(layers_of_engine(read("x")).known);
}

}  // namespace
}  // namespace sinter::engine
