#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sinter/pipeline/control/controlnet.h"
#include "sinter/pipeline/folder.h"

namespace sinter::pipeline {

// What a call of generate() may ask for; beyond, a slip of the hand.
inline constexpr int kMostSteps = 1000;                             // those of the training
inline constexpr int kLargestSide = 16384;                          // pixels
inline constexpr int kLargestBatch = 1024;                          // pictures
inline constexpr std::int64_t kMostPixels = std::int64_t{1} << 28;  // of a batch together
inline constexpr double kLargestGuidance = 1000;                    // further, float32 overflows

/// What to draw.
struct GenerateOptions {
  std::string prompt = {};
  // What the picture's text has in its place, where a prompt was more than what is encoded.
  std::optional<std::string> written_prompt = {};
  // Absent is not empty: SDXL has states of zero for no negative prompt, and those of the empty
  // text for "".
  std::optional<std::string> negative_prompt = {};
  std::string sampler = {};  // a name of samplers(); empty: the folder's own
  int steps = 20;
  double guidance_scale = 7.5;    // at most 1: the negative prompt is not used
  std::optional<int> width = {};  // pixels, multiples of 8; absent: the folder's size
  std::optional<int> height = {};
  int batch = 1;                 // pictures; picture i has the seed `seed + i`
  std::uint64_t seed = 0;        // of TorchRandom; each picture draws its noise alone
  double aesthetic_score = 6.0;  // for UNets that are told one (SDXL's refiner)
  double negative_aesthetic_score = 2.5;
  // One a ControlNet of the folder, in its order; none: drawn without them.
  std::vector<ControlOptions> controls = {};
  std::string model = {};       // for the picture's text; empty: what the folder says
  std::string model_hash = {};  // likewise
  std::string version = {};     // likewise, the program's
};

/// The size of a picture in pixels.
struct PictureSize {
  int width;
  int height;
};

/// The size that a folder draws for these options.
/// @throws Error{kUsage} for a batch, guidance or size that cannot be, with the limits.
PictureSize checked_size(const GenerateOptions& options, const PipelineFolder& folder);

/// What can be seen of controls before a graph is opened.
/// @throws Error{kUsage} for another number of them than the folder has ControlNets, what
/// check_control() refuses, and a UNet that takes no residuals; Error{kShapeMismatch} with both
/// widths for a ControlNet of another family.
void check_controls(const GenerateOptions& options, const PipelineFolder& folder);

}  // namespace sinter::pipeline
