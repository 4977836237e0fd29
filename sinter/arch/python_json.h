#pragma once

#include <string>
#include <string_view>

namespace sinter::arch {

/// JSON text as Python writes it, made readable: infinities and NaN, which stand there as bare
/// words and which JSON does not have, become null.
std::string without_bare_infinities(std::string_view text);

}  // namespace sinter::arch
