#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sinter/arch/identity.h"
#include "sinter/arch/name_index.h"

namespace sinter::arch {

// Which networks an adapter was made for: "sd1", "sdxl-base", "flux", ..., as Identity's.

/// From names that only one has, from the widths of the layers that it changes, or from metadata;
/// empty: none of them tells.
std::string read_architecture(const NameIndex& names, const Metadata& metadata);

/// The one whose text tower is that wide, or nothing.
std::string architecture_of_tower(std::int64_t width);

/// Whether a family of ours is called so.
bool is_family(std::string_view architecture);

/// " for Stable Diffusion 1.x", or nothing where the architecture is not known.
std::string for_family(std::string_view architecture);

}  // namespace sinter::arch
