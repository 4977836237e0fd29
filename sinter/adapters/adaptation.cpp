#include "sinter/adapters/adaptation.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <utility>

#include "sinter/adapters/names/module_names.h"
#include "sinter/arch/families.h"
#include "sinter/arch/identity.h"
#include "sinter/base/error.h"
#include "sinter/base/message.h"

namespace sinter::adapters {

/// A file and its modules, which refer to it.
struct Adaptation::Opened {
  explicit Opened(const std::filesystem::path& path)
      : file(weights::Checkpoint::open(path)), modules(read_modules(file)) {}

  weights::Checkpoint file;
  AdapterModules modules;
};

namespace {

void require_finite(const AdapterUse& use) {
  for (const float strength : {use.strength.unet, use.strength.text})
    if (!std::isfinite(strength))
      throw Error(ErrorCode::kUsage, fmt::format("the weight of {} is {}, expected a finite number",
                                                 shown(use.path.string()), strength));
}

std::string file_name(const std::filesystem::path& path) { return shown(path.filename().string()); }

/// @throws Error{kNoMatch} when nothing was applied.
void require_match(const UsedAdapter& used, const arch::Model& model) {
  const MatchReport& report = used.report;
  if (report.applied > 0) return;
  const auto verb = [](std::size_t count, std::string_view one, std::string_view several) {
    return count == 1 ? one : several;
  };
  std::string message =
      fmt::format("'{}' changes nothing of the checkpoint, which is {}", file_name(used.use.path),
                  arch::family_named(model.family).title);
  if (const std::size_t count = report.unknown.size(); count > 0)
    message += fmt::format(": {} {} not in it, the first is '{}'", counted(count, "module"),
                           verb(count, "is", "are"), shown(report.unknown.front()));
  if (const std::size_t count = report.wrong_shape.size(); count > 0)
    message += fmt::format("{} {} {} not fit, the first: {}", report.unknown.empty() ? ":" : ";",
                           counted(count, "module"), verb(count, "does", "do"),
                           report.wrong_shape.front().reason);
  throw Error(ErrorCode::kNoMatch, std::move(message),
              fmt::format("the file looks like {}", used.identity));
}

}  // namespace

Adaptation::Adaptation(const std::vector<AdapterUse>& uses) {
  for (const AdapterUse& use : uses) {
    require_finite(use);
    opened_.push_back(std::make_unique<Opened>(use.path));
    const Opened& opened = *opened_.back();
    std::string identity = arch::identify(opened.file).sentence;
    if (opened.modules.modules.empty())
      throw Error(ErrorCode::kUnsupported,
                  fmt::format("'{}' is {}, expected an adapter that changes a checkpoint's weights",
                              file_name(use.path), identity));
    used_.push_back({.use = use,
                     .file = opened.file.files().front(),
                     .identity = std::move(identity),
                     .report = {}});
  }
}

Adaptation::~Adaptation() = default;

std::vector<weights::ComputedTensor> Adaptation::merge(const weights::Checkpoint& checkpoint,
                                                       const arch::Model& model,
                                                       const MergeOptions& options) {
  const ModuleNames names(model);
  std::vector<PlacedChange> changes;
  for (std::size_t i = 0; i < opened_.size(); ++i) {
    Match match =
        match_modules(opened_[i]->file, opened_[i]->modules, names, used_[i].use.strength);
    used_[i].report = std::move(match.report);
    require_match(used_[i], model);
    std::ranges::move(match.changes, std::back_inserter(changes));
  }
  return merged_tensors(checkpoint, std::move(changes), options);
}

}  // namespace sinter::adapters
