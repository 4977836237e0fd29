#pragma once

#include "sinter/arch/families.h"
#include "sinter/arch/model.h"
#include "sinter/arch/places.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::arch {

/// A component with its configuration: what the shapes tell, the family's row for the rest, and a
/// folder's config.json before the row.
///
/// Only weights that the configuration asks for stay in it; those that the file lacks are listed.
/// @throws Error{kShapeMismatch} when nothing is missing and shapes contradict each other, and for
///         a weight without elements; Error{kDTypeMismatch} for one that is no floating number;
///         Error{kUnsupported} for a topology that sinter cannot build; all that reading a
///         config.json throws.
Component build_component(const FoundComponent& found, const Family& family,
                          const weights::Checkpoint& checkpoint);

}  // namespace sinter::arch
