#include "sinter/verify/reference_case.h"

#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "sinter/base/error.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::verify {

ReferenceCase ReferenceCase::load(const std::filesystem::path& path) {
  const weights::Checkpoint file = weights::Checkpoint::open(path);
  ReferenceCase result{
      .path = path, .component = {}, .metadata = file.metadata(), .inputs = {}, .outputs = {}};
  if (const auto component = result.metadata.find("component");
      component != result.metadata.end()) {
    result.component = component->second;
  }
  for (const weights::TensorEntry& entry : file.tensors()) {
    const std::string_view name = entry.name;
    const bool input = name.starts_with("in.");
    if (!input && !name.starts_with("out.")) continue;  // adapters' cases hold other things too
    Tensor tensor(entry.dtype, entry.shape);
    const std::span<const std::byte> bytes = file.bytes(entry);
    if (!bytes.empty()) std::memcpy(tensor.bytes().data(), bytes.data(), bytes.size());
    (input ? result.inputs : result.outputs)
        .insert_or_assign(std::string(name.substr(name.find('.') + 1)), std::move(tensor));
  }
  if (result.inputs.empty() || result.outputs.empty()) {
    throw Error(
        ErrorCode::kBadFile,
        fmt::format("{} has {} tensors 'in.NAME' and {} 'out.NAME'; a reference case has both",
                    path.string(), result.inputs.size(), result.outputs.size()));
  }
  return result;
}

}  // namespace sinter::verify
