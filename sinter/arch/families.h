#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "sinter/arch/config.h"
#include "sinter/arch/model.h"

namespace sinter::arch {

/// The text towers that Stable Diffusion uses.
enum class TowerKind { kClipL, kOpenClipH, kOpenClipBigG };

/// What the shapes of a tower do not tell, and how wide the published one is.
struct Tower {
  TowerKind kind;
  std::string_view name;   // as inspect's architecture: "clip-l"
  std::string_view title;  // "CLIP ViT-L/14"
  std::int64_t width;      // of the published one: a word of evidence, never a condition on others
  std::int64_t layers;     // the same
  Activation activation;
};

/// A place of a text tower in a family.
struct TowerUse {
  std::string_view component;  // "text_encoder", "text_encoder_2"
  TowerKind kind;
  TextState state;
  bool pooled;  // its pooled projection conditions the UNet
};

/// The numbers that condition a UNet besides the context, and how many of them are sinusoids.
enum class VectorKind { kNone, kBase, kRefiner };

/// One row: how a family is told from the others, and what its files do not say.
struct Family {
  std::string_view name;          // "sd15"
  std::string_view architecture;  // what inspect calls it: "sd1"
  std::string_view title;         // in sentences: "Stable Diffusion 1.x"
  // Told by:
  std::int64_t in_channels;
  std::optional<bool> linear_projection;  // nothing: either
  VectorKind vector;
  std::int64_t context_width;  // of the published one; decides only where nothing else does
  // Known by:
  std::int64_t heads;       // of every attention; 0: width / head_width
  std::int64_t head_width;  // used when heads is 0
  std::span<const TowerUse> towers;
  double vae_scaling;
  int native_size;  // pixels along each side that the published members were trained on
  std::optional<Prediction> prediction;  // of every published member; nothing: there are both
};

/// Heads of every CLIP text tower are this wide.
inline constexpr std::int64_t kTowerHeadWidth = 64;
/// Each number of time_ids becomes this many sinusoids (Podell et al. 2023, section 2.2).
inline constexpr std::int64_t kTimeIdWidth = 256;
/// Base: original size, crop, target size. Refiner: original size, crop, aesthetic score.
inline constexpr int kBaseTimeIds = 6;
inline constexpr int kRefinerTimeIds = 5;

std::span<const Family> families();
std::span<const Tower> towers();
const Tower& tower(TowerKind kind);

/// The row of that name.
/// @throws Error{kUsage} listing the names when there is none.
const Family& family_named(std::string_view name);

}  // namespace sinter::arch
