#include "sinter/repack/layout_change.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "sinter/arch/file_keys.h"
#include "sinter/base/error.h"
#include "sinter/base/message.h"

namespace sinter::repack {
namespace {

using arch::LayoutPlace;
using arch::VaeConfig;
using arch::WeightSource;

/// Where the layout keeps each canonical weight.
class Places {
 public:
  Places(Layout layout, const PlacedComponent& placed, const arch::Family& family)
      : layout_(layout),
        config_(placed.component->config),
        text_names_(arch::original_text_names(family, placed.found->name)) {}

  LayoutPlace of(const std::string& canonical) const {
    if (layout_ == Layout::kDiffusers) return {.name = canonical};
    if (std::holds_alternative<arch::TextEncoderConfig>(config_))
      return arch::original_place(text_names_, canonical);
    if (const auto* unet = std::get_if<arch::UNetConfig>(&config_))
      return arch::original_place(*unet, canonical);
    if (const auto* control = std::get_if<arch::ControlNetConfig>(&config_))
      return arch::original_place(*control, canonical);
    return arch::original_place(std::get<VaeConfig>(config_), canonical);
  }

  /// The shape there of a weight whose own is `shape`.
  Shape shape_of(const std::string& canonical, Shape shape) const {
    const auto* vae = std::get_if<VaeConfig>(&config_);
    if (vae == nullptr || !arch::is_convolution_in_original(*vae, canonical)) return shape;
    if (layout_ == Layout::kOriginal && shape.size() == 2) shape.resize(4, 1);
    const bool convolution = shape.size() == 4 && shape[2] == 1 && shape[3] == 1;
    if (layout_ == Layout::kDiffusers && convolution) shape.resize(2);
    return shape;
  }

 private:
  Layout layout_;
  const decltype(arch::Component::config)& config_;
  arch::TextNames text_names_;
};

/// A tensor of the layout while its parts are found.
struct Stack {
  std::vector<std::optional<TensorPart>> parts;
  Shape shape;
};

[[noreturn]] void refuse_part(const std::string& name, std::string_view why) {
  throw Error(ErrorCode::kBadFile, fmt::format("'{}' cannot be put together: {}", shown(name), why),
              "the file may be damaged, or pruned too far");
}

void add(std::map<std::string, Stack>& stacks, const LayoutPlace& place, const WeightSource& source,
         Shape shape) {
  Stack& stack = stacks[place.name];
  stack.parts.resize(place.parts);
  if (place.transposed && shape.size() == 2) std::swap(shape[0], shape[1]);
  if (!stack.shape.empty() && stack.shape != shape)
    refuse_part(place.name, fmt::format("one part of it is {}, another {}", to_string(stack.shape),
                                        to_string(shape)));
  stack.shape = std::move(shape);
  stack.parts[place.part] = TensorPart{.tensor = source.tensor,
                                       .first_row = source.first_row,
                                       .rows = source.rows,
                                       .transposed = source.transposed != place.transposed};
}

std::vector<TensorPart> all_parts(const std::string& name, const Stack& stack) {
  std::vector<TensorPart> parts;
  for (const std::optional<TensorPart>& part : stack.parts) {
    if (!part) refuse_part(name, fmt::format("a part of {} is missing", stack.parts.size()));
    parts.push_back(*part);
  }
  return parts;
}

}  // namespace

std::vector<weights::ComputedTensor> in_layout(Layout layout, const PlacedComponent& placed,
                                               const arch::Family& family,
                                               const std::string& prefix,
                                               std::optional<DType> dtype,
                                               const weights::Checkpoint& checkpoint,
                                               const std::shared_ptr<Overflow>& overflow) {
  const Places places(layout, placed, family);
  std::map<std::string, Stack> stacks;
  for (const auto& [canonical, source] : placed.found->weights.all())
    add(stacks, places.of(canonical), source,
        places.shape_of(canonical, arch::logical_shape(source)));
  std::vector<weights::ComputedTensor> tensors;
  for (const auto& [name, stack] : stacks) {
    std::vector<TensorPart> parts = all_parts(name, stack);
    Shape shape = stack.shape;
    if (!shape.empty()) shape[0] *= static_cast<std::int64_t>(parts.size());
    const DType stored = common_dtype(parts);
    const DType wanted = dtype && is_floating(stored) ? *dtype : stored;
    tensors.push_back(
        rewritten(prefix + name, wanted, std::move(shape), std::move(parts), checkpoint, overflow));
  }
  return tensors;
}

}  // namespace sinter::repack
