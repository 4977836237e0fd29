#pragma once

#include <string>

#include "sinter/lint/flow/interpreter.h"

namespace sinter::lint {

/// Pictures of Pillow: their mode, and whether a format takes it.
Value image_method(Interpreter& in, Thing& image, const Value& self, const std::string& name,
                   const Invocation& call);
Value image_attribute(const Thing& image, const Value& self, const std::string& name);

/// What a pipeline returns: images, or arrays.
Value pipeline_pictures(bool arrays);

}  // namespace sinter::lint
