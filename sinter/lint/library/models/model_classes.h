#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sinter::lint {

/// What a class of diffusers or transformers is, by its name.
enum class Family {
  kNone,
  kDenoiser,  // UNet, diffusion transformer
  kControl,   // ControlNet
  kAutoencoder,
  kAdapter,  // T2I adapter, motion adapter
  kTextEncoder,
  kModel,  // any other torch.nn.Module
  kPipeline,
  kScheduler,
  kTokenizer,
  kProcessor,
};

/// Of a class name such as UNet2DConditionModel; kNone for what is none of these.
Family family_of(std::string_view class_name);
bool is_model(Family family);

/// What a model wants of one of its inputs.
enum class Wants { kDevice, kDeviceAndType, kDeviceUnlessScalar };

struct ModelInput {
  Family family;
  std::string_view method;
  std::size_t position;
  std::string_view name;
  Wants wants;
  bool latent = false;  // [N,4,h,w] in latent cells
};

}  // namespace sinter::lint
