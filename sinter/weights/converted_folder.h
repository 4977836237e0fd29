#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sinter::weights {

/// What sinter.json says of a folder that sinter converted. What it does not say is empty.
struct ConvertedFolder {
  struct Graph {
    std::string name;     // of its folder: "unet"
    std::string compute;  // "float16"
    std::uint64_t nodes = 0;
    std::uint64_t weight_bytes = 0;
  };
  struct Source {
    std::string path;
    std::uint64_t bytes = 0;
  };

  std::filesystem::path root;  // the folder with sinter.json
  std::string version;         // of the sinter that wrote it
  std::string family;
  std::string prediction;
  std::string io;       // names of inputs and outputs
  std::string weights;  // "link" or "pack"
  std::vector<Source> sources;
  std::vector<Graph> graphs;

  /// "text_encoder, unet, ...".
  std::string graph_names() const;
};

/// The record of a folder that sinter converted, also from the folder of one of its graphs; nothing
/// for any other folder.
std::optional<ConvertedFolder> read_converted_folder(const std::filesystem::path& folder);

}  // namespace sinter::weights
