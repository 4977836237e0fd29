#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sinter/adapters/embedding/textual_inversion.h"

namespace sinter::cli {

/// Opens what --embedding names: FILE, or FILE:NAME where NAME is what prompts call it. Without a
/// name it is the token that the file gives itself (diffusers), else the file's name without its
/// ending.
/// @throws as reading throws, with the file.
std::vector<adapters::EmbeddingFile> open_embeddings(const std::vector<std::string>& options,
                                                     const weights::OpenOptions& open = {});

/// The files of --embedding-dir that prompts use, as options of --embedding, in the order of their
/// names. A file is used by its name without its ending, as in AUTOMATIC1111, or by the token that
/// it gives itself.
/// @throws Error{kIo} where there is no such folder.
std::vector<std::string> embeddings_in(const std::filesystem::path& folder,
                                       std::span<const std::string> texts);

}  // namespace sinter::cli
