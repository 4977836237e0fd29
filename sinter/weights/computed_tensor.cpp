#include "sinter/weights/computed_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/base/message.h"
#include "sinter/base/tensor.h"
#include "sinter/weights/safetensors_writer.h"

namespace sinter::weights {
namespace {

void write_tensor(SafetensorsWriter& writer, const ComputedTensor& tensor, std::uint64_t before,
                  std::uint64_t total, const WriteProgress& progress) {
  const std::uint64_t expected = byte_count(tensor.dtype, tensor.shape);
  std::uint64_t written = 0;
  const auto require = [&](bool fits, std::uint64_t found) {
    if (fits) return;
    throw Error(ErrorCode::kInternal,
                fmt::format("{} bytes were computed, expected {}", found, expected));
  };
  try {
    tensor.write([&](std::span<const std::byte> bytes) {
      require(bytes.size() <= expected - written, written + bytes.size());
      writer.write(bytes);
      written += bytes.size();
      if (progress) progress(before + written, total);
    });
    require(written == expected, written);
  } catch (Error& error) {
    error.add_context(fmt::format("computing '{}'", shown(tensor.name)));
    throw;
  }
}

}  // namespace

void write_safetensors(const std::filesystem::path& path,
                       const std::vector<ComputedTensor>& tensors,
                       const std::map<std::string, std::string>& metadata,
                       const WriteProgress& progress, Durability durability) {
  std::vector<PlannedTensor> plan;
  std::map<std::string_view, const ComputedTensor*> by_name;
  std::uint64_t total = 0;
  for (const ComputedTensor& tensor : tensors) {
    plan.push_back({tensor.name, tensor.dtype, tensor.shape});
    by_name.emplace(tensor.name, &tensor);
    total += byte_count(tensor.dtype, tensor.shape);
  }
  sort_for_alignment(plan);
  SafetensorsWriter writer(path, plan, metadata, durability);
  std::uint64_t done = 0;
  for (const PlannedTensor& planned : plan) {
    write_tensor(writer, *by_name.at(planned.name), done, total, progress);
    done += byte_count(planned.dtype, planned.shape);
  }
  writer.commit();
}

}  // namespace sinter::weights
