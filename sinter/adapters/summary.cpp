#include "sinter/adapters/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "sinter/adapters/file/adapter_file.h"
#include "sinter/adapters/file/values.h"
#include "sinter/base/error.h"

namespace sinter::adapters {
namespace {

struct ComponentMark {
  std::string_view beginning;
  std::string_view component;
};
// The first that fits decides.
constexpr std::array kComponentMarks{
    ComponentMark{"lora_unet_", "unet"},
    ComponentMark{"unet.", "unet"},
    ComponentMark{"diffusion_model.", "unet"},
    ComponentMark{"model.diffusion_model.", "unet"},
    ComponentMark{"down_blocks.", "unet"},
    ComponentMark{"mid_block.", "unet"},
    ComponentMark{"up_blocks.", "unet"},
    ComponentMark{"lora_te2_", "text_encoder_2"},
    ComponentMark{"text_encoder_2.", "text_encoder_2"},
    ComponentMark{"text_encoders.clip_g.", "text_encoder_2"},
    ComponentMark{"lora_te3_", "text_encoder_3"},
    ComponentMark{"text_encoder_3.", "text_encoder_3"},
    ComponentMark{"lora_te", "text_encoder"},
    ComponentMark{"text_encoder.", "text_encoder"},
    ComponentMark{"text_encoders.", "text_encoder"},
    ComponentMark{"text_model.", "text_encoder"},
    ComponentMark{"lora_transformer_", "transformer"},
    ComponentMark{"transformer.", "transformer"},
};

std::string component_of(std::string_view module) {
  for (const ComponentMark& mark : kComponentMarks)
    if (module.starts_with(mark.beginning)) return std::string(mark.component);
  return "other";
}

struct MetadataWord {
  std::string_view key;
  std::string_view title;
};
constexpr std::array kWords{
    MetadataWord{"modelspec.trigger_phrase", "trigger phrase"},
    MetadataWord{"ss_output_name", "name"},
    MetadataWord{"modelspec.title", "title"},
    MetadataWord{"ss_base_model_version", "made for"},
    MetadataWord{"ss_sd_model_name", "trained on"},
};

/// The tags that most pictures of the training had: kohya's {"folder": {"tag": count}}.
std::string frequent_tags(const std::string& text) {
  constexpr std::size_t kMost = 8;
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return {};
  std::map<std::string, std::int64_t> counts;
  for (const auto& folder : json) {
    if (!folder.is_object()) continue;
    for (const auto& [tag, count] : folder.items())
      if (count.is_number_integer()) {
        const auto number = count.get<std::int64_t>();
        if (number > 0 && number < (std::int64_t{1} << 40)) counts[tag] += number;
      }
  }
  std::vector<std::pair<std::string, std::int64_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::greater{}, &std::pair<std::string, std::int64_t>::second);
  std::string result;
  for (std::size_t i = 0; i < std::min(kMost, sorted.size()); ++i)
    result += fmt::format("{}{} ({})", i == 0 ? "" : ", ", sorted[i].first, sorted[i].second);
  return result;
}

void add_words(const std::map<std::string, std::string>& metadata, AdapterSummary& summary) {
  for (const MetadataWord& word : kWords) {
    const auto found = metadata.find(std::string(word.key));
    if (found == metadata.end() || found->second.empty() || found->second == "None") continue;
    summary.words.emplace_back(word.title, found->second);
  }
  const auto tags = metadata.find("ss_tag_frequency");
  if (tags == metadata.end()) return;
  if (std::string frequent = frequent_tags(tags->second); !frequent.empty())
    summary.words.emplace_back("frequent tags", std::move(frequent));
}

}  // namespace

AdapterSummary summarise(const weights::Checkpoint& adapter) {
  const AdapterModules modules = read_modules(adapter);
  AdapterSummary summary;
  summary.modules = modules.modules.size();
  summary.stray = modules.stray.size();
  for (const AdapterModule& module : modules.modules) {
    ++summary.forms[std::string(form_name(form_of(module)))];
    ++summary.components[component_of(module.name)];
    if (module.has(TensorRole::kDoraScale) || module.has(TensorRole::kDoraMagnitude))
      ++summary.dora;
    const auto rank = rank_of(module);
    if (!rank) continue;
    summary.ranks.insert(*rank);
    const weights::TensorEntry* alpha = module.find(TensorRole::kAlpha);
    if (alpha != nullptr && element_count(alpha->shape) == 1)
      summary.alphas.insert(read_value(adapter, *alpha));
    else if (const auto configured = modules.config.alpha_of(module.name))
      summary.alphas.insert(static_cast<float>(configured->alpha));
    else
      ++summary.without_alpha;
  }
  add_words(adapter.metadata(), summary);
  return summary;
}

bool is_adapter(const weights::Checkpoint& file) {
  return std::ranges::any_of(file.tensors(), [](const weights::TensorEntry& tensor) {
    const auto role = role_of_name(tensor.name);
    return role && role->role != TensorRole::kScaling && role->role != TensorRole::kAlpha &&
           role->role != TensorRole::kScalar;
  });
}

}  // namespace sinter::adapters
