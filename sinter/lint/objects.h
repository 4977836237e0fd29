#pragma once

#include <string>

#include "sinter/lint/interpreter.h"

namespace sinter::lint {

/// A member of a class of the script or of those that it derives from; null when there is none.
Value class_member(const Value& type, const std::string& name);

/// Whether a class of the script derives from a model of a library, which brings members of its
/// own.
bool derives_from_library_model(const Value& type);

/// What is blamed for the parameters of a module that is on the wrong device.
SourcePtr module_source(Module& module, const Interpreter& in);

/// A method of a value that is not written in the script.
Value call_method(Interpreter& in, const Value& receiver, const std::string& name,
                  const Invocation& call);

Value call_library(Interpreter& in, const std::string& path, const Invocation& call);

}  // namespace sinter::lint
