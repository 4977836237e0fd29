#include "sinter/check/trial_sizes.h"

#include <algorithm>
#include <cctype>

namespace sinter::check {
using graph::OutlineValue;
namespace {

// Sizes of 512x512 pictures and one window of a prompt.
constexpr std::int64_t kLatent = 64;
constexpr std::int64_t kLatentPixels = 8;
constexpr std::int64_t kTokens = 77;

constexpr std::int64_t kLargestFactor = 4096;

// A leading or trailing whole number of a symbol: "8*height", "2B", "height/4", "H//8".
std::int64_t take_factor(std::string& text) {
  std::size_t digits = 0;
  while (digits < text.size() && digits < 5 &&
         std::isdigit(static_cast<unsigned char>(text[digits])) != 0) {
    ++digits;
  }
  if (digits == 0 || digits == text.size()) return 1;
  const std::int64_t factor = std::stoll(text.substr(0, digits));
  text.erase(0, digits);
  while (text.starts_with('*') || text.starts_with(' ')) text.erase(0, 1);
  return std::clamp<std::int64_t>(factor, 1, kLargestFactor);
}

std::int64_t take_divisor(std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == text.npos || slash == 0) return 1;
  std::string rest = text.substr(text.find_first_not_of('/', slash) == text.npos
                                     ? text.size()
                                     : text.find_first_not_of('/', slash));
  const bool number =
      !rest.empty() && rest.size() < 5 && rest.find_first_not_of("0123456789") == rest.npos;
  if (!number) return 1;
  while (text.size() > slash) text.pop_back();
  return std::clamp<std::int64_t>(std::stoll(rest), 1, kLargestFactor);
}

Axis part_of(const OutlineValue& input, std::size_t axis) {
  // A list of timesteps may be one for all or one a row, so that its length is no batch by itself.
  if (axis == 0) return input.dims.size() == 1 ? Axis::kOther : Axis::kBatch;
  if (input.dims.size() == 4 && axis >= 2) return axis == 2 ? Axis::kHeight : Axis::kWidth;
  const bool words =
      input.dims.size() == 3 || (input.dims.size() == 2 && input.type != 1 && input.type != 10);
  return axis == 1 && words ? Axis::kTokens : Axis::kOther;
}

const char* part_name(Axis axis) {
  switch (axis) {
    case Axis::kBatch:
      return "batch";
    case Axis::kHeight:
      return "height";
    case Axis::kWidth:
      return "width";
    case Axis::kTokens:
      return "tokens";
    default:
      return "size";
  }
}

bool is_picture(Axis axis) { return axis == Axis::kHeight || axis == Axis::kWidth; }

}  // namespace

TrialSizes::TrialSizes(const Subject& subject) {
  std::size_t unnamed_pictures = 0;
  for (const OutlineValue* input : subject.inputs()) {
    if (!input->ranked || !input->tensor) {
      known_ = false;
      continue;
    }
    std::vector<Term>& terms = inputs_[input->name];
    bool unnamed = false;
    for (std::size_t axis = 0; axis < input->dims.size(); ++axis) {
      unnamed |= input->dims[axis] < 0 && input->symbols[axis].empty() &&
                 is_picture(part_of(*input, axis));
      terms.push_back(term(*input, axis));
    }
    unnamed_pictures += unnamed ? 1 : 0;
  }
  const auto count = [this](Axis axis) { return std::ranges::count(free_, axis, &FreeSize::axis); };
  if (unnamed_pictures > 1 || count(Axis::kHeight) > 1 || count(Axis::kWidth) > 1) known_ = false;
}

TrialSizes::Term TrialSizes::term(const OutlineValue& input, std::size_t axis) {
  if (input.dims[axis] >= 0) return {.factor = input.dims[axis]};
  const Axis part = part_of(input, axis);
  std::string name = input.symbols[axis];
  Term result;
  result.factor = take_factor(name);
  result.divisor = take_divisor(name);
  // A batch without a name is everybody's.
  if (name.empty()) name = part_name(part == Axis::kOther && axis == 0 ? Axis::kBatch : part);
  const auto [known, fresh] = by_name_.emplace(name, free_.size());
  result.free = known->second;
  if (!fresh) {
    if (free_[known->second].axis == Axis::kOther) free_[known->second].axis = part;
    return result;
  }
  const bool pixels =
      is_picture(part) && result.factor == 1 && input.dims[1] >= 1 && input.dims[1] <= 3;
  const std::int64_t unit = pixels ? kLatentPixels : 1;
  std::int64_t usual = 1;
  if (is_picture(part)) usual = kLatent * unit;
  if (part == Axis::kTokens) usual = kTokens;
  if (is_picture(part)) usual *= result.divisor;
  free_.push_back({name, part, usual, unit * result.divisor});
  return result;
}

std::vector<std::int64_t> TrialSizes::usual() const {
  std::vector<std::int64_t> result;
  for (const FreeSize& size : free_) result.push_back(size.usual);
  return result;
}

std::map<std::string, std::vector<std::int64_t>> TrialSizes::shapes(
    const std::vector<std::int64_t>& values) const {
  std::map<std::string, std::vector<std::int64_t>> result;
  for (const auto& [name, terms] : inputs_) {
    std::vector<std::int64_t>& shape = result[name];
    for (const Term& term : terms) {
      const std::int64_t value = term.free ? values[*term.free] : 1;
      shape.push_back((term.factor * value + term.divisor - 1) / term.divisor);
    }
  }
  return result;
}

}  // namespace sinter::check
