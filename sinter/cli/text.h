#pragma once

#include <cstdint>
#include <string>

namespace sinter::cli {

/// "3.4 GB": decimal units, as disks and download pages count.
std::string human_bytes(std::uint64_t bytes);

/// "12 s", "3 min 20 s".
std::string human_seconds(double seconds);

}  // namespace sinter::cli
