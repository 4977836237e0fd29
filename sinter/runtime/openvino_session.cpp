#include "sinter/runtime/openvino_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <openvino/core/graph_util.hpp>
#include <openvino/op/constant.hpp>
#include <openvino/op/parameter.hpp>
#include <openvino/openvino.hpp>
#include <optional>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/runtime/engine_error.h"
#include "sinter/runtime/openvino_sinusoids.h"
#include "sinter/runtime/prepared_inputs.h"

namespace sinter::runtime {
namespace {

constexpr const char* kDevice = "CPU";
constexpr std::string_view kEngineName = "OpenVINO";

struct TypeRow {
  DType dtype;
  ov::element::Type_t type;
};

constexpr std::array kTypes{
    TypeRow{DType::kF64, ov::element::f64},       TypeRow{DType::kF32, ov::element::f32},
    TypeRow{DType::kF16, ov::element::f16},       TypeRow{DType::kBF16, ov::element::bf16},
    TypeRow{DType::kF8E4M3, ov::element::f8e4m3}, TypeRow{DType::kF8E5M2, ov::element::f8e5m2},
    TypeRow{DType::kI64, ov::element::i64},       TypeRow{DType::kI32, ov::element::i32},
    TypeRow{DType::kI16, ov::element::i16},       TypeRow{DType::kI8, ov::element::i8},
    TypeRow{DType::kU64, ov::element::u64},       TypeRow{DType::kU32, ov::element::u32},
    TypeRow{DType::kU16, ov::element::u16},       TypeRow{DType::kU8, ov::element::u8},
    TypeRow{DType::kBool, ov::element::boolean},
};

ov::element::Type to_openvino(DType dtype) {
  for (const TypeRow& row : kTypes) {
    if (row.dtype == dtype) return row.type;
  }
  return ov::element::dynamic;
}

DType from_openvino(const ov::element::Type& type) {
  for (const TypeRow& row : kTypes) {
    if (type == row.type) return row.dtype;
  }
  throw Error(ErrorCode::kUnsupported, fmt::format("an output of type {}", type.get_type_name()));
}

ov::element::Type precision_of(Arithmetic arithmetic, const ov::Core& core) {
  switch (arithmetic) {
    case Arithmetic::kGraph:
      return ov::element::f32;
    case Arithmetic::kBFloat16:
      return ov::element::bf16;
    case Arithmetic::kFloat16:
      return ov::element::f16;
    case Arithmetic::kFastest:
      break;
    case Arithmetic::kRounded:
      throw Error(ErrorCode::kUsage, "OpenVINO does not round every value to its type",
                  "--engine onnxruntime does");
  }
  const std::vector<std::string> able = core.get_property(kDevice, ov::device::capabilities);
  const bool has_bfloat16 = std::ranges::find(able, ov::device::capability::BF16) != able.end();
  return has_bfloat16 ? ov::element::bf16 : ov::element::f32;
}

ov::AnyMap properties(const SessionOptions& options, const ov::Core& core) {
  const ov::element::Type precision = precision_of(options.arithmetic, core);
  ov::AnyMap map{
      ov::hint::inference_precision(precision),
      ov::hint::performance_mode(ov::hint::PerformanceMode::LATENCY),
      // Its other mode lets it trade accuracy for speed.
      ov::hint::execution_mode(precision == ov::element::f32
                                   ? ov::hint::ExecutionMode::ACCURACY
                                   : ov::hint::ExecutionMode::PERFORMANCE),
  };
  if (options.threads > 0) map.insert(ov::inference_num_threads(options.threads));
  return map;
}

std::string short_version(std::string_view build) {
  return std::string(build.substr(0, build.find('-')));
}

class OpenVinoSession final : public Session {
 public:
  OpenVinoSession(const graph::OnnxModel& model, const SessionOptions& options)
      : model_(model), inputs_(model.inputs()), outputs_(model.outputs()) {
    try {
      const ov::AnyMap wanted = properties(options, core_);
      const std::shared_ptr<ov::Model> network = read();
      fix_shapes(*network, options);
      if (precision_of(options.arithmetic, core_) != ov::element::f32) {
        sinusoids_.emplace(*network);
        sinusoids_->compile(core_, kDevice, wanted);
      }
      compiled_ = core_.compile_model(network, kDevice, wanted);
      request_ = compiled_.create_infer_request();
      for (const graph::ValueDeclaration& input : inputs_) {
        taken_.push_back(has_input(compiled_.inputs(), input.name));
      }
      describe();
    } catch (const std::exception& problem) {
      rethrow("compiling", problem);
    }
  }

  const std::vector<graph::ValueDeclaration>& inputs() const override { return inputs_; }
  const std::vector<graph::ValueDeclaration>& outputs() const override { return outputs_; }
  EngineInfo info() const override { return info_; }

  TensorMap run(const TensorMap& given) override {
    const PreparedInputs prepared(inputs_, given);
    try {
      std::vector<std::pair<std::string, ov::Tensor>> tensors;
      for (std::size_t i = 0; i < inputs_.size(); ++i) {
        const Tensor& tensor = *prepared.tensors()[i];
        tensors.emplace_back(inputs_[i].name, over(tensor.dtype(), tensor.shape(), tensor.bytes()));
        if (taken_[i]) request_.set_tensor(inputs_[i].name, tensors.back().second);
      }
      if (sinusoids_) sinusoids_->run(tensors, request_);
      request_.infer();
      TensorMap results;
      for (const graph::ValueDeclaration& output : outputs_) {
        results.insert_or_assign(output.name, copied(request_.get_tensor(output.name)));
      }
      return results;
    } catch (const std::exception& problem) {
      rethrow("running", problem);
    }
  }

 private:
  [[noreturn]] void rethrow(std::string_view doing, const std::exception& problem) const {
    if (const auto* ours = dynamic_cast<const Error*>(&problem)) throw *ours;
    throw_engine_error(kEngineName, doing, model_, problem.what());
  }

  // The model is read with inputs where its weights belong, and constants over the mapped files
  // then take their places: every other way in makes a copy of the weights.
  std::shared_ptr<ov::Model> read() {
    const std::string bytes = model_.serialized(graph::WeightForm::kInputs);
    const std::shared_ptr<ov::Model> network = core_.read_model(bytes, ov::Tensor());
    std::map<std::string, std::shared_ptr<ov::op::v0::Parameter>> parameters;
    for (const auto& parameter : network->get_parameters()) {
      parameters.emplace(parameter->get_friendly_name(), parameter);
    }
    for (const graph::Weight& weight : model_.weights()) {
      const auto found = parameters.find(weight.name);
      if (found == parameters.end()) continue;  // no node uses it
      const auto constant =
          std::make_shared<ov::op::v0::Constant>(over(weight.dtype, weight.shape, weight.bytes));
      constant->set_friendly_name(weight.name);
      ov::replace_node(found->second, constant);
      network->remove_parameter(found->second);
    }
    network->validate_nodes_and_infer_types();
    return network;
  }

  static void fix_shapes(ov::Model& network, const SessionOptions& options) {
    std::map<std::string, ov::PartialShape> shapes;
    for (const auto& [name, shape] : options.input_shapes) {
      if (has_input(network.inputs(), name)) {
        shapes.emplace(name, ov::PartialShape(ov::Shape(shape.begin(), shape.end())));
      }
    }
    if (!shapes.empty()) network.reshape(shapes);
  }

  // The engine only reads them, though its tensor type cannot say so for memory of others.
  static ov::Tensor over(DType dtype, const Shape& shape, std::span<const std::byte> bytes) {
    return ov::Tensor(to_openvino(dtype), ov::Shape(shape.begin(), shape.end()),
                      const_cast<std::byte*>(bytes.data()));
  }

  static Tensor copied(const ov::Tensor& tensor) {
    const ov::Shape& shape = tensor.get_shape();
    Tensor result(from_openvino(tensor.get_element_type()), Shape(shape.begin(), shape.end()));
    if (tensor.get_byte_size() > 0) {
      std::memcpy(result.bytes().data(), std::as_const(tensor).data(), tensor.get_byte_size());
    }
    return result;
  }

  void describe() {
    const ov::element::Type precision = compiled_.get_property(ov::hint::inference_precision);
    info_ = {.name = std::string(kEngineName),
             .version = short_version(ov::get_openvino_version().buildNumber),
             .device =
                 fmt::format("{}: {}", kDevice, core_.get_property(kDevice, ov::device::full_name)),
             .arithmetic = std::string(dtype_info(from_openvino(precision)).word)};
  }

  const graph::OnnxModel& model_;
  std::vector<graph::ValueDeclaration> inputs_;
  std::vector<graph::ValueDeclaration> outputs_;
  std::vector<bool> taken_;  // of inputs_
  ov::Core core_;
  std::optional<OpenVinoSinusoids> sinusoids_;
  ov::CompiledModel compiled_;
  ov::InferRequest request_;
  EngineInfo info_;
};

}  // namespace

std::unique_ptr<Session> open_openvino(const graph::OnnxModel& model,
                                       const SessionOptions& options) {
  return std::make_unique<OpenVinoSession>(model, options);
}

}  // namespace sinter::runtime
