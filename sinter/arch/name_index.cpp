#include "sinter/arch/name_index.h"

#include <algorithm>

namespace sinter::arch {

NameIndex::NameIndex(std::vector<NamedTensor> tensors) : tensors_(std::move(tensors)) {
  std::ranges::sort(tensors_, {}, &NamedTensor::name);
}

std::span<const NamedTensor> NameIndex::below(std::string_view prefix) const {
  const auto first = std::ranges::lower_bound(tensors_, prefix, {}, &NamedTensor::name);
  // Names sort by bytes, so those that share the prefix stand together.
  const auto last = std::partition_point(first, tensors_.end(), [&](const NamedTensor& entry) {
    return entry.name.starts_with(prefix);
  });
  return {first, last};
}

const weights::TensorEntry* NameIndex::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(tensors_, name, {}, &NamedTensor::name);
  return found != tensors_.end() && found->name == name ? found->tensor : nullptr;
}

NameIndex NameIndex::without(std::string_view prefix) const {
  NameIndex result;
  for (const NamedTensor& entry : below(prefix))
    result.tensors_.push_back({entry.name.substr(prefix.size()), entry.tensor});
  return result;
}

}  // namespace sinter::arch
