#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace sinter::cli {

/// What tells the content of a model's folder from another: a line for each file in it and in its
/// components, sorted, with the SHA-256 of its bytes and the path. Files other than graphs and
/// configuration, and very large ones, have size and time in place of the hash: weights are too
/// large to be read each time.
std::string file_list(const std::filesystem::path& folder);

/// The path of the first file by which two lists differ, and how: "unet/model.onnx is missing".
std::optional<std::string> first_difference(const std::string& recorded, const std::string& found);

}  // namespace sinter::cli
