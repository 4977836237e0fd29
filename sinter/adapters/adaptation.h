#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sinter/adapters/merge/match.h"
#include "sinter/adapters/merge/merge.h"
#include "sinter/arch/model.h"
#include "sinter/weights/checkpoint.h"
#include "sinter/weights/computed_tensor.h"

namespace sinter::adapters {

/// An adapter file and how strongly it is wanted.
struct AdapterUse {
  std::filesystem::path path;
  Strength strength;
};

/// What became of one.
struct UsedAdapter {
  AdapterUse use;
  weights::SourceFile file;
  std::string identity;  // "a LoRA in kohya's layout for Stable Diffusion 1.x"
  MatchReport report;
};

/// Adapters that are merged into a checkpoint, one after another in the order given.
class Adaptation {
 public:
  /// Opens the files.
  /// @throws Error{kUsage} for a strength that is not finite; Error{kUnsupported} for a file that
  /// is
  ///         no adapter, naming what it is; all that opening a checkpoint throws.
  explicit Adaptation(const std::vector<AdapterUse>& uses);
  ~Adaptation();
  Adaptation(const Adaptation&) = delete;
  Adaptation& operator=(const Adaptation&) = delete;

  /// The checkpoint's tensors that the adapters change (merge.h), and used() as a report. The
  /// result refers to this object, the checkpoint and the model.
  /// @throws Error{kNoMatch} when nothing of an adapter has a place in the checkpoint, with what it
  ///         was made for.
  std::vector<weights::ComputedTensor> merge(const weights::Checkpoint& checkpoint,
                                             const arch::Model& model,
                                             const MergeOptions& options = {});

  /// One for each file; reports are filled by merge().
  const std::vector<UsedAdapter>& used() const { return used_; }

 private:
  struct Opened;

  std::vector<std::unique_ptr<Opened>> opened_;
  std::vector<UsedAdapter> used_;
};

}  // namespace sinter::adapters
