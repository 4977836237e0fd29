#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace sinter::weights {

/// What a file is by its content, whatever its name says.
enum class FileFormat {
  kSafetensors,
  kTorchZip,     // torch.save since 1.6: a zip with a pickle and raw storages
  kTorchLegacy,  // torch.save before 1.6: pickles and storages in a row
  kPickle,       // any other pickle
  kZip,
  kGzip,
  kTar,
  kHtml,
  kJson,
  kText,
  kGitLfsPointer,
  kGguf,
  kOnnx,
  kZeros,
  kEmpty,
  kUnknown,
  // recognise() never returns these:
  kFolder,     // a folder with a checkpoint in it
  kConverted,  // a folder that sinter converted
};

/// The word of a format in reports: "safetensors", "torch-zip", "git-lfs-pointer", ...
std::string_view format_name(FileFormat format);

/// What recognise() found.
struct RecognisedFormat {
  FileFormat format;
  std::string description;  // a noun phrase: "a web page saved in place of the model"
  std::string hint;         // what to do about it; empty for formats that hold a model
};

/// Tells a file's format from its first bytes (and, of zeros, from samples). Reads a few pages
/// whatever the size; never throws for any content.
RecognisedFormat recognise(std::span<const std::byte> file);

}  // namespace sinter::weights
