#pragma once

#include <string>
#include <string_view>

#include "sinter/diagnose/log/traceback.h"

namespace sinter::diagnose::log {

/// The cause (id of a row) of an exception that no pattern knows: by its class, then by whose code
/// raised it, else "code-unknown".
std::string_view cause_of_unknown(const Exception& exception);

/// The cause that the words of a message point to, or "".
std::string_view cause_of_words(const std::string& message);

}  // namespace sinter::diagnose::log
