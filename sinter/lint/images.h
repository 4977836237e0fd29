#pragma once

#include <string>

#include "sinter/lint/interpreter.h"

namespace sinter::lint {

/// Pictures of Pillow: their mode, and whether a format takes it.
Value image_method(Interpreter& in, Thing& image, const Value& self, const std::string& name,
                   const Invocation& call);
Value image_attribute(const Thing& image, const Value& self, const std::string& name);

/// What a pipeline returns: images, or arrays.
Value pipeline_pictures(bool arrays);

/// Reports an output path with characters outside ASCII.
void check_output_path(Interpreter& in, const Value& path, const Place& use);

}  // namespace sinter::lint
