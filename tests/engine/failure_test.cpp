#include "sinter/engine/failure.h"

#include <gtest/gtest.h>

namespace sinter::engine {
namespace {

constexpr Version kVersion{1, 7, 1, 116};

TEST(Failure, OfTheParserNamesNodeOperatorAndModule) {
  const ParserError complaints[] = {{"unet.mid/attn1/Nonsense", "Nonsense", "no importer"},
                                    {"b", "C", "d"}};
  const Error error =
      parser_failure(Flavour::kTensorRtRtx, kVersion, "unet/model.onnx", complaints, "");
  EXPECT_STREQ(error.what(),
               "TensorRT-RTX 1.7.1.116 refuses node 'unet.mid/attn1/Nonsense' (Nonsense) of "
               "unet/model.onnx: no importer (and 1 more)\n"
               "  while parsing module unet.mid/attn1");
}

TEST(Failure, OfTheBuilderNamesTheModuleAndTheCause) {
  const Error error = build_failure(
      Flavour::kTensorRtRtx, kVersion, "vae/model.onnx",
      "Cannot compile operation 'decoder.mid/to_v/MatMul_U171' for Turing (SM75): FP32 GEMM is not "
      "supported.");
  EXPECT_EQ(error.context(), (std::vector<std::string>{"building module decoder.mid/to_v"}));
  EXPECT_NE(error.hint().find("--vae-precision fp16"), std::string::npos);
}

TEST(Failure, OfLoadingSaysWhatTheMachineLacks) {
  EXPECT_NE(load_failure(Flavour::kTensorRt, {10, 0, 0, 6}, "CUDA initialization failure with 35")
                .hint()
                .find("NVIDIA GPU"),
            std::string::npos);
}

}  // namespace
}  // namespace sinter::engine
