#include "sinter/arch/signatures.h"

#include <algorithm>
#include <string>
#include <vector>

namespace sinter::arch {
namespace {

/// What is put around the names of a whole network.
constexpr std::array<std::string_view, 5> kWrappers{"params_ema.", "params.", "state_dict.",
                                                    "module.", "_orig_mod."};

std::string_view without_wrapper(std::string_view name) {
  for (const std::string_view wrapper : kWrappers)
    if (name.starts_with(wrapper)) name.remove_prefix(wrapper.size());
  return name;
}

/// The name with every number between dots as '#': the blocks of a network then read alike.
std::string outline(std::string_view name) {
  std::string result;
  while (!name.empty()) {
    const std::string_view segment = name.substr(0, name.find('.'));
    const bool number = !segment.empty() &&
                        std::ranges::all_of(segment, [](char c) { return c >= '0' && c <= '9'; });
    result += number ? std::string_view("#") : segment;
    name.remove_prefix(segment.size());
    if (!name.empty()) {
      result += '.';
      name.remove_prefix(1);
    }
  }
  return result;
}

/// Outlines of all names, each once: a hundred where there are thousands of names.
std::vector<std::string> outlines(const NameIndex& names) {
  std::vector<std::string> result;
  result.reserve(names.all().size());
  for (const NamedTensor& entry : names.all())
    result.push_back(outline(without_wrapper(entry.name)));
  std::ranges::sort(result);
  const auto repeated = std::ranges::unique(result);
  result.erase(repeated.begin(), repeated.end());
  return result;
}

bool holds(std::string_view name, std::string_view mark, bool at_begin, bool at_end) {
  if (at_begin && at_end) return name == mark;
  if (at_begin) return name.starts_with(mark);
  if (at_end) return name.ends_with(mark);
  return name.find(mark) != name.npos;
}

bool occurs(const std::vector<std::string>& names, std::string_view mark) {
  const bool at_begin = mark.starts_with('^');
  if (at_begin) mark.remove_prefix(1);
  const bool at_end = mark.ends_with('$');
  if (at_end) mark.remove_suffix(1);
  return std::ranges::any_of(
      names, [&](const std::string& name) { return holds(name, mark, at_begin, at_end); });
}

bool has_shape(const NameIndex& names, const ShapeMark& mark) {
  return std::ranges::any_of(names.all(), [&](const NamedTensor& entry) {
    const Shape& shape = entry.tensor->shape;
    if (!entry.name.ends_with(mark.ending)) return false;
    if (mark.axis == kRank) return static_cast<std::int64_t>(shape.size()) == mark.extent;
    return mark.axis < shape.size() && shape[mark.axis] == mark.extent;
  });
}

bool fits(const Signature& signature, const std::vector<std::string>& outlines,
          const NameIndex& names) {
  const bool marked = std::ranges::all_of(signature.marks, [&](std::string_view mark) {
    return mark.empty() || occurs(outlines, mark);
  });
  return marked && (signature.unless.empty() || !occurs(outlines, signature.unless)) &&
         (signature.shape.ending.empty() || has_shape(names, signature.shape));
}

}  // namespace

const Signature* find_signature(const NameIndex& names) {
  const std::vector<std::string> all = outlines(names);
  const auto found = std::ranges::find_if(
      signatures(), [&](const Signature& signature) { return fits(signature, all, names); });
  return found == signatures().end() ? nullptr : &*found;
}

}  // namespace sinter::arch
