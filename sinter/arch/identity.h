#pragma once

#include <string>

#include "sinter/weights/checkpoint.h"

namespace sinter::arch {

/// What a file is, in words.
struct Identity {
  std::string architecture;  // "sd1", "sd1-inpainting", "sd2", "sdxl-base", "sdxl-refiner", "vae",
                             // "clip-l", "flux", ...; empty: not known
  std::string contents;      // "checkpoint", "unet", "vae", "text-encoder", "lora", "controlnet",
                             // "embedding" or "other"
  std::string sentence;      // "a LoRA in kohya's layout for Stable Diffusion 1.x"
  std::string advice;        // what can be done with it; empty where detect() takes it
  bool convertible = false;  // detect() takes it
};

/// Tells what a file is from names, shapes and metadata. Never throws for what a file holds.
Identity identify(const weights::Checkpoint& checkpoint);

}  // namespace sinter::arch
