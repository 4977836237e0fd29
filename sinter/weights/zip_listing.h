#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sinter::weights {

/// Names of the first entries of a zip archive, from the headers before their data, so that it
/// works on a truncated file too. At most 16, fewer where an entry does not say how long it is.
/// Never throws for any content. The names are as in the file: any bytes.
/// Source: PKWARE APPNOTE 6.3.10, section 4.3.7.
std::vector<std::string> list_zip(std::span<const std::byte> file);

}  // namespace sinter::weights
