#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/base/file.h"
#include "sinter/base/shape.h"
#include "sinter/graph/link_record.h"

namespace onnx {
class TensorProto;
}

namespace sinter::graph {

/// A file that holds weights of a model, mapped.
struct ExternalFile {
  std::string location;              // as the ONNX file spells it
  std::span<const std::byte> bytes;  // valid while the mapping lives
};

/// Where a tensor's external data lies.
struct ExternalRange {
  std::string location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};

/// @throws Error{kBadFile} when it names no file, or numbers that are none.
ExternalRange external_range(const onnx::TensorProto& tensor);

Shape shape_of(const onnx::TensorProto& tensor);

/// Bytes of the tensor's elements; nothing for packed or unknown element types.
/// @throws Error{kBadFile} when its shape has no element count.
std::optional<std::uint64_t> payload_bytes(const onnx::TensorProto& tensor);

/// @throws Error{kBadFile} when the range is not that of the tensor or leaves the file.
void check_range(const onnx::TensorProto& tensor, const ExternalRange& range,
                 std::uint64_t file_bytes);

/// The files that a model's tensors point into, each mapped once.
///
/// An ONNX file from elsewhere can name any path, so only two kinds are opened: what lies in the
/// model's own folder or below, symbolic links followed, and what a record of sinter names. The
/// latter has to be the file of weights that was recorded, to the byte of its header.
class ExternalFiles {
 public:
  void set_model(std::filesystem::path path) { model_ = std::move(path); }
  void add_link(LinkRecord record);

  /// Opens and checks the file at its first use.
  /// @throws Error{kIo} when it is missing, Error{kBadFile} when it must not be read,
  ///         Error{kSourceChanged} when it is not the one that was linked.
  const ExternalFile& open(const std::string& location);

  /// One that open() has given.
  const ExternalFile& at(std::string_view location) const;

  /// In order of first use.
  const std::vector<ExternalFile>& all() const { return files_; }

 private:
  std::filesystem::path model_;
  std::vector<MappedFile> mappings_;
  std::vector<ExternalFile> files_;
  std::map<std::string, std::size_t, std::less<>> by_location_;  // index into files_
  std::map<std::string, LinkRecord, std::less<>> links_;         // by location
};

}  // namespace sinter::graph
