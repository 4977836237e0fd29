#pragma once

#include <optional>
#include <string>

#include "sinter/arch/families.h"
#include "sinter/arch/model.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::arch {

/// What the UNet's output means, and where that was read or why it cannot be.
struct PredictionReading {
  std::optional<Prediction> prediction;
  std::string evidence;
  bool foreign = false;            // what is named is none of ours
  bool zero_terminal_snr = false;  // a v model that was trained down to pure noise
};

/// What was given, or asks in turn: the folder's scheduler settings, marks among the tensors,
/// metadata, what diffusers takes where the settings leave it out, the family.
PredictionReading read_prediction(const weights::Checkpoint& checkpoint, const Family& family,
                                  std::optional<Prediction> given = std::nullopt);

}  // namespace sinter::arch
