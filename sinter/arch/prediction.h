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
};

/// Asks in turn: the folder's scheduler settings, marks among the tensors, metadata, the family.
PredictionReading read_prediction(const weights::Checkpoint& checkpoint, const Family& family);

}  // namespace sinter::arch
