#include "sinter/graph/external_data.h"

#include <fmt/format.h>
#include <onnx.pb.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "sinter/base/dtype.h"
#include "sinter/base/error.h"
#include "sinter/base/tensor.h"

namespace sinter::graph {
namespace fs = std::filesystem;
namespace {

// The location by which engines know that the offset is an address in this process. A file that
// came with it would make them read wherever it says.
constexpr std::string_view kAddressLocation = "*/_ORT_MEM_ADDR_/*";

std::uint64_t number(const onnx::StringStringEntryProto& entry) {
  std::uint64_t value = 0;
  const std::string& text = entry.value();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("'{}' of its external data is '{}', expected a number of bytes",
                            entry.key(), text));
  }
  return value;
}

[[noreturn]] void missing(const fs::path& model, const std::string& location, const fs::path& file,
                          std::string hint) {
  throw Error(ErrorCode::kIo,
              fmt::format("the weights of {} are in '{}', and there is no {}", model.string(),
                          location, file.string()),
              std::move(hint));
}

bool is_below(const fs::path& file, const fs::path& folder) {
  const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return end == folder.end();
}

// Where a location that no record of sinter vouches for leads.
fs::path beside(const fs::path& model, const std::string& location) {
  const fs::path named = (model.parent_path() / location).lexically_normal();
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(model).parent_path(), error);
  const fs::path file = error ? fs::path() : fs::weakly_canonical(fs::absolute(named), error);
  // A name with a zero byte is another one to the system than it is here.
  const bool plain = !error && location.find('\0') == location.npos;
  if (!plain || !is_below(file, folder)) {
    throw Error(
        ErrorCode::kBadFile,
        fmt::format("its external data is in '{}', which {}", location,
                    plain ? fmt::format("leads out of the model's folder to {}", file.string())
                          : std::string("is no name of a file")),
        "a graph may only read files beside it, or the checkpoint that sinter linked it "
        "to; if the file is wanted, put it into the model's folder");
  }
  if (!fs::exists(file, error)) {
    missing(model, location, named,
            "an ONNX model with external data is several files; put them all into one folder");
  }
  return file;
}

}  // namespace

ExternalRange external_range(const onnx::TensorProto& tensor) {
  ExternalRange range;
  for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
    if (entry.key() == "location") range.location = entry.value();
    if (entry.key() == "offset") range.offset = number(entry);
    if (entry.key() == "length") range.length = number(entry);
  }
  if (range.location.empty()) {
    throw Error(ErrorCode::kBadFile, "its external data names no file");
  }
  if (range.location == kAddressLocation) {
    throw Error(ErrorCode::kBadFile, "its external data is a memory address, not a file");
  }
  return range;
}

Shape shape_of(const onnx::TensorProto& tensor) {
  return {tensor.dims().begin(), tensor.dims().end()};
}

std::optional<std::uint64_t> payload_bytes(const onnx::TensorProto& tensor) {
  const Shape shape = shape_of(tensor);
  const std::optional<DType> dtype = dtype_from_onnx(tensor.data_type());
  if (dtype) return byte_count(*dtype, shape);
  element_count(shape);
  return std::nullopt;
}

void check_range(const onnx::TensorProto& tensor, const ExternalRange& range,
                 std::uint64_t file_bytes) {
  const std::optional<std::uint64_t> payload = payload_bytes(tensor);
  if (payload && range.length && *range.length != *payload) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("its external data has {} bytes, expected {} for its shape and type",
                            *range.length, *payload));
  }
  const std::uint64_t length = range.length.value_or(payload.value_or(0));
  if (range.offset > file_bytes || length > file_bytes - range.offset) {
    throw Error(
        ErrorCode::kBadFile,
        fmt::format("its external data is {} bytes at offset {} of '{}', which has only {} bytes",
                    length, range.offset, range.location, file_bytes),
        "the file beside the model is cut short or belongs to another model");
  }
}

void ExternalFiles::add_link(LinkRecord record) {
  std::string location = record.location;
  links_.insert_or_assign(std::move(location), std::move(record));
}

const ExternalFile& ExternalFiles::open(const std::string& location) {
  const auto known = by_location_.find(location);
  if (known != by_location_.end()) return files_[known->second];
  const auto link = links_.find(location);
  if (link == links_.end()) {
    mappings_.emplace_back(beside(model_, location));
  } else {
    const fs::path file = (model_.parent_path() / location).lexically_normal();
    std::error_code ignored;
    if (!fs::exists(file, ignored)) {
      missing(model_, location, file,
              fmt::format("the checkpoint was moved or deleted (it was {}); put it back, or "
                          "convert again: {}",
                          link->second.source, convert_again(link->second, model_)));
    }
    mappings_.emplace_back(file);
    check_link(link->second, file, mappings_.back().bytes(), model_);
  }
  by_location_.emplace(location, files_.size());
  return files_.emplace_back(ExternalFile{location, mappings_.back().bytes()});
}

const ExternalFile& ExternalFiles::at(std::string_view location) const {
  return files_[by_location_.find(location)->second];
}

}  // namespace sinter::graph
