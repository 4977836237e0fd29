#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sinter::deploy {

/// An input or output of a Triton model. dims: without the batch where the model has one.
struct ConfigTensor {
  std::string name;
  std::string type;                // "TYPE_FP16"
  std::vector<std::int64_t> dims;  // -1: free
  bool scalar = false;             // one number a row: dims [1] outside, none inside
  bool optional = false;
};

/// What config.pbtxt says of a model: the fields of Triton's ModelConfig that sinter writes.
/// Source: triton-inference-server/common, protobuf/model_config.proto.
struct ModelConfig {
  std::string name;
  std::string backend;              // "onnxruntime", "tensorrt", "python"
  std::string platform;             // "tensorrt_plan", or empty
  std::int64_t max_batch_size = 0;  // 0: the model's own dims have the batch
  std::vector<ConfigTensor> inputs = {};
  std::vector<ConfigTensor> outputs = {};
  std::string instance_kind = "KIND_AUTO";
  int instances = 1;
  std::int64_t queue_delay_us = 0;  // how long dynamic batching waits; with a batch only
  std::string default_file = {};    // where it is not the backend's own
  std::map<std::string, std::string> plans = {};  // compute capability "8.9" -> file
  std::map<std::string, std::string> parameters = {};
};

/// The text of config.pbtxt.
std::string to_pbtxt(const ModelConfig& config);

/// Triton's word for an element type of ONNX (TensorProto.DataType).
/// @throws Error{kUnsupported} for a type that Triton has no word for.
std::string triton_type(int onnx_type);

}  // namespace sinter::deploy
