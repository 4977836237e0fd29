#pragma once

#include <string_view>

#include "sinter/arch/name_index.h"

namespace sinter::arch {

/// A way to store weights as codes with scales or tables beside them, told by the names of those.
struct Quantisation {
  std::string_view mark;   // the end of a tensor's name
  std::string_view title;  // "a Stable Diffusion XL base checkpoint with TITLE"
};

/// The row that fits some tensor, or null: the weights are what their bytes say.
const Quantisation* find_quantisation(const NameIndex& names);

}  // namespace sinter::arch
