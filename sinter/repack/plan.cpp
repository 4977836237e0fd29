#include "sinter/repack/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "sinter/arch/file_keys.h"
#include "sinter/base/error.h"
#include "sinter/repack/planner.h"

namespace sinter::repack {
namespace {

constexpr std::string_view kEnding = ".safetensors";
/// Metadata that say what the bytes were.
constexpr std::array<std::string_view, 3> kHashes{"modelspec.hash_sha256", "sshs_model_hash",
                                                  "sshs_legacy_hash"};

}  // namespace

Planner::Planner(const weights::Checkpoint& checkpoint, const arch::Reading& reading,
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

Plan Planner::make() {
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

void Planner::choose_components() {
  std::vector<std::string> there;
  for (const arch::FoundComponent& found : reading_.components) there.push_back(found.name);
  for (const std::string& name : options_.components)
    if (std::ranges::find(there, name) == there.end())
      throw Error(ErrorCode::kUsage, there.empty()
                                         ? fmt::format("the file has no component '{}'", name)
                                         : fmt::format("the file has no component '{}'; it has {}",
                                                       name, fmt::join(there, ", ")));
  for (const arch::FoundComponent& found : reading_.components) {
    const bool asked =
        options_.components.empty() ||
        std::ranges::find(options_.components, found.name) != options_.components.end();
    if (asked) chosen_.push_back(&found);
  }
}

/// What sinter has no names for can only be copied.
void Planner::require_possible() const {
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

void Planner::require_place(Layout layout) const {
  if (layout == Layout::kOriginal && !file_)
    throw Error(ErrorCode::kUsage, "the original layout is one file",
                "end its name in .safetensors, or leave --layout out for a diffusers folder");
  if (layout == Layout::kDiffusers && file_ && chosen_.size() > 1)
    throw Error(ErrorCode::kUsage,
                "the diffusers layout of several components is a folder, not a .safetensors file",
                "name a folder, or one component with --components");
}

bool Planner::has_layout(const arch::FoundComponent& found, Layout layout) const {
  if (found.kind != arch::ComponentKind::kTextEncoder || !found.prefix.empty())
    return found.layout == layout_name(layout);
  const arch::TextNames names = layout == Layout::kDiffusers
                                    ? arch::TextNames::kTransformers
                                    : arch::original_text_names(family(), found.name);
  return found.text_names == names;
}

/// One file to one file of the same layout.
bool Planner::keeps_names(Layout layout) const {
  if (!known_) return true;
  return !pipeline_ && file_ && std::ranges::all_of(chosen_, [&](const auto* found) {
    return has_layout(*found, layout);
  });
}

void Planner::keep_names() {
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

bool Planner::is_chosen(std::string_view name) const {
  return std::ranges::any_of(chosen_,
                             [&](const auto* found) { return name.starts_with(found->prefix); });
}

weights::ComputedTensor Planner::copied(const weights::TensorEntry& tensor, std::string name,
                                        const arch::KnownKey* key) {
  // Noise schedules and marks lose what they say in a narrow type.
  const bool is_weight = is_floating(tensor.dtype) && (key == nullptr || !key->what.empty());
  const DType dtype = is_weight ? options_.dtype.value_or(tensor.dtype) : tensor.dtype;
  return rewritten(std::move(name), dtype, tensor.shape, {{.tensor = &tensor}}, checkpoint_,
                   plan_.overflow);
}

bool Planner::changes_type() const {
  return options_.dtype && std::ranges::any_of(checkpoint_.tensors(), [&](const auto& tensor) {
           return is_floating(tensor.dtype) && tensor.dtype != *options_.dtype;
         });
}

std::map<std::string, std::string> Planner::metadata(bool changed) const {
  std::map<std::string, std::string> result = checkpoint_.metadata();
  if (changed)
    for (const std::string_view key : kHashes) result.erase(std::string(key));
  result.emplace("format", "pt");  // transformers and diffusers read no file without it
  return result;
}

Plan make_plan(const weights::Checkpoint& checkpoint, const arch::Reading& reading,
               const std::filesystem::path& out, const RepackOptions& options) {
  return Planner(checkpoint, reading, out, options).make();
}

}  // namespace sinter::repack
