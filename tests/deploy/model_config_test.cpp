#include "sinter/deploy/model_config.h"

#include <gtest/gtest.h>

#include "sinter/base/error.h"

namespace sinter::deploy {
namespace {

TEST(ModelConfig, IsWrittenInTritonsTextFormat) {
  ModelConfig config{.name = "unet", .backend = "tensorrt", .platform = "tensorrt_plan"};
  config.max_batch_size = 4;
  config.inputs = {{.name = "sample", .type = "TYPE_FP16", .dims = {4, -1, -1}},
                   {.name = "timestep", .type = "TYPE_FP32", .dims = {}, .scalar = true}};
  config.outputs = {{.name = "out \"sample\"", .type = "TYPE_FP16", .dims = {4, -1, -1}}};
  config.queue_delay_us = 100;
  config.plans = {{"8.6", "model_8_6.plan"}, {"8.9", "model_8_9.plan"}};

  EXPECT_EQ(to_pbtxt(config), R"(name: "unet"
platform: "tensorrt_plan"
backend: "tensorrt"
max_batch_size: 4
input {
  name: "sample"
  data_type: TYPE_FP16
  dims: [ 4, -1, -1 ]
}
input {
  name: "timestep"
  data_type: TYPE_FP32
  dims: [ 1 ]
  reshape { shape: [ ] }
}
output {
  name: "out \"sample\""
  data_type: TYPE_FP16
  dims: [ 4, -1, -1 ]
}
instance_group {
  count: 1
  kind: KIND_AUTO
}
dynamic_batching {
  max_queue_delay_microseconds: 100
}
cc_model_filenames {
  key: "8.6"
  value: "model_8_6.plan"
}
cc_model_filenames {
  key: "8.9"
  value: "model_8_9.plan"
}
)");
}

TEST(ModelConfig, KnowsTritonsWordsForTypes) {
  EXPECT_EQ(triton_type(10), "TYPE_FP16");
  EXPECT_EQ(triton_type(16), "TYPE_BF16");
  try {
    triton_type(14);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "Triton has no word for ONNX's element type 14");
  }
}

}  // namespace
}  // namespace sinter::deploy
