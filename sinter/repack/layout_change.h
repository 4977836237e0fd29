#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sinter/arch/model.h"
#include "sinter/arch/places.h"
#include "sinter/base/dtype.h"
#include "sinter/repack/repack.h"
#include "sinter/repack/rewritten_tensor.h"
#include "sinter/weights/checkpoint.h"
#include "sinter/weights/computed_tensor.h"

namespace sinter::repack {

/// A component in the file and what it is.
struct PlacedComponent {
  const arch::FoundComponent* found;
  const arch::Component* component;
};

/// The component's tensors as the layout has them.
///
/// prefix: before all names. dtype: of the result; empty: as stored. overflow: as in rewritten().
/// @throws Error{kBadFile} where a tensor that the layout stacks lacks a part.
std::vector<weights::ComputedTensor> in_layout(Layout layout, const PlacedComponent& placed,
                                               const arch::Family& family,
                                               const std::string& prefix,
                                               std::optional<DType> dtype,
                                               const weights::Checkpoint& checkpoint,
                                               const std::shared_ptr<Overflow>& overflow);

}  // namespace sinter::repack
