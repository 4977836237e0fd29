#include "sinter/repack/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <set>
#include <utility>

#include "sinter/arch/file_keys.h"
#include "sinter/arch/known_keys.h"
#include "sinter/base/error.h"
#include "sinter/base/message.h"
#include "sinter/repack/layout_change.h"
#include "sinter/repack/pipeline_folder.h"

namespace sinter::repack {
namespace {

constexpr std::string_view kEnding = ".safetensors";
/// Metadata that say what the bytes were.
constexpr std::array<std::string_view, 3> kHashes{"modelspec.hash_sha256", "sshs_model_hash",
                                                  "sshs_legacy_hash"};
constexpr std::string_view kOtherComponent = "tensors of components that were not asked for";
constexpr std::string_view kNoNetwork = "tensors that no network needs (noise schedules, ids)";
constexpr std::string_view kStrangers =
    "tensors that sinter does not know, which have no place in the other layout";
constexpr std::string_view kUnusedText =
    "text layers and projections that the pipeline does not use";

/// Tensors that are left out, by why.
class LeftOutList {
 public:
  void add(std::string_view what, const weights::TensorEntry& tensor) {
    const auto same = std::ranges::find(list_, what, &LeftOut::what);
    LeftOut& row = same == list_.end() ? list_.emplace_back() : *same;
    if (row.tensors++ == 0) {
      row.what = what;
      row.first = tensor.name;
    }
    row.bytes += tensor.bytes;
  }
  std::vector<LeftOut> take() { return std::move(list_); }

 private:
  std::vector<LeftOut> list_;
};

class Planner {
 public:
  Planner(const weights::Checkpoint& checkpoint, const arch::Reading& reading,
          const std::filesystem::path& out, const RepackOptions& options)
      : checkpoint_(checkpoint),
        reading_(reading),
        options_(options),
        pipeline_(checkpoint.configs().contains("model_index.json")),
        file_(out.extension() == kEnding),
        known_(reading.signature == nullptr && reading.quantisation == nullptr &&
               !reading.components.empty() && reading.choice.family != nullptr) {
    plan_.folder = !file_;
  }

  Plan make() {
    choose_components();
    require_possible();
    const Layout layout = options_.layout.value_or(file_ ? Layout::kOriginal : Layout::kDiffusers);
    require_place(layout);
    if (keeps_names(layout)) {
      keep_names();
    } else if (layout == Layout::kOriginal) {
      write_original();
    } else {
      write_diffusers();
    }
    plan_.left_out = left_out_.take();
    return std::move(plan_);
  }

 private:
  // ---- what there is, and what may be asked of it

  void choose_components() {
    std::vector<std::string> there;
    for (const arch::FoundComponent& found : reading_.components) there.push_back(found.name);
    for (const std::string& name : options_.components)
      if (std::ranges::find(there, name) == there.end())
        throw Error(ErrorCode::kUsage,
                    there.empty() ? fmt::format("the file has no component '{}'", name)
                                  : fmt::format("the file has no component '{}'; it has {}", name,
                                                fmt::join(there, ", ")));
    for (const arch::FoundComponent& found : reading_.components) {
      const bool asked =
          options_.components.empty() ||
          std::ranges::find(options_.components, found.name) != options_.components.end();
      if (asked) chosen_.push_back(&found);
    }
  }

  /// What sinter has no names for can only be copied.
  void require_possible() const {
    if (reading_.quantisation != nullptr && options_.dtype)
      throw Error(ErrorCode::kUnsupported,
                  fmt::format("the file has {}: their numbers cannot be given another type",
                              reading_.quantisation->title),
                  "--dtype keep, or the float16 or float32 file of the model");
    if (known_ || (!options_.layout && !pipeline_ && file_)) return;
    throw Error(ErrorCode::kUnsupported,
                fmt::format("the layout cannot change: it is {}",
                            arch::identify_reading(reading_, checkpoint_.metadata()).sentence),
                pipeline_
                    ? "name the file of one component"
                    : "without --layout, repack copies its tensors to an OUT.safetensors under the "
                      "names that they have");
  }

  void require_place(Layout layout) const {
    if (layout == Layout::kOriginal && !file_)
      throw Error(ErrorCode::kUsage, "the original layout is one file",
                  "end its name in .safetensors, or leave --layout out for a diffusers folder");
    if (layout == Layout::kDiffusers && file_ && chosen_.size() > 1)
      throw Error(ErrorCode::kUsage,
                  "the diffusers layout of several components is a folder, not a .safetensors file",
                  "name a folder, or one component with --components");
  }

  const arch::Family& family() const { return *reading_.choice.family; }

  bool has_layout(const arch::FoundComponent& found, Layout layout) const {
    if (found.kind != arch::ComponentKind::kTextEncoder || !found.prefix.empty())
      return found.layout == layout_name(layout);
    const arch::TextNames names = layout == Layout::kDiffusers
                                      ? arch::TextNames::kTransformers
                                      : arch::original_text_names(family(), found.name);
    return found.text_names == names;
  }

  /// One file to one file of the same layout.
  bool keeps_names(Layout layout) const {
    if (!known_) return true;
    return !pipeline_ && file_ && std::ranges::all_of(chosen_, [&](const auto* found) {
      return has_layout(*found, layout);
    });
  }

  // ---- the same layout

  void keep_names() {
    plan_.layout = known_ ? chosen_.front()->layout : "as it was";
    const bool some = !options_.components.empty();
    const std::string_view cut = some && chosen_.size() == 1 ? chosen_.front()->prefix : "";
    FilePlan file;
    for (const weights::TensorEntry& tensor : checkpoint_.tensors()) {
      const arch::KnownKey* key = arch::find_known_key(tensor.name);
      if (key != nullptr && key->training && options_.prune)
        left_out_.add(key->what, tensor);
      else if (some && !is_chosen(tensor.name))
        left_out_.add(kOtherComponent, tensor);
      else
        file.tensors.push_back(copied(tensor, tensor.name.substr(cut.size()), key));
    }
    file.metadata = metadata(file.tensors.size() != checkpoint_.tensors().size() || changes_type());
    plan_.files.push_back(std::move(file));
  }

  bool is_chosen(std::string_view name) const {
    return std::ranges::any_of(chosen_,
                               [&](const auto* found) { return name.starts_with(found->prefix); });
  }

  weights::ComputedTensor copied(const weights::TensorEntry& tensor, std::string name,
                                 const arch::KnownKey* key) {
    // Noise schedules and marks lose what they say in a narrow type.
    const bool is_weight = is_floating(tensor.dtype) && (key == nullptr || !key->what.empty());
    const DType dtype = is_weight ? options_.dtype.value_or(tensor.dtype) : tensor.dtype;
    return rewritten(std::move(name), dtype, tensor.shape, {{.tensor = &tensor}}, checkpoint_,
                     plan_.overflow);
  }

  bool changes_type() const {
    return options_.dtype && std::ranges::any_of(checkpoint_.tensors(), [&](const auto& tensor) {
             return is_floating(tensor.dtype) && tensor.dtype != *options_.dtype;
           });
  }

  std::map<std::string, std::string> metadata(bool changed) const {
    std::map<std::string, std::string> result = checkpoint_.metadata();
    if (changed)
      for (const std::string_view key : kHashes) result.erase(std::string(key));
    result.emplace("format", "pt");  // transformers and diffusers read no file without it
    return result;
  }

  // ---- another layout

  void detect() {
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

  void write_original() {
    detect();
    plan_.layout = arch::kOriginal;
    FilePlan file;
    for (const PlacedComponent& placed : placed_) {
      const std::string prefix =
          placed_.size() == 1 ? "" : arch::original_prefix(family(), placed.found->name);
      append(file, in_layout(Layout::kOriginal, placed, family(), prefix, options_.dtype,
                             checkpoint_, plan_.overflow));
    }
    file.metadata = metadata(true);
    add_marks(file);
    plan_.files.push_back(std::move(file));
    report_rest();
  }

  void write_diffusers() {
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

  static void append(FilePlan& file, std::vector<weights::ComputedTensor> tensors) {
    std::ranges::move(tensors, std::back_inserter(file.tensors));
  }

  /// With --prune: diffusers builds one text layer less than Stable Diffusion 2's files have, and
  /// no projection.
  void leave_out_unused_text() {
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

  void add_texts() {
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
  void add_marks(FilePlan& file) {
    if (model_.foreign_prediction) {
      plan_.warnings.push_back(fmt::format(
          "one file cannot say what the folder's scheduler says: {}", model_.prediction_evidence));
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

  static weights::ComputedTensor mark(std::string name) {
    return {.name = std::move(name),
            .dtype = DType::kF32,
            .shape = {0},
            .write = [](const weights::ByteSink&) {}};
  }

  /// Says of every tensor that is not written why.
  void report_rest() {
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

  static constexpr const char* kSchedulerFile = "scheduler/scheduler_config.json";

  const weights::Checkpoint& checkpoint_;
  const arch::Reading& reading_;
  const RepackOptions& options_;
  bool pipeline_;  // the input is a folder of components
  bool file_;      // the output is a file
  bool known_;     // the input is made of our components
  std::vector<const arch::FoundComponent*> chosen_;
  arch::Model model_;
  std::vector<PlacedComponent> placed_;
  std::deque<arch::FoundComponent> pruned_;  // addresses stay
  std::set<const weights::TensorEntry*> unused_;
  LeftOutList left_out_;
  Plan plan_;
};

}  // namespace

Plan make_plan(const weights::Checkpoint& checkpoint, const arch::Reading& reading,
               const std::filesystem::path& out, const RepackOptions& options) {
  return Planner(checkpoint, reading, out, options).make();
}

}  // namespace sinter::repack
