#include "sinter/arch/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "sinter/base/error.h"

namespace sinter::arch {
namespace {

constexpr std::array kTowers{
    // The original CLIP was trained with the quick approximation, OpenCLIP with exact GELU.
    Tower{TowerKind::kClipL, "clip-l", "CLIP ViT-L/14", 768, 12, Activation::kQuickGelu},
    Tower{TowerKind::kOpenClipH, "openclip-h", "OpenCLIP ViT-H/14", 1024, 24, Activation::kGelu},
    Tower{TowerKind::kOpenClipBigG, "openclip-bigg", "OpenCLIP ViT-bigG/14", 1280, 32,
          Activation::kGelu},
};

constexpr std::array kSd1Towers{
    TowerUse{"text_encoder", TowerKind::kClipL, TextState::kLast, false}};
constexpr std::array kSd2Towers{
    TowerUse{"text_encoder", TowerKind::kOpenClipH, TextState::kPenultimateNormed, false}};
constexpr std::array kSdxlTowers{
    TowerUse{"text_encoder", TowerKind::kClipL, TextState::kPenultimate, false},
    TowerUse{"text_encoder_2", TowerKind::kOpenClipBigG, TextState::kPenultimate, true}};
constexpr std::array kRefinerTowers{
    TowerUse{"text_encoder_2", TowerKind::kOpenClipBigG, TextState::kPenultimate, true}};

// Latents of unit variance: measured once by the authors of each autoencoder.
constexpr double kSdScaling = 0.18215;
constexpr double kSdxlScaling = 0.13025;

constexpr Family sd1(std::string_view name, std::string_view architecture, std::string_view title,
                     std::int64_t in_channels) {
  return {.name = name,
          .architecture = architecture,
          .title = title,
          .in_channels = in_channels,
          .linear_projection = false,
          .vector = VectorKind::kNone,
          .context_width = 768,
          .heads = 8,
          .head_width = 0,
          .towers = kSd1Towers,
          .vae_scaling = kSdScaling,
          .native_size = 512,
          .prediction = Prediction::kEpsilon};
}

constexpr Family sd2(std::string_view name, std::string_view architecture, std::string_view title,
                     std::int64_t in_channels, std::optional<Prediction> prediction) {
  return {.name = name,
          .architecture = architecture,
          .title = title,
          .in_channels = in_channels,
          .linear_projection = true,
          .vector = VectorKind::kNone,
          .context_width = 1024,
          .heads = 0,
          .head_width = 64,
          .towers = kSd2Towers,
          .vae_scaling = kSdScaling,
          .native_size = 512,
          .prediction = prediction};
}

constexpr Family sdxl(std::string_view name, std::string_view architecture, std::string_view title,
                      std::int64_t in_channels, VectorKind vector, std::int64_t context_width,
                      std::span<const TowerUse> towers) {
  return {.name = name,
          .architecture = architecture,
          .title = title,
          .in_channels = in_channels,
          .linear_projection = std::nullopt,
          .vector = vector,
          .context_width = context_width,
          .heads = 0,
          .head_width = 64,
          .towers = towers,
          .vae_scaling = kSdxlScaling,
          .native_size = 1024,
          .prediction = Prediction::kEpsilon};
}

constexpr std::array kFamilies{
    sd1("sd15", "sd1", "Stable Diffusion 1.x", 4),
    sd1("sd15-inpaint", "sd1-inpainting", "Stable Diffusion 1.x inpainting", 9),
    sd1("sd15-instruct-pix2pix", "sd1-instruct-pix2pix", "InstructPix2Pix (Stable Diffusion 1.x)",
        8),
    sd2("sd21", "sd2", "Stable Diffusion 2.x", 4, std::nullopt),
    sd2("sd21-inpaint", "sd2-inpainting", "Stable Diffusion 2 inpainting", 9, Prediction::kEpsilon),
    sdxl("sdxl-base", "sdxl-base", "Stable Diffusion XL base", 4, VectorKind::kBase, 2048,
         kSdxlTowers),
    sdxl("sdxl-refiner", "sdxl-refiner", "Stable Diffusion XL refiner", 4, VectorKind::kRefiner,
         1280, kRefinerTowers),
    sdxl("sdxl-inpaint", "sdxl-inpainting", "Stable Diffusion XL inpainting", 9, VectorKind::kBase,
         2048, kSdxlTowers),
    sdxl("sdxl-instruct-pix2pix", "sdxl-instruct-pix2pix", "InstructPix2Pix (Stable Diffusion XL)",
         8, VectorKind::kBase, 2048, kSdxlTowers),
};

}  // namespace

std::span<const Family> families() { return kFamilies; }

std::span<const Tower> towers() { return kTowers; }

const Tower& tower(TowerKind kind) {
  return *std::ranges::find(kTowers, kind, &Tower::kind);  // every kind has its row
}

const Family& family_named(std::string_view name) {
  const auto found = std::ranges::find(kFamilies, name, &Family::name);
  if (found != kFamilies.end()) return *found;
  std::string names;
  for (const Family& family : kFamilies)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", family.name);
  throw Error(ErrorCode::kUsage, fmt::format("unknown family '{}'", name),
              fmt::format("the families are {}", names));
}

}  // namespace sinter::arch
