#include "sinter/graph/extents.h"

#include <charconv>

namespace sinter::graph {
namespace {

std::optional<std::int64_t> evaluate_factor(std::string_view text, const Symbols& symbols) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size()) return number;
  const auto found = symbols.find(text);
  if (found == symbols.end()) return std::nullopt;
  return found->second;
}

}  // namespace

std::optional<std::int64_t> evaluate_extent(std::string_view text, const Symbols& symbols) {
  // The whole may itself be a symbol: foreign files have names like "floor(height/2)".
  if (const auto whole = evaluate_factor(text, symbols)) return whole;
  std::int64_t value = 1;
  char operation = '*';
  while (true) {
    const std::size_t end = text.find_first_of("*/");
    const std::optional<std::int64_t> factor = evaluate_factor(text.substr(0, end), symbols);
    if (!factor || (operation == '/' && *factor <= 0)) return std::nullopt;
    if (operation == '*') {
      if (__builtin_mul_overflow(value, *factor, &value)) return std::nullopt;
    } else {
      value = value / *factor + (value % *factor > 0 ? 1 : 0);
    }
    if (end == std::string_view::npos) return value;
    operation = text[end];
    text.remove_prefix(end + 1);
  }
}

std::optional<Shape> evaluate_shape(const ValueDeclaration& declared, const Symbols& symbols) {
  if (!declared.ranked) return std::nullopt;
  Shape shape;
  for (std::size_t axis = 0; axis < declared.shape.size(); ++axis) {
    if (declared.shape[axis] >= 0) {
      shape.push_back(declared.shape[axis]);
    } else if (const auto extent = evaluate_extent(declared.symbols[axis], symbols)) {
      shape.push_back(*extent);
    } else {
      return std::nullopt;
    }
  }
  return shape;
}

}  // namespace sinter::graph
