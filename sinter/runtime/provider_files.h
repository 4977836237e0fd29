#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/runtime/providers.h"

namespace sinter::runtime {

/// Loads a library, and before it those that it needs and the loader does not find, from its own
/// folder: packages put a "libx.so.1.7.1" beside what asks for "libx.so.1".
/// @throws Error{kRuntime} with the loader's words, and what brings the missing library as hint.
void load_with_neighbours(const std::filesystem::path& library);

/// What brings a library, from the beginning of its name ("libcudnn.so.9": "cuDNN"); empty where it
/// is not known.
std::string_view bringer_of(std::string_view library);

/// Why a provider cannot run on this machine, a sentence each, found by looking: the driver and its
/// GPU, the provider's own library and those that it needs. Empty: nothing is missing that can be
/// seen from here.
///
/// onnxruntime: the loaded library; version: its own. provider_library: empty for a provider that
/// comes with ONNX Runtime.
std::vector<std::string> missing_for(const Provider& provider,
                                     const std::filesystem::path& onnxruntime,
                                     std::string_view version,
                                     const std::filesystem::path& provider_library);

}  // namespace sinter::runtime
