#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sinter/weights/checkpoint.h"

namespace sinter::arch {

/// What a file is, in words.
struct Identity {
  std::string architecture;  // "sd1", "sd1-inpainting", "sd2", "sdxl-base", "sdxl-refiner", "vae",
                             // "clip-l", "flux", ...; empty: not known
  std::string contents;      // "checkpoint", "unet", "vae", "text-encoder", "lora", "controlnet",
                             // "embedding" or "other"
  std::string sentence;      // "a LoRA in kohya's layout for Stable Diffusion 1.x, rank 16"
  std::string advice;        // what can be done with it; empty where detect() takes it
  bool convertible = false;  // detect() takes it
  bool foreign = false;      // a network of a kind that sinter does not convert, and no adapter
  std::int64_t vectors = 0;  // of an embedding, for each text encoder; 0: it is none
  std::string kind;          // finer than contents: "ip-adapter", "upscaler", ... (file_kinds.h)
  std::string purpose;       // what it is for; empty: not known
  std::string next;          // the command for it, FILE standing for the file; empty: there is none
};

/// A format's free metadata.
using Metadata = std::map<std::string, std::string>;

/// Tells what a file is from names, shapes and metadata. Never throws for what a file holds.
Identity identify(const weights::Checkpoint& checkpoint);

/// The same of tensors that are known by name and shape only, as those of a file whose data is cut.
Identity identify(const std::vector<weights::TensorEntry>& tensors, const Metadata& metadata);

}  // namespace sinter::arch
