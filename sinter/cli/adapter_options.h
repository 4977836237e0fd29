#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sinter/adapters/adaptation.h"
#include "sinter/convert/convert.h"

namespace sinter::cli {

/// An adapter as it is typed: FILE, FILE:WEIGHT or FILE:WEIGHT:TE_WEIGHT. A file's name may have
/// colons: the longest name that is a file's counts.
/// @throws Error{kUsage} for a weight that is no finite number; Error{kIo} when there is no such
///         file.
adapters::AdapterUse parse_adapter(const std::string& words);

/// Adapters into a conversion, opened; null where there are none. The conversion shares the result
/// with its caller, who reads the report from it.
/// widen: merged weights are written in float32 where float32 is computed in, so that nothing is
///        rounded; else in the checkpoint's own types, at half the space.
std::shared_ptr<adapters::Adaptation> add_adapters(const std::vector<adapters::AdapterUse>& uses,
                                                   bool widen, convert::ConvertOptions& request);

/// What became of them, a line each: "x.safetensors at 0.8: 204 of 204 modules (unet 192, ...)".
std::vector<std::string> adapter_lines(const adapters::Adaptation& adaptation);

/// What of them was left out.
std::vector<std::string> adapter_warnings(const adapters::Adaptation& adaptation);

nlohmann::ordered_json adapters_json(const adapters::Adaptation& adaptation);

}  // namespace sinter::cli
