#pragma once

#include <string_view>

#include "sinter/diagnose/log/traceback.h"

namespace sinter::diagnose::log {

/// The cause (id of a row) of an exception that no pattern knows: by its class, then by whose code
/// raised it, else "code-unknown".
std::string_view cause_of_unknown(const Exception& exception);

}  // namespace sinter::diagnose::log
