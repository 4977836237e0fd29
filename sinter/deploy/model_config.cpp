#include "sinter/deploy/model_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>

#include "sinter/base/error.h"

namespace sinter::deploy {
namespace {

struct TypeWord {
  int onnx;
  std::string_view triton;
};

constexpr std::array kTypes{
    TypeWord{1, "TYPE_FP32"},    TypeWord{2, "TYPE_UINT8"},  TypeWord{3, "TYPE_INT8"},
    TypeWord{4, "TYPE_UINT16"},  TypeWord{5, "TYPE_INT16"},  TypeWord{6, "TYPE_INT32"},
    TypeWord{7, "TYPE_INT64"},   TypeWord{8, "TYPE_STRING"}, TypeWord{9, "TYPE_BOOL"},
    TypeWord{10, "TYPE_FP16"},   TypeWord{11, "TYPE_FP64"},  TypeWord{12, "TYPE_UINT32"},
    TypeWord{13, "TYPE_UINT64"}, TypeWord{16, "TYPE_BF16"},
};

// A string of protobuf's text format.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (code < 0x20 || code == 0x7f) {
      result += fmt::format("\\{:03o}", code);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string tensor_text(const char* field, const ConfigTensor& tensor) {
  std::string text = fmt::format(
      "{} {{\n  name: {}\n  data_type: {}\n  dims: [ {} ]\n", field, quoted(tensor.name),
      tensor.type, tensor.scalar ? "1" : fmt::format("{}", fmt::join(tensor.dims, ", ")));
  if (tensor.scalar) text += "  reshape { shape: [ ] }\n";
  if (tensor.optional) text += "  optional: true\n";
  return text + "}\n";
}

}  // namespace

std::string to_pbtxt(const ModelConfig& config) {
  std::string text = fmt::format("name: {}\n", quoted(config.name));
  if (!config.platform.empty()) text += fmt::format("platform: {}\n", quoted(config.platform));
  if (!config.backend.empty()) text += fmt::format("backend: {}\n", quoted(config.backend));
  text += fmt::format("max_batch_size: {}\n", config.max_batch_size);
  for (const ConfigTensor& tensor : config.inputs) text += tensor_text("input", tensor);
  for (const ConfigTensor& tensor : config.outputs) text += tensor_text("output", tensor);
  text += fmt::format("instance_group {{\n  count: {}\n  kind: {}\n}}\n", config.instances,
                      config.instance_kind);
  if (config.max_batch_size > 1) {
    text += fmt::format("dynamic_batching {{\n  max_queue_delay_microseconds: {}\n}}\n",
                        config.queue_delay_us);
  }
  if (!config.default_file.empty()) {
    text += fmt::format("default_model_filename: {}\n", quoted(config.default_file));
  }
  for (const auto& [capability, file] : config.plans) {
    text += fmt::format("cc_model_filenames {{\n  key: {}\n  value: {}\n}}\n", quoted(capability),
                        quoted(file));
  }
  for (const auto& [key, value] : config.parameters) {
    text += fmt::format("parameters {{\n  key: {}\n  value {{ string_value: {} }}\n}}\n",
                        quoted(key), quoted(value));
  }
  return text;
}

std::string triton_type(int onnx_type) {
  for (const TypeWord& row : kTypes) {
    if (row.onnx == onnx_type) return std::string(row.triton);
  }
  throw Error(ErrorCode::kUnsupported,
              fmt::format("Triton has no word for ONNX's element type {}", onnx_type));
}

}  // namespace sinter::deploy
