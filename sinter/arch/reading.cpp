#include "sinter/arch/reading.h"

#include <fmt/format.h>

#include <map>

#include "sinter/arch/known_keys.h"

namespace sinter::arch {
namespace {

NameIndex index_names(const std::vector<weights::TensorEntry>& entries) {
  std::vector<NamedTensor> tensors;
  tensors.reserve(entries.size());
  for (const weights::TensorEntry& entry : entries) tensors.push_back({entry.name, &entry});
  return NameIndex(std::move(tensors));
}

/// Takes the tensors that no network needs out of the names.
NameIndex set_aside(const NameIndex& names, std::vector<std::string>& sentences) {
  std::vector<NamedTensor> useful;
  std::map<std::string_view, int> counts;
  for (const NamedTensor& entry : names.all()) {
    const KnownKey* known = find_known_key(entry.name);
    if (known == nullptr)
      useful.push_back(entry);
    else if (!known->what.empty())
      ++counts[known->what];
  }
  for (const auto& [what, count] : counts)
    sentences.push_back(fmt::format("{} {} are not used", count, what));
  return NameIndex(std::move(useful));
}

}  // namespace

Reading read_names(const std::vector<weights::TensorEntry>& tensors, const Metadata& metadata) {
  Reading reading{};
  reading.names = index_names(tensors);
  reading.signature = find_signature(reading.names);
  if (reading.signature != nullptr) return reading;
  reading.quantisation = find_quantisation(reading.names);
  reading.useful = set_aside(reading.names, reading.set_aside);
  reading.components = find_components(reading.useful);
  if (!reading.components.empty()) reading.choice = choose_family(reading.components, metadata);
  return reading;
}

}  // namespace sinter::arch
