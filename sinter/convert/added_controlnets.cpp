#include "sinter/convert/added_controlnets.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>

#include "sinter/arch/identity.h"
#include "sinter/arch/places.h"
#include "sinter/base/error.h"

namespace sinter::convert {
namespace {

/// A checkpoint with a ControlNet in it, alone or among others.
weights::Checkpoint open_controlnet(const std::filesystem::path& file) {
  weights::Checkpoint checkpoint = weights::Checkpoint::open(file);
  if (arch::detect(checkpoint).find(arch::kControlNetNames.front()) == nullptr)
    throw Error(ErrorCode::kUnsupported,
                fmt::format("'{}' is {}, expected a ControlNet", file.filename().string(),
                            arch::identify(checkpoint).sentence));
  return checkpoint;
}

}  // namespace

weights::Checkpoint with_controlnets(weights::Checkpoint checkpoint,
                                     const std::vector<std::filesystem::path>& files) {
  if (files.size() > arch::kControlNetNames.size())
    throw Error(ErrorCode::kUsage, fmt::format("{} ControlNets, expected at most {}", files.size(),
                                               arch::kControlNetNames.size()));
  for (std::size_t i = 0; i < files.size(); ++i) {
    weights::Checkpoint::Layer layer{.top = open_controlnet(files[i]),
                                     .prefix = std::string(arch::kControlNetNames[i]) + "/"};
    if (i == 0) layer.instead_of = {"control_model.", "controlnet/", "controlnet_"};
    checkpoint = weights::Checkpoint::layered(std::move(checkpoint), std::move(layer));
  }
  return checkpoint;
}

bool has_controlled_unet(const arch::Model& model) {
  return model.find("unet") != nullptr && model.find(arch::kControlNetNames.front()) != nullptr;
}

}  // namespace sinter::convert
