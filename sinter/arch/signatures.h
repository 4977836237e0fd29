#pragma once

#include <array>
#include <string_view>

#include "sinter/arch/name_index.h"

namespace sinter::arch {

/// The advice where there is nothing to do with it here.
inline constexpr std::string_view kForeign =
    "sinter converts Stable Diffusion 1.x, 2.x and XL and their relatives";

/// How files that are no Stable Diffusion network are told by their names.
struct Signature {
  std::string_view title;         // in a sentence: "'x.safetensors' is TITLE"
  std::string_view contents;      // as in Identity
  std::string_view architecture;  // as in Identity; empty: read from widths and metadata
  // Each must occur in some name; '^' in front: at its beginning; '#' for a number between dots.
  // Empty ones do not count.
  std::array<std::string_view, 2> marks;
  std::string_view unless;  // may occur in no name
  std::string_view advice;  // what can be done with it
};

/// The first row of the table that fits, or null.
const Signature* find_signature(const NameIndex& names);

}  // namespace sinter::arch
