#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/arch/model.h"
#include "sinter/base/dtype.h"
#include "sinter/convert/convert.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::repack {

/// Names and order of the tensors, and how many files they are in.
enum class Layout {
  kOriginal,   // one file, as CompVis and Stability AI publish it
  kDiffusers,  // a folder with a folder a component; of one component also its file alone
};

std::string_view layout_name(Layout layout);

/// The word of --dtype for a type, and back; "keep" is no type.
/// @throws Error{kUsage} naming the words there are.
std::optional<DType> dtype_from_word(std::string_view word);

struct RepackOptions {
  std::optional<Layout> layout = {};         // empty: original for a file, diffusers for a folder
  std::optional<DType> dtype = {};           // F32, F16 or BF16; empty: as stored
  bool prune = false;                        // leave out what only a training run needs
  std::vector<std::string> components = {};  // names as Component::name; empty: all
  weights::OpenOptions open = {};
  arch::DetectOptions detect = {};
  /// Tokenizers of a folder, when the model is known.
  std::function<std::vector<convert::ExtraFile>(const arch::Model& model)> extra_files = {};
  std::function<void(std::string_view file, std::uint64_t done, std::uint64_t total)> progress = {};
};

/// Tensors that were not written.
struct LeftOut {
  std::string what;  // "moving averages of the weights (model_ema.*)"
  std::size_t tensors = 0;
  std::uint64_t bytes = 0;
  std::string first;  // name of the first one
};

struct WrittenFile {
  std::string path;  // within a folder; empty: the output itself
  std::size_t tensors = 0;
  std::uint64_t bytes = 0;
};

struct RepackReport {
  std::string what;    // what the input is: "a Stable Diffusion 1.x checkpoint"
  std::string layout;  // of the output: "original", "diffusers", or "as it was"
  std::vector<WrittenFile> files;
  std::vector<LeftOut> left_out;
  std::uint64_t source_bytes = 0;
  std::uint64_t written_bytes = 0;
  std::vector<std::string> warnings;
};

/// Writes a checkpoint, a component or any other file of tensors again: in another layout, in
/// another type, without what only training needs. Memory stays at a few megabytes; the output
/// appears whole or not at all, and the same input gives the same bytes.
///
/// in: what weights::Checkpoint opens. out: a file (".safetensors"), or a folder that is new or
/// empty.
///
/// Where the layout stays, every tensor keeps its name, also those that sinter does not know. Where
/// it changes, those that the other layout has no place for are left out and reported.
/// @throws Error{kUsage} when layout and out do not go together, out is the input or a folder with
///         something in it, or a component is not there; Error{kUnsupported} when the layout of
///         something that is no Stable Diffusion network would change, or quantised weights their
///         type; Error{kBadFile} when tensors are missing that the other layout needs; all that
///         reading and detection throw.
RepackReport repack(const std::filesystem::path& in, const std::filesystem::path& out,
                    const RepackOptions& options);

}  // namespace sinter::repack
