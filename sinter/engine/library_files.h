#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "sinter/engine/flavour.h"

namespace sinter::engine {

/// The files of a library.
struct LibraryFiles {
  Flavour flavour = Flavour::kTensorRtRtx;
  std::filesystem::path core;
  std::filesystem::path parser;
};

/// Finds a library in the first folder that has its core, under the plain name or the one of a
/// major version ("libnvinfer.so.11"; of several the highest).
/// @throws Error{kRuntime} with the folders and how to get it when none has it, or when the parser
///         is not beside the core.
LibraryFiles find_library(Flavour flavour, std::span<const std::filesystem::path> folders);

}  // namespace sinter::engine
