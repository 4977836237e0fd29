#include "sinter/graph/tensor_numbers.h"

#include <fmt/format.h>
#include <onnx.pb.h>

#include <cstdint>
#include <cstring>

#include "sinter/base/dtype.h"
#include "sinter/base/error.h"
#include "sinter/base/half.h"
#include "sinter/base/shape.h"
#include "sinter/graph/external_data.h"

namespace sinter::graph {
namespace {

/// How many numbers of one element type a tensor keeps in typed fields, or nothing: another type.
std::optional<std::int64_t> typed_elements(const onnx::TensorProto& tensor) {
  switch (tensor.data_type()) {
    case onnx::TensorProto::FLOAT:
      return tensor.float_data_size();
    case onnx::TensorProto::COMPLEX64:
      return tensor.float_data_size() / 2;
    case onnx::TensorProto::DOUBLE:
      return tensor.double_data_size();
    case onnx::TensorProto::COMPLEX128:
      return tensor.double_data_size() / 2;
    case onnx::TensorProto::INT64:
      return tensor.int64_data_size();
    case onnx::TensorProto::UINT32:
    case onnx::TensorProto::UINT64:
      return tensor.uint64_data_size();
    case onnx::TensorProto::STRING:
      return tensor.string_data_size();
    default:
      // Two elements of four bits share a number; only the others can be counted.
      if (dtype_from_onnx(tensor.data_type())) return tensor.int32_data_size();
      return std::nullopt;
  }
}

template <typename Element>
std::vector<double> numbers_in(std::span<const std::byte> bytes) {
  std::vector<double> numbers;
  for (std::size_t at = 0; at + sizeof(Element) <= bytes.size(); at += sizeof(Element)) {
    Element element;
    std::memcpy(&element, bytes.data() + at, sizeof element);
    numbers.push_back(static_cast<double>(element));
  }
  return numbers;
}

template <typename Field>
std::vector<double> copied(const Field& field) {
  std::vector<double> numbers;
  for (const auto value : field) numbers.push_back(static_cast<double>(value));
  return numbers;
}

}  // namespace

std::optional<TensorFlaw> payload_flaw(const onnx::TensorProto& tensor) {
  try {
    const std::optional<std::uint64_t> bytes = payload_bytes(tensor);
    if (tensor.has_raw_data() && !bytes) return std::nullopt;
    const std::int64_t count = element_count(shape_of(tensor));
    if (tensor.has_raw_data() && tensor.raw_data().size() != *bytes) {
      return TensorFlaw{DataFlaw::kPayload,
                        fmt::format("it has {} bytes, expected {} for its shape and type",
                                    tensor.raw_data().size(), *bytes),
                        {}};
    }
    const std::optional<std::int64_t> typed = typed_elements(tensor);
    if (!tensor.has_raw_data() && typed && *typed != count) {
      return TensorFlaw{DataFlaw::kPayload,
                        fmt::format("it has {} numbers, expected {} for its shape", *typed, count),
                        {}};
    }
  } catch (const Error& error) {
    return TensorFlaw{DataFlaw::kPayload, error.message(), error.hint()};
  }
  return std::nullopt;
}

std::optional<std::vector<double>> numbers_of(int type, std::span<const std::byte> bytes) {
  switch (type) {
    case onnx::TensorProto::FLOAT:
      return numbers_in<float>(bytes);
    case onnx::TensorProto::DOUBLE:
      return numbers_in<double>(bytes);
    case onnx::TensorProto::INT64:
      return numbers_in<std::int64_t>(bytes);
    case onnx::TensorProto::INT32:
      return numbers_in<std::int32_t>(bytes);
    case onnx::TensorProto::INT8:
      return numbers_in<std::int8_t>(bytes);
    case onnx::TensorProto::UINT8:
    case onnx::TensorProto::BOOL:
      return numbers_in<std::uint8_t>(bytes);
    case onnx::TensorProto::FLOAT16: {
      std::vector<double> numbers = numbers_in<std::uint16_t>(bytes);
      for (double& number : numbers) number = half_to_float(static_cast<std::uint16_t>(number));
      return numbers;
    }
    default:
      return std::nullopt;
  }
}

std::optional<std::vector<double>> typed_numbers(const onnx::TensorProto& tensor) {
  switch (tensor.data_type()) {
    case onnx::TensorProto::FLOAT:
      return copied(tensor.float_data());
    case onnx::TensorProto::DOUBLE:
      return copied(tensor.double_data());
    case onnx::TensorProto::INT64:
      return copied(tensor.int64_data());
    case onnx::TensorProto::INT32:
    case onnx::TensorProto::INT8:
    case onnx::TensorProto::UINT8:
    case onnx::TensorProto::BOOL:
      return copied(tensor.int32_data());
    case onnx::TensorProto::FLOAT16: {
      std::vector<double> numbers = copied(tensor.int32_data());
      for (double& number : numbers) {
        if (number < 0 || number > 65535) return std::nullopt;
        number = half_to_float(static_cast<std::uint16_t>(number));
      }
      return numbers;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace sinter::graph
