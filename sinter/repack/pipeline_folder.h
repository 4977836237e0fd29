#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinter/arch/model.h"
#include "sinter/convert/convert.h"
#include "sinter/repack/layout_change.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::repack {

/// The file name that diffusers or transformers give to a component's weights.
std::string weights_name(const arch::Component& component);

/// The JSON files of a diffusers pipeline: model_index.json, scheduler, and config.json of each
/// component; a folder's own where it has them.
///
/// dtype: what the weights became; empty: what they were.
/// @throws Error{kUnsupported} for a network that diffusers' configuration cannot describe.
std::vector<convert::ExtraFile> pipeline_files(const arch::Model& model,
                                               const std::vector<PlacedComponent>& components,
                                               const weights::Checkpoint& checkpoint,
                                               std::optional<DType> dtype);

/// config.json of one component.
std::string component_file(const arch::Model& model, const PlacedComponent& placed,
                           const weights::Checkpoint& checkpoint, std::optional<DType> dtype);

}  // namespace sinter::repack
