#include "sinter/runtime/prepared_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "sinter/base/error.h"

namespace sinter::runtime {
namespace {

std::string declared_shape(const graph::ValueDeclaration& declared) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < declared.shape.size(); ++i) {
    const std::string& symbol = declared.symbols[i];
    words.push_back(declared.shape[i] >= 0 ? fmt::to_string(declared.shape[i])
                    : symbol.empty()       ? std::string("?")
                                           : symbol);
  }
  return fmt::format("[{}]", fmt::join(words, ","));
}

bool accepts(const graph::ValueDeclaration& declared, const Shape& shape) {
  if (!declared.ranked) return true;
  if (declared.shape.size() != shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (declared.shape[i] >= 0 && declared.shape[i] != shape[i]) return false;
  }
  return true;
}

const Tensor& find(const std::vector<graph::ValueDeclaration>& all,
                   const graph::ValueDeclaration& wanted, const TensorMap& given) {
  const auto found = given.find(wanted.name);
  if (found != given.end()) return found->second;
  std::vector<std::string_view> expected;
  for (const graph::ValueDeclaration& declared : all) expected.push_back(declared.name);
  std::vector<std::string_view> names;
  for (const auto& [name, tensor] : given) names.push_back(name);
  throw Error(ErrorCode::kMissingTensor,
              fmt::format("input '{}' is missing; the graph takes {}; given: {}", wanted.name,
                          fmt::join(expected, ", "),
                          names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "))));
}

}  // namespace

PreparedInputs::PreparedInputs(const std::vector<graph::ValueDeclaration>& declared,
                               const TensorMap& given) {
  for (const graph::ValueDeclaration& wanted : declared) {
    const Tensor& tensor = find(declared, wanted, given);
    if (!accepts(wanted, tensor.shape())) {
      throw Error(ErrorCode::kShapeMismatch,
                  fmt::format("input '{}' is {}, the graph expects {}", wanted.name,
                              to_string(tensor.shape()), declared_shape(wanted)));
    }
    if (tensor.dtype() == wanted.dtype) {
      tensors_.push_back(&tensor);
    } else {
      tensors_.push_back(&converted_.emplace_back(to_dtype(tensor, wanted.dtype)));
    }
  }
}

}  // namespace sinter::runtime
