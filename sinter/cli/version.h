#pragma once

namespace sinter::cli {

/// Version of the tool, as --version prints it and files record it.
inline constexpr const char* kVersion = SINTER_VERSION;

}  // namespace sinter::cli
