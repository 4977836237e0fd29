#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/base/shape.h"
#include "sinter/weights/file_format.h"

namespace sinter::weights {

/// The health of a file.
enum class Verdict {
  kOk,
  kDamaged,
  kDangerous,  // loading it the usual way could run code
  kNotAModel,
};

/// The word of a verdict in reports: "ok", "damaged", "dangerous", "not-a-model".
std::string_view verdict_name(Verdict verdict);

/// A tensor as the file lists it.
struct ListedTensor {
  std::string name;
  std::string dtype;  // as the file spells it
  Shape shape;
  std::uint64_t bytes;
};

/// What the pickles of a file say, and what loading them with Python would do.
struct PickleReport {
  /// A dangerous name.
  struct Use {
    std::string global;  // "os.system"
    std::string call;    // "os.system('true')"; empty: it is named and not called
  };
  /// torch.load without map_location, on a machine without a device.
  struct Load {
    std::string device;  // "cuda:1"
    std::string error;
  };

  std::vector<std::string> devices;  // where storages were when they were saved; as written
  std::vector<std::string> globals;  // every name that is imported: "collections.OrderedDict"
  std::vector<std::string> unknown;  // those of them that sinter does not know
  std::vector<Use> dangerous;
  std::vector<Load> loads;            // of the devices that not every machine has
  std::vector<std::string> notes;     // sentences
  std::size_t tensors_elsewhere = 0;  // beside the model's: optimizer state, callbacks
};

/// What a file is and whether it can be trusted.
struct FileReport {
  Verdict verdict = Verdict::kOk;
  FileFormat format = FileFormat::kUnknown;
  std::string reason;                  // one sentence: why this verdict
  std::string hint;                    // what to do about it, or empty
  std::vector<std::string> warnings;   // "wrong extension", "no tensors", "not finite: NAME, ..."
  std::uint64_t bytes = 0;             // of the file, or of all weight files of a folder
  std::uint64_t header_bytes = 0;      // that list the tensors; 0 when they could not be read
  std::optional<std::size_t> tensors;  // that can be read; empty when none can
  std::map<std::string, std::size_t> dtypes;  // how many tensors have which element type
  std::map<std::string, std::string> metadata;
  std::vector<ListedTensor> listed;    // of a sound header, also when the data behind it is damaged
  bool values_checked = false;         // every number was looked at
  std::optional<PickleReport> pickle;  // of torch's files and other pickles
};

struct ExamineOptions {
  /// Numbers are looked at in files up to this size, so that examining a large one reads its header
  /// only.
  std::uint64_t largest_values_check = std::uint64_t{16} << 20;
};

/// Examines a file or a diffusers folder by its content. Reads the header, a few pages, and the
/// numbers of a small file. Executes nothing.
///
/// Any content gives a report. A pickle is kDangerous when it names something that runs code.
/// @throws Error{kIo} when there is no such file or it cannot be read.
FileReport examine(const std::filesystem::path& path, const ExamineOptions& options = {});

/// The same for a file in memory. name: the file's name, for its extension.
FileReport examine(std::span<const std::byte> file, std::string_view name,
                   const ExamineOptions& options = {});

// For reports of single formats.

/// "The file ..." as a sentence from a message.
std::string sentence(std::string text);

/// The first names, and how many there are beside them.
std::string name_list(const std::vector<std::string>& names);

/// The verdict, reason and hint of a file that could not be read.
void mark_damaged(const Error& error, FileReport& report);

}  // namespace sinter::weights
