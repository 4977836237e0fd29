#include "sinter/convert/delta.h"

#include <fmt/format.h>

#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/base/message.h"

namespace sinter::convert {
namespace {

std::vector<weights::ComputedTensor> compute(const weights::Checkpoint& checkpoint,
                                             const arch::Model& model,
                                             const std::vector<ComputeTensors>& all) {
  std::vector<weights::ComputedTensor> result;
  std::set<std::string> names;
  for (const ComputeTensors& compute : all) {
    std::vector<weights::ComputedTensor> tensors = compute(checkpoint, model);
    for (const weights::ComputedTensor& tensor : tensors) {
      if (names.insert(tensor.name).second) continue;
      throw Error(ErrorCode::kUnsupported,
                  fmt::format("'{}' would be changed in two ways at once", shown(tensor.name)),
                  "convert with one of them at a time");
    }
    std::ranges::move(tensors, std::back_inserter(result));
  }
  // What no range of a file holds as it is needed, unless it is computed anyway.
  for (const arch::Component& component : model.components) {
    for (const auto& [canonical, source] : component.weights.all()) {
      const weights::TensorEntry& tensor = *source.tensor;
      if (tensor.gathered && names.insert(tensor.name).second)
        result.push_back(checkpoint.gathered(tensor));
    }
  }
  return result;
}

}  // namespace

bool is_delta(const weights::SourceFile& file, const std::filesystem::path& staging) {
  return file.path == staging / kDeltaFile;
}

Layered with_delta(weights::Checkpoint checkpoint, arch::Model model, const ConvertOptions& options,
                   const std::filesystem::path& staging) {
  const std::vector<weights::ComputedTensor> tensors = compute(checkpoint, model, options.computed);
  if (tensors.empty()) return {.checkpoint = std::move(checkpoint), .model = std::move(model)};
  const std::filesystem::path file = staging / kDeltaFile;
  const auto progress = [&](std::uint64_t done, std::uint64_t total) {
    if (options.progress) options.progress(kDeltaFile, done, total);
  };
  // It can be made again, as all of the folder; waiting for the disk would take the longest part.
  weights::write_safetensors(file, tensors, {}, progress, Durability::kProcess);
  weights::Checkpoint delta = weights::Checkpoint::open(file);
  Layered result{
      .checkpoint = weights::Checkpoint::layered(std::move(checkpoint), {std::move(delta)}),
      .model = {},
      .computed_tensors = tensors.size()};
  result.computed_bytes = result.checkpoint.files().back().stamp.bytes;
  result.model = arch::detect(result.checkpoint, options.detect);
  return result;
}

}  // namespace sinter::convert
