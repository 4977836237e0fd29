#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sinter/arch/reading.h"
#include "sinter/repack/repack.h"
#include "sinter/repack/rewritten_tensor.h"
#include "sinter/weights/checkpoint.h"
#include "sinter/weights/computed_tensor.h"

namespace sinter::repack {

/// A file of tensors that will be written.
struct FilePlan {
  std::string path;  // within the folder; empty: the output itself
  std::vector<weights::ComputedTensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// All that will be written. Refers to the checkpoint.
struct Plan {
  bool folder = false;
  std::string layout;  // as in RepackReport
  std::vector<FilePlan> files;
  std::vector<convert::ExtraFile> texts;
  std::vector<LeftOut> left_out;
  std::vector<std::string> warnings;
  std::shared_ptr<Overflow> overflow =
      std::make_shared<Overflow>();  // shared with the tensors, which count while they are written
};

/// reading: of the checkpoint. out: the output, for its ending.
/// @throws what repack() throws, but for reading the checkpoint.
Plan make_plan(const weights::Checkpoint& checkpoint, const arch::Reading& reading,
               const std::filesystem::path& out, const RepackOptions& options);

}  // namespace sinter::repack
