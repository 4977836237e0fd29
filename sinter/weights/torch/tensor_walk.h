#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sinter/weights/pickle/values.h"

namespace sinter::weights::torch {

struct NamedView {
  std::string name;
  std::uint32_t tensor;  // index into Values::tensors
};

/// The tensors of a saved object under the names that its state dict would give them.
struct TensorWalk {
  std::vector<NamedView> tensors;   // sorted by name
  std::size_t elsewhere = 0;        // tensors beside the model's: optimizer state, callbacks
  std::size_t names_made_text = 0;  // whose keys were numbers or tuples
  std::size_t left_out = 0;         // a second tensor of a name that another has
};

/// Takes what training programs wrap around a state dict off ("state_dict", "model", ...), and
/// walks dicts, lists, modules and stand-ins: a name is the keys on the way, joined by dots.
///
/// @throws Error{kBadFile} for values nested beyond the machine's limits, and for names that are no
///         UTF-8 or too long.
TensorWalk walk_tensors(const pickle::Values& values, pickle::Ref root);

}  // namespace sinter::weights::torch
