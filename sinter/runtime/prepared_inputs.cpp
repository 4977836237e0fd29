#include "sinter/runtime/prepared_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string>

#include "sinter/base/error.h"

namespace sinter::runtime {
namespace {

// Every whole number up to here is one in double precision too.
constexpr double kLargestWhole = 9007199254740992.0;

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

void check_shape(const graph::ValueDeclaration& declared, const Shape& shape) {
  if (!accepts(declared, shape)) {
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("input '{}' is {}, the graph expects {}", declared.name,
                            to_string(shape), declared_shape(declared)));
  }
  if (std::ranges::find(shape, 0) != shape.end()) {
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("input '{}' is {}, which holds nothing; the graph expects {}",
                            declared.name, to_string(shape), declared_shape(declared)));
  }
}

// The extents that inputs gave to the symbols so far. Engines do not compare them: one says what an
// inner node makes of them, another repeats rows.
class SymbolCheck {
 public:
  void add(const graph::ValueDeclaration& declared, const Shape& shape) {
    if (!declared.ranked) return;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const std::string& symbol = declared.symbols[axis];
      if (symbol.empty()) continue;
      const auto [known, added] =
          extents_.try_emplace(symbol, Extent{&declared, shape, shape[axis]});
      if (added || known->second.extent == shape[axis]) continue;
      const Extent& first = known->second;
      throw Error(
          ErrorCode::kShapeMismatch,
          fmt::format("input '{}' is {} where the graph expects {}: '{}' is {} here and {} "
                      "in input '{}', which is {}",
                      declared.name, to_string(shape), declared_shape(declared), symbol,
                      shape[axis], first.extent, first.input->name, to_string(first.shape)));
    }
  }

 private:
  struct Extent {
    const graph::ValueDeclaration* input;
    Shape shape;
    std::int64_t extent;
  };
  std::map<std::string, Extent, std::less<>> extents_;
};

// Numbers of sampling steps are whole in float32 too; token ids that are fractions are a mix-up.
void check_whole(const graph::ValueDeclaration& declared, const Tensor& tensor) {
  if (!is_floating(tensor.dtype()) || is_floating(declared.dtype)) return;
  const Tensor wide = to_dtype(tensor, DType::kF64);
  for (std::size_t i = 0; i < static_cast<std::size_t>(wide.size()); ++i) {
    double value = 0;
    std::memcpy(&value, wide.bytes().data() + i * sizeof value, sizeof value);
    if (std::abs(value) <= kLargestWhole && std::trunc(value) == value) continue;
    throw Error(ErrorCode::kDTypeMismatch,
                fmt::format("input '{}' is {} and holds {:.6g}, the graph expects whole numbers "
                            "({})",
                            declared.name, dtype_info(tensor.dtype()).word, value,
                            dtype_info(declared.dtype).word));
  }
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
  SymbolCheck symbols;
  for (const graph::ValueDeclaration& wanted : declared) {
    const Tensor& tensor = find(declared, wanted, given);
    check_shape(wanted, tensor.shape());
    symbols.add(wanted, tensor.shape());
    if (tensor.dtype() == wanted.dtype) {
      tensors_.push_back(&tensor);
    } else {
      check_whole(wanted, tensor);
      tensors_.push_back(&converted_.emplace_back(to_dtype(tensor, wanted.dtype)));
    }
  }
}

}  // namespace sinter::runtime
