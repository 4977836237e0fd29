#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "sinter/arch/file_keys.h"
#include "sinter/base/error.h"
#include "sinter/base/message.h"
#include "sinter/repack/pipeline_folder.h"
#include "sinter/repack/planner.h"

namespace sinter::repack {
namespace {

constexpr const char* kSchedulerFile = "scheduler/scheduler_config.json";

void append(FilePlan& file, std::vector<weights::ComputedTensor> tensors) {
  std::ranges::move(tensors, std::back_inserter(file.tensors));
}

weights::ComputedTensor mark(std::string name) {
  return {.name = std::move(name),
          .dtype = DType::kF32,
          .shape = {0},
          .write = [](const weights::ByteSink&) {}};
}

}  // namespace

void Planner::detect() {
  model_ = arch::detect(checkpoint_, options_.detect);
  for (const arch::FoundComponent* found : chosen_) {
    const arch::Component* component = model_.find(found->name);
    if (!component->missing.empty())
      throw Error(ErrorCode::kBadFile,
                  fmt::format("the {} lacks {}, the first is '{}'", found->name,
                              counted(component->missing.size(), "tensor"),
                              shown(component->missing.front().key)),
                  "the other layout needs all of them; sinter inspect lists what is missing");
    placed_.push_back({found, component});
  }
}

void Planner::write_original() {
  detect();
  plan_.layout = arch::kOriginal;
  FilePlan file;
  for (const PlacedComponent& placed : placed_) {
    const std::string prefix =
        placed_.size() == 1 ? "" : arch::original_prefix(family(), placed.found->name);
    append(file, in_layout(Layout::kOriginal, placed, family(), prefix, options_.dtype, checkpoint_,
                           plan_.overflow));
  }
  file.metadata = metadata(true);
  add_marks(file);
  plan_.files.push_back(std::move(file));
  report_rest();
}

void Planner::write_diffusers() {
  detect();
  plan_.layout = arch::kDiffusers;
  leave_out_unused_text();
  for (const PlacedComponent& placed : placed_) {
    FilePlan file;
    const std::string name = weights_name(*placed.component);
    if (!file_) file.path = placed_.size() == 1 ? name : placed.component->name + "/" + name;
    append(file, in_layout(Layout::kDiffusers, placed, family(), "", options_.dtype, checkpoint_,
                           plan_.overflow));
    file.metadata = {{"format", "pt"}};
    plan_.files.push_back(std::move(file));
  }
  // What the checkpoint says of itself stands once.
  const auto unet = std::ranges::find_if(placed_, [](const PlacedComponent& placed) {
    return placed.found->kind == arch::ComponentKind::kUNet;
  });
  plan_.files[unet == placed_.end() ? 0 : static_cast<std::size_t>(unet - placed_.begin())]
      .metadata = metadata(true);
  if (!file_) add_texts();
  report_rest();
}

/// With --prune: diffusers builds one text layer less than Stable Diffusion 2's files have, and
/// no projection.
void Planner::leave_out_unused_text() {
  if (!options_.prune) return;
  for (PlacedComponent& placed : placed_) {
    const auto* text = std::get_if<arch::TextEncoderConfig>(&placed.component->config);
    if (text == nullptr || text->state != arch::TextState::kPenultimateNormed) continue;
    const std::string last = fmt::format("text_model.encoder.layers.{}.", text->layers - 1);
    arch::FoundComponent& kept = pruned_.emplace_back(*placed.found);
    kept.weights = {};
    for (const auto& [name, source] : placed.found->weights.all()) {
      if (name.starts_with(last) || name == "text_projection.weight")
        unused_.insert(source.tensor);
      else
        kept.weights.add(name, source);
    }
    placed.found = &kept;
  }
}

void Planner::add_texts() {
  if (model_.foreign_prediction && !checkpoint_.configs().contains(kSchedulerFile))
    throw Error(ErrorCode::kUnsupported,
                fmt::format("the UNet predicts something that sinter has no scheduler for: {}",
                            model_.prediction_evidence),
                "--prediction epsilon or v writes one of that");
  if (placed_.size() == 1) {
    plan_.texts.push_back(
        {"config.json", component_file(model_, placed_.front(), checkpoint_, options_.dtype)});
    return;
  }
  plan_.texts = pipeline_files(model_, placed_, checkpoint_, options_.dtype);
  if (options_.extra_files)
    std::ranges::move(options_.extra_files(model_), std::back_inserter(plan_.texts));
  if (model_.find("unet") != nullptr && !model_.prediction)
    plan_.warnings.push_back(
        fmt::format("the scheduler says epsilon: {}; --prediction v says otherwise",
                    model_.prediction_evidence));
  for (const std::string& name : model_.missing_components)
    plan_.warnings.push_back(
        fmt::format("the checkpoint has no {}, so the pipeline has none", name));
}

/// A single file says by marks what a folder's scheduler says.
void Planner::add_marks(FilePlan& file) {
  if (model_.foreign_prediction) {
    plan_.warnings.push_back(fmt::format("one file cannot say what the folder's scheduler says: {}",
                                         model_.prediction_evidence));
    return;
  }
  if (model_.prediction != arch::Prediction::kV || model_.find("unet") == nullptr) return;
  if (family().vector == arch::VectorKind::kNone) {
    file.metadata.emplace("modelspec.prediction_type", "v");
    return;
  }
  file.tensors.push_back(mark("v_pred"));
  const auto scheduler = checkpoint_.configs().find(kSchedulerFile);
  const bool zero_snr =
      model_.zero_terminal_snr ||
      (scheduler != checkpoint_.configs().end() &&
       scheduler->second.find("\"rescale_betas_zero_snr\": true") != std::string::npos);
  if (zero_snr) file.tensors.push_back(mark("ztsnr"));
}

/// Says of every tensor that is not written why.
void Planner::report_rest() {
  std::set<const weights::TensorEntry*> written;
  for (const PlacedComponent& placed : placed_)
    for (const auto& [name, source] : placed.found->weights.all()) written.insert(source.tensor);
  std::set<const weights::TensorEntry*> of_others;
  for (const arch::FoundComponent& found : reading_.components)
    for (const auto& [name, source] : found.weights.all()) of_others.insert(source.tensor);
  for (const weights::TensorEntry& tensor : checkpoint_.tensors()) {
    if (written.contains(&tensor)) continue;
    const arch::KnownKey* key = arch::find_known_key(tensor.name);
    if (unused_.contains(&tensor))
      left_out_.add(kUnusedText, tensor);
    else if (key != nullptr)
      left_out_.add(key->what.empty() ? kNoNetwork : key->what, tensor);
    else
      left_out_.add(of_others.contains(&tensor) ? kOtherComponent : kStrangers, tensor);
  }
}

}  // namespace sinter::repack
