#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sinter::plan {

/// The folder of graphs that `sinter convert` writes of tests/data/manifests/NAME.json with these
/// options (--precision, --vae-precision, --controlnet-inputs, --io, --static), made once a run.
/// Its weights are zeros that take no space.
std::filesystem::path converted_outline(const std::string& name, const std::string& options = {});

/// Its graphs.
std::vector<std::filesystem::path> graphs_in(const std::filesystem::path& folder);

}  // namespace sinter::plan
