#include "sinter/graph/dim.h"

#include <fmt/format.h>

#include <utility>

namespace sinter::graph {

Dim Dim::symbol(std::string name) {
  Dim dim(1);
  dim.base_ = std::move(name);
  return dim;
}

std::string Dim::text() const {
  if (is_static()) return fmt::to_string(factor_);
  std::string text = factor_ == 1 ? base_ : fmt::format("{}*{}", factor_, base_);
  if (divisor_ != 1) text += fmt::format("/{}", divisor_);
  return text;
}

Dim Dim::times(std::int64_t factor) const {
  Dim dim = *this;
  dim.factor_ *= factor;
  // Only a whole multiple cancels: 2 * ceil(h/2) is not h.
  if (dim.divisor_ != 1 && !dim.is_static()) {
    dim = Dim(factor);
    dim.base_ = text();
  }
  return dim;
}

Dim Dim::times(const Dim& other) const {
  if (other.is_static()) return times(other.factor_);
  if (is_static()) return other.times(factor_);
  Dim dim(1);
  dim.base_ = fmt::format("{}*{}", text(), other.text());
  return dim;
}

Dim Dim::divided(std::int64_t divisor) const {
  Dim dim = *this;
  if (is_static()) {
    dim.factor_ = (factor_ + divisor - 1) / divisor;
  } else if (factor_ % divisor == 0 && divisor_ == 1) {
    dim.factor_ /= divisor;
  } else {
    dim.divisor_ *= divisor;  // ceil(ceil(x/a)/b) = ceil(x/(a*b))
  }
  return dim;
}

std::string to_string(const Dims& dims) {
  std::string text = "[";
  for (const Dim& dim : dims) text += (text.size() > 1 ? "," : "") + dim.text();
  return text + "]";
}

}  // namespace sinter::graph
