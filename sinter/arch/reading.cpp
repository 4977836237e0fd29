#include "sinter/arch/reading.h"

#include <fmt/format.h>

#include <algorithm>
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

/// What relatives of ControlNets share with a UNet are its names up to the middle, not its end.
bool has_unet(const std::vector<FoundComponent>& components) {
  return std::ranges::any_of(components, [](const FoundComponent& component) {
    return component.kind == ComponentKind::kUNet &&
           component.weights.find("conv_out.weight") != nullptr;
  });
}

}  // namespace

Reading read_names(const std::vector<weights::TensorEntry>& tensors, const Metadata& metadata) {
  Reading reading{};
  reading.names = index_names(tensors);
  reading.useful = set_aside(reading.names, reading.set_aside);
  reading.components = find_components(reading.useful);
  reading.signature = find_signature(reading.names);
  reading.quantisation = find_quantisation(reading.names);
  // A key of an adapter that was left in a checkpoint does not make it one.
  const bool is_stray = reading.signature != nullptr &&
                        file_kind(reading.signature->kind).standing == Standing::kBeside &&
                        has_unet(reading.components);
  if (is_stray) reading.signature = nullptr;
  if (reading.signature != nullptr) {
    reading.components.clear();
    return reading;
  }
  if (!reading.components.empty()) reading.choice = choose_family(reading.components, metadata);
  return reading;
}

}  // namespace sinter::arch
