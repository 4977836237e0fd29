#include "sinter/plan/profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "sinter/base/error.h"
#include "sinter/base/message.h"
#include "sinter/base/nearest.h"

namespace sinter::plan {
namespace {

void require_ordered(const InputRange& range) {
  if (range.min.size() != range.opt.size() || range.opt.size() != range.max.size()) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("the shapes of '{}' differ in rank: min {}, opt {}, max {}", shown(range.input),
                    to_string(range.min), to_string(range.opt), to_string(range.max)));
  }
  for (std::size_t axis = 0; axis < range.min.size(); ++axis) {
    const bool ordered = 1 <= range.min[axis] && range.min[axis] <= range.opt[axis] &&
                         range.opt[axis] <= range.max[axis];
    if (ordered) continue;
    throw Error(
        ErrorCode::kUsage,
        fmt::format("axis {} of '{}' is out of order: min {}, opt {}, max {}, expected 1 "
                    "<= min <= opt <= max",
                    axis, shown(range.input), range.min[axis], range.opt[axis], range.max[axis]));
  }
}

std::vector<std::string> names_of(std::span<const graph::ValueDeclaration> inputs) {
  std::vector<std::string> names;
  for (const graph::ValueDeclaration& input : inputs) names.push_back(input.name);
  return names;
}

[[noreturn]] void refuse_unknown(const std::string& input,
                                 std::span<const graph::ValueDeclaration> inputs) {
  const std::vector<std::string> names = names_of(inputs);
  const std::string meant = nearest(input, names);
  throw Error(ErrorCode::kUsage,
              fmt::format("the graph has no input '{}'; it has {}", shown(input),
                          shown(fmt::format("{}", fmt::join(names, ", ")))),
              meant.empty() ? std::string() : fmt::format("did you mean '{}'?", shown(meant)));
}

void require_fits(const InputRange& range, const graph::ValueDeclaration& input) {
  if (!input.ranked) return;
  const auto fits = [&](const Shape& shape) {
    if (shape.size() != input.shape.size()) return false;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (input.shape[axis] >= 0 && shape[axis] != input.shape[axis]) return false;
    }
    return true;
  };
  for (const Shape* shape : {&range.min, &range.opt, &range.max}) {
    if (fits(*shape)) continue;
    std::string declared;
    for (std::size_t axis = 0; axis < input.shape.size(); ++axis) {
      declared += axis == 0 ? "" : ",";
      declared += input.shape[axis] >= 0        ? fmt::to_string(input.shape[axis])
                  : input.symbols[axis].empty() ? "?"
                                                : input.symbols[axis];
    }
    throw Error(ErrorCode::kUsage,
                fmt::format("the shape {} does not fit the input '{}', which is [{}]",
                            to_string(*shape), shown(input.name), shown(declared)));
  }
}

}  // namespace

const InputRange* Profile::find(std::string_view input) const {
  const auto found = std::ranges::find(inputs, input, &InputRange::input);
  return found == inputs.end() ? nullptr : &*found;
}

bool is_dynamic(const graph::ValueDeclaration& input) {
  return !input.ranked || std::ranges::any_of(input.shape, [](auto extent) { return extent < 0; });
}

void require_ordered(const Profile& profile) {
  std::set<std::string_view> names;
  for (const InputRange& range : profile.inputs) {
    require_ordered(range);
    if (!names.insert(range.input).second)
      throw Error(ErrorCode::kUsage,
                  fmt::format("the input '{}' has two ranges", shown(range.input)));
  }
}

void require_covers(const Profile& profile, std::span<const graph::ValueDeclaration> inputs) {
  require_ordered(profile);
  for (const InputRange& range : profile.inputs) {
    const auto input = std::ranges::find(inputs, range.input, &graph::ValueDeclaration::name);
    if (input == inputs.end()) refuse_unknown(range.input, inputs);
    require_fits(range, *input);
  }
  for (const graph::ValueDeclaration& input : inputs) {
    if (!is_dynamic(input) || profile.find(input.name) != nullptr) continue;
    throw Error(ErrorCode::kUsage,
                fmt::format("the dynamic input '{}' has no range", shown(input.name)),
                "an engine needs min, opt and max of every dynamic input; sinter plan gives them");
  }
}

}  // namespace sinter::plan
