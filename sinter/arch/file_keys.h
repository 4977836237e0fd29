#pragma once

#include <string>
#include <string_view>

#include "sinter/arch/config.h"
#include "sinter/arch/places.h"

namespace sinter::arch {

/// What the file that a component was found in would call a canonical name, prefix included. The
/// configuration gives the numbering of blocks.
std::string key_in_file(const FoundComponent& found, const TextEncoderConfig& config,
                        std::string_view canonical);
std::string key_in_file(const FoundComponent& found, const UNetConfig& config,
                        std::string_view canonical);
std::string key_in_file(const FoundComponent& found, const VaeConfig& config,
                        std::string_view canonical);
std::string key_in_file(const FoundComponent& found, const ControlNetConfig& config,
                        std::string_view canonical);

}  // namespace sinter::arch
