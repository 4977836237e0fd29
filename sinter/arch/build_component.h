#pragma once

#include <string>
#include <vector>

#include "sinter/arch/families.h"
#include "sinter/arch/model.h"
#include "sinter/arch/places.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::arch {

/// A component with its configuration: what the shapes tell, the family's row for the rest, and a
/// folder's config.json before the row.
///
/// Only weights that the configuration asks for stay in it. missing: canonical keys it asks for and
/// the file lacks.
/// @throws Error{kShapeMismatch} when nothing is missing and shapes contradict each other;
///         Error{kUnsupported} for a topology that sinter cannot build.
Component build_component(const FoundComponent& found, const Family& family,
                          const weights::Checkpoint& checkpoint, std::vector<std::string>& missing);

}  // namespace sinter::arch
