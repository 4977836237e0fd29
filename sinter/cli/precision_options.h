#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "sinter/cli/conversion.h"
#include "sinter/convert/convert.h"

namespace sinter::cli {

// --precision auto: what a checkpoint is run on to decide which modules stay in float32.

void declare_calibration(CLI::App& app, CalibrationOptions& options);

/// --vae-precision, or what stands for it when it is not given.
std::string vae_precision_of(const ConversionOptions& options);

/// Where the request has a precision "auto", runs the checkpoint (beside `out`, where nothing is
/// left behind) and puts the policy into the request, with progress on standard error. Returns
/// warnings.
/// @throws Error{kUsage} for calibration options without "auto"; what precision::decide() throws.
std::vector<std::string> add_policy(const ConversionOptions& options, const std::string& checkpoint,
                                    const std::filesystem::path& out,
                                    convert::ConvertOptions& request);

}  // namespace sinter::cli
