#include "sinter/arch/structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sinter/base/message.h"

namespace sinter::arch {
namespace {

bool fits(Shape found, const ExpectedTensor& expected) {
  if (expected.matrix)
    while (found.size() > 2 && found.back() == 1) found.pop_back();
  return std::ranges::equal(found, expected.shape, [](std::int64_t is, std::int64_t wanted) {
    return wanted == 0 || is == wanted;
  });
}

}  // namespace

std::string open_shape(const Shape& shape) {
  std::string text;
  for (const std::int64_t extent : shape)
    text +=
        fmt::format("{}{}", text.empty() ? "" : ",", extent == 0 ? "?" : fmt::to_string(extent));
  return fmt::format("[{}]", text);
}

int count_children(const WeightMap& weights, std::string_view prefix, int limit) {
  const auto& all = weights.all();
  int count = 0;
  for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at) {
    int number = 0;
    const char* begin = at->first.data() + prefix.size();
    const auto parsed = std::from_chars(begin, at->first.data() + at->first.size(), number);
    if (parsed.ec == std::errc() && number >= 0 && number < limit)
      count = std::max(count, number + 1);
  }
  return count;
}

bool has_below(const WeightMap& weights, std::string_view prefix) {
  const auto at = weights.all().lower_bound(prefix);
  return at != weights.all().end() && at->first.starts_with(prefix);
}

std::int64_t extent(const WeightMap& weights, std::string_view name, std::size_t axis) {
  const WeightSource* source = weights.find(name);
  if (source == nullptr) return 0;
  const Shape shape = logical_shape(*source);
  return axis < shape.size() ? shape[axis] : 0;
}

void Expected::linear(const std::string& module, std::int64_t out, std::int64_t in, bool bias,
                      bool matrix) {
  add(module + ".weight", {out, in}, matrix);
  if (bias) add(module + ".bias", {out});
}

void Expected::conv(const std::string& module, std::int64_t out, std::int64_t in,
                    std::int64_t kernel) {
  add(module + ".weight", {out, in, kernel, kernel});
  add(module + ".bias", {out});
}

void Expected::norm(const std::string& module, std::int64_t width) {
  add(module + ".weight", {width});
  add(module + ".bias", {width});
}

Deviations compare(const WeightMap& weights, const std::vector<ExpectedTensor>& expected) {
  Deviations result;
  for (const ExpectedTensor& tensor : expected) {
    const WeightSource* source = weights.find(tensor.name);
    if (source == nullptr) {
      result.missing.push_back(tensor);
      continue;
    }
    const Shape found = logical_shape(*source);
    if (!fits(found, tensor))
      result.wrong.push_back(fmt::format("'{}' is {}, expected {}", shown(source->tensor->name),
                                         to_string(found), open_shape(tensor.shape)));
  }
  return result;
}

}  // namespace sinter::arch
