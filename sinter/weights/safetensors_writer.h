#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sinter/base/dtype.h"
#include "sinter/base/file.h"
#include "sinter/base/shape.h"

namespace sinter::weights {

/// A tensor that will be written.
struct PlannedTensor {
  std::string name;  // UTF-8
  DType dtype;
  Shape shape;
};

/// Sorts so that every tensor is aligned to its element: wide types first, then by name. The order
/// of the reference writer.
void sort_for_alignment(std::vector<PlannedTensor>& tensors);

/// Writes a safetensors file front to back: the header from the plan, then the tensors' bytes in
/// the plan's order, in pieces of any size. The file appears under its name at commit().
///
/// The header is padded with spaces so that the data begins at a multiple of 8.
class SafetensorsWriter {
 public:
  /// @throws Error{kUsage} for a name that stands twice, is "__metadata__" or is not UTF-8, and for
  ///         a header above the format's limit; Error{kIo} when the file cannot be created.
  SafetensorsWriter(const std::filesystem::path& path, const std::vector<PlannedTensor>& tensors,
                    const std::map<std::string, std::string>& metadata = {},
                    Durability durability = Durability::kPowerLoss);

  /// Appends data: the row-major little-endian elements of the tensors, one tensor after another.
  /// @throws Error{kIo}; Error{kInternal} for more bytes than planned.
  void write(std::span<const std::byte> bytes);

  /// Appends a range of another file.
  void copy_from(const MappedFile& source, std::uint64_t begin, std::uint64_t length);

  /// Length of the whole file when it is done.
  std::uint64_t file_bytes() const { return file_bytes_; }

  /// @throws Error{kInternal} when data is missing; Error{kIo}.
  void commit();

 private:
  void require_room(std::uint64_t bytes) const;

  AtomicFile file_;
  std::uint64_t file_bytes_ = 0;
};

}  // namespace sinter::weights
