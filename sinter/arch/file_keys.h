#pragma once

#include <string>
#include <string_view>

#include "sinter/arch/config.h"
#include "sinter/arch/families.h"
#include "sinter/arch/key_map.h"
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

/// Where a single file of a family, in the original layout, keeps a component:
/// "first_stage_model.".
std::string original_prefix(const Family& family, std::string_view component);

/// Which names that layout has for a text encoder of the family: CLIP's own tower stands there
/// under transformers' names, the OpenCLIP ones under theirs.
TextNames original_text_names(const Family& family, std::string_view component);

/// Where it keeps a canonical weight, behind the prefix.
LayoutPlace original_place(TextNames names, std::string_view canonical);
LayoutPlace original_place(const UNetConfig& config, std::string_view canonical);
LayoutPlace original_place(const VaeConfig& config, std::string_view canonical);
LayoutPlace original_place(const ControlNetConfig& config, std::string_view canonical);

/// Whether the original layout has that weight of an autoencoder as a 1x1 convolution where
/// diffusers has a matrix.
bool is_convolution_in_original(const VaeConfig& config, std::string_view canonical);

}  // namespace sinter::arch
