#include "sinter/weights/safetensors_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/base/message.h"
#include "sinter/base/utf8.h"
#include "sinter/weights/safetensors_header.h"

namespace sinter::weights {
namespace {

constexpr std::size_t kAlignment = 8;

// The reference writer's, from github.com/huggingface/safetensors: no type follows a narrower one.
constexpr std::array kTypeOrder{DType::kU64, DType::kI64, DType::kF64,    DType::kF32,
                                DType::kU32, DType::kI32, DType::kBF16,   DType::kF16,
                                DType::kU16, DType::kI16, DType::kF8E4M3, DType::kF8E5M2,
                                DType::kI8,  DType::kU8,  DType::kBool};

std::string quoted(const std::string& text) {
  if (utf8_length(std::as_bytes(std::span(text))) != text.size()) {
    throw Error(ErrorCode::kUsage, "a name or metadata text to be written is not UTF-8");
  }
  return nlohmann::json(text).dump();
}

std::uint64_t tensor_bytes(const PlannedTensor& tensor) {
  return static_cast<std::uint64_t>(element_count(tensor.shape)) * dtype_bytes(tensor.dtype);
}

std::string metadata_text(const std::map<std::string, std::string>& metadata) {
  std::string text;
  for (const auto& [key, value] : metadata) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", quoted(key), quoted(value));
  }
  return fmt::format("\"__metadata__\":{{{}}}", text);
}

std::string header_text(const std::vector<PlannedTensor>& tensors,
                        const std::map<std::string, std::string>& metadata) {
  std::string text = "{";
  if (!metadata.empty()) text += metadata_text(metadata);
  std::set<std::string_view> names;
  std::uint64_t begin = 0;
  for (const PlannedTensor& tensor : tensors) {
    if (tensor.name == "__metadata__" || !names.insert(tensor.name).second) {
      throw Error(ErrorCode::kUsage,
                  fmt::format("'{}' cannot be written: the name is taken", shown(tensor.name)));
    }
    const std::uint64_t end = begin + tensor_bytes(tensor);
    text += fmt::format("{}{}:{{\"dtype\":\"{}\",\"shape\":{},\"data_offsets\":[{},{}]}}",
                        text.size() == 1 ? "" : ",", quoted(tensor.name), dtype_name(tensor.dtype),
                        to_string(tensor.shape), begin, end);
    begin = end;
  }
  text += '}';
  text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
  if (text.size() > kMaxSafetensorsHeader) {
    throw Error(ErrorCode::kUsage, fmt::format("the header would have {} bytes, at most {} allowed",
                                               text.size(), kMaxSafetensorsHeader));
  }
  return text;
}

}  // namespace

void sort_for_alignment(std::vector<PlannedTensor>& tensors) {
  std::sort(tensors.begin(), tensors.end(), [](const PlannedTensor& a, const PlannedTensor& b) {
    const auto rank = [](DType dtype) {
      return std::find(kTypeOrder.begin(), kTypeOrder.end(), dtype) - kTypeOrder.begin();
    };
    return std::pair(rank(a.dtype), std::string_view(a.name)) <
           std::pair(rank(b.dtype), std::string_view(b.name));
  });
}

SafetensorsWriter::SafetensorsWriter(const std::filesystem::path& path,
                                     const std::vector<PlannedTensor>& tensors,
                                     const std::map<std::string, std::string>& metadata,
                                     Durability durability)
    : file_(path, durability) {
  const std::string header = header_text(tensors, metadata);
  std::array<std::byte, 8> length;
  for (std::size_t i = 0; i < length.size(); ++i) {
    length[i] = static_cast<std::byte>(std::uint64_t{header.size()} >> (8 * i) & 0xff);
  }
  file_.write(length);
  file_.write(header);
  file_bytes_ = file_.written();
  for (const PlannedTensor& tensor : tensors) file_bytes_ += tensor_bytes(tensor);
}

void SafetensorsWriter::require_room(std::uint64_t bytes) const {
  if (bytes <= file_bytes_ - file_.written()) return;
  throw Error(ErrorCode::kInternal,
              fmt::format("{} bytes more than the {} that were planned",
                          bytes - (file_bytes_ - file_.written()), file_bytes_));
}

void SafetensorsWriter::write(std::span<const std::byte> bytes) {
  require_room(bytes.size());
  file_.write(bytes);
}

void SafetensorsWriter::copy_from(const MappedFile& source, std::uint64_t begin,
                                  std::uint64_t length) {
  require_room(length);
  file_.copy_from(source, begin, length);
}

void SafetensorsWriter::commit() {
  if (file_.written() != file_bytes_) {
    throw Error(ErrorCode::kInternal,
                fmt::format("{} bytes were written, {} planned", file_.written(), file_bytes_));
  }
  file_.commit();
}

}  // namespace sinter::weights
