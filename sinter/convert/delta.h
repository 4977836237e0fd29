#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "sinter/arch/model.h"
#include "sinter/convert/convert.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::convert {

/// A checkpoint as it goes into the graphs.
struct Layered {
  weights::Checkpoint checkpoint;
  arch::Model model;  // refers to the checkpoint
  std::size_t computed_tensors = 0;
  std::uint64_t computed_bytes = 0;
};

/// Writes what options.computed gives to `staging`/kDeltaFile, which becomes the checkpoint's top
/// layer. Without computed tensors there is no file, and the checkpoint is as it was. model: what
/// was detected in the checkpoint.
/// @throws Error{kUnsupported} when two of options.computed give the same tensor; what they,
/// writing
///         and detection throw.
Layered with_delta(weights::Checkpoint checkpoint, arch::Model model, const ConvertOptions& options,
                   const std::filesystem::path& staging);

/// Whether a source of a checkpoint is the file that with_delta() wrote.
bool is_delta(const weights::SourceFile& file, const std::filesystem::path& staging);

}  // namespace sinter::convert
