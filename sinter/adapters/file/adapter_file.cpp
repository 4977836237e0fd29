#include "sinter/adapters/file/adapter_file.h"

#include <algorithm>
#include <map>

namespace sinter::adapters {
namespace {

struct FormRow {
  AdapterForm form;
  std::string_view name;
  TensorRole mark;  // whose presence tells the form
};

constexpr std::array kForms{
    FormRow{AdapterForm::kLowRank, "LoRA", TensorRole::kUp},
    FormRow{AdapterForm::kLowRank, "LoRA", TensorRole::kDown},
    FormRow{AdapterForm::kLookedUp, "LoRA", TensorRole::kRowsUp},
    FormRow{AdapterForm::kLookedUp, "LoRA", TensorRole::kRowsDown},
    FormRow{AdapterForm::kHadamard, "LoHa", TensorRole::kHadamard1A},
    FormRow{AdapterForm::kKronecker, "LoKr", TensorRole::kKronecker1},
    FormRow{AdapterForm::kKronecker, "LoKr", TensorRole::kKronecker1A},
    FormRow{AdapterForm::kOrthogonal, "OFT", TensorRole::kBlocks},
    FormRow{AdapterForm::kScaling, "(IA)^3", TensorRole::kOnInput},
    FormRow{AdapterForm::kNorm, "norms", TensorRole::kNormDifference},
    FormRow{AdapterForm::kNorm, "norms", TensorRole::kNormBiasDifference},
    FormRow{AdapterForm::kDifference, "full difference", TensorRole::kDifference},
    FormRow{AdapterForm::kDifference, "full difference", TensorRole::kBiasDifference},
};

bool is_module(const AdapterModule& module) {
  // A lone ".weight" may be anything; beside ".on_input" it is a scaling.
  return std::ranges::any_of(kForms, [&](const FormRow& row) { return module.has(row.mark); }) ||
         module.has(TensorRole::kForeign);
}

}  // namespace

AdapterModules read_modules(const weights::Checkpoint& adapter) {
  AdapterModules result{.modules = {}, .stray = {}, .config = read_lora_config(adapter.metadata())};
  std::map<std::string_view, AdapterModule> modules;
  std::map<std::string_view, std::vector<const weights::TensorEntry*>> tensors;
  for (const weights::TensorEntry& tensor : adapter.tensors()) {
    const std::optional<RoleOfName> role = role_of_name(tensor.name);
    if (!role) {
      result.stray.push_back(&tensor);
      continue;
    }
    const weights::TensorEntry*& place =
        modules[role->module].tensors[static_cast<std::size_t>(role->role)];
    if (place == nullptr) place = &tensor;
    tensors[role->module].push_back(&tensor);
  }
  for (auto& [name, module] : modules) {
    if (is_module(module)) {
      module.name = name;
      result.modules.push_back(std::move(module));
    } else {
      std::ranges::copy(tensors[name], std::back_inserter(result.stray));
    }
  }
  std::ranges::sort(result.stray, {}, &weights::TensorEntry::name);
  return result;
}

std::string_view form_name(AdapterForm form) {
  if (form == AdapterForm::kButterfly) return "BOFT";
  const auto row = std::ranges::find(kForms, form, &FormRow::form);
  return row == kForms.end() ? "a form that sinter does not have" : row->name;
}

AdapterForm form_of(const AdapterModule& module) {
  const auto row =
      std::ranges::find_if(kForms, [&](const FormRow& form) { return module.has(form.mark); });
  if (row == kForms.end()) return AdapterForm::kForeign;
  const bool stages =
      row->form == AdapterForm::kOrthogonal && module.find(TensorRole::kBlocks)->shape.size() == 4;
  return stages ? AdapterForm::kButterfly : row->form;
}

std::optional<std::int64_t> rank_of(const AdapterModule& module) {
  // Where the rank is the first extent. LoKr has it only where a factor is factored.
  for (const TensorRole role : {TensorRole::kDown, TensorRole::kRowsDown, TensorRole::kHadamard1B,
                                TensorRole::kKronecker2B, TensorRole::kKronecker1B}) {
    const weights::TensorEntry* tensor = module.find(role);
    if (tensor != nullptr && !tensor->shape.empty() && tensor->shape[0] > 0)
      return tensor->shape[0];
  }
  return std::nullopt;
}

}  // namespace sinter::adapters
