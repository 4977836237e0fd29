#include "sinter/adapters/names/module_names.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "sinter/adapters/names/spellings.h"

namespace sinter::adapters {
namespace {

constexpr std::string_view kWeight = ".weight";
constexpr std::string_view kBias = ".bias";

std::string_view without(std::string_view name, std::string_view ending) {
  return name.substr(0, name.size() - ending.size());
}

/// The modules of a component by canonical name.
std::map<std::string, ModuleSite> sites_of(const arch::Component& component) {
  std::map<std::string, ModuleSite> sites;
  for (const auto& [name, source] : component.weights.all()) {
    const bool weight = name.ends_with(kWeight);
    if (!weight && !name.ends_with(kBias)) continue;
    const std::string module(without(name, weight ? kWeight : kBias));
    ModuleSite& site = sites[module];
    site.component = component.name;
    site.name = module;
    (weight ? site.weight : site.bias) = &source;
  }
  return sites;
}

std::vector<std::string> spellings(const arch::Component& component, bool only_text,
                                   const std::string& module) {
  if (const auto* unet = std::get_if<arch::UNetConfig>(&component.config))
    return unet_spellings(*unet, module);
  if (std::holds_alternative<arch::TextEncoderConfig>(component.config))
    return text_spellings({component.name, only_text}, module);
  return {"vae." + module};
}

/// The file's own name of a weight, where it is a whole tensor.
std::string own_name(const ModuleSite& site) {
  if (site.weight == nullptr || site.weight->rows != -1) return {};
  const std::string_view name = site.weight->tensor->name;
  return std::string(name.ends_with(kWeight) ? without(name, kWeight) : name);
}

}  // namespace

ModuleNames::ModuleNames(const arch::Model& model) {
  const auto is_text = [](const arch::Component& component) {
    return std::holds_alternative<arch::TextEncoderConfig>(component.config);
  };
  // A family's second text encoder is the second one where it stands alone, too.
  const bool only_text = std::ranges::count_if(model.components, is_text) < 2 &&
                         model.find("text_encoder_2") == nullptr;
  for (const arch::Component& component : model.components) add_component(component, only_text);
}

void ModuleNames::add(std::string name, std::vector<std::size_t> sites) {
  if (!name.empty()) names_.try_emplace(std::move(name), std::move(sites));
}

void ModuleNames::add_component(const arch::Component& component, bool only_text) {
  constexpr std::string_view kQuery = ".self_attn.q_proj";
  std::map<std::string, ModuleSite> sites = sites_of(component);
  std::map<std::string_view, std::size_t> numbers;
  for (auto& [name, site] : sites) {
    const std::size_t number = sites_.size();
    numbers.emplace(name, number);
    for (std::string& spelling : spellings(component, only_text, name))
      add(std::move(spelling), {number});
    add(own_name(site), {number});
    sites_.push_back(std::move(site));
  }
  if (!std::holds_alternative<arch::TextEncoderConfig>(component.config)) return;
  for (const auto& [name, number] : numbers) {
    if (!name.ends_with(kQuery)) continue;
    const std::string layer(without(name, kQuery));
    const auto key = numbers.find(layer + ".self_attn.k_proj");
    const auto value = numbers.find(layer + ".self_attn.v_proj");
    if (key == numbers.end() || value == numbers.end()) continue;
    for (std::string& spelling : fused_spellings({component.name, only_text}, layer))
      add(std::move(spelling), {number, key->second, value->second});
  }
}

std::vector<const ModuleSite*> ModuleNames::find(std::string_view name) const {
  std::vector<const ModuleSite*> result;
  const auto found = names_.find(std::string(name));
  if (found == names_.end()) return result;
  for (const std::size_t site : found->second) result.push_back(&sites_[site]);
  return result;
}

}  // namespace sinter::adapters
