#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sinter/lint/flow/interpreter.h"

namespace sinter::lint {

/// The doors between the rooms of library/: each answers for its part and returns null for what it
/// does not know.

// library.cpp: whoever knows it
Value call_library(Interpreter& in, const std::string& path, const Invocation& call);
Value call_method(Interpreter& in, const Value& receiver, const std::string& name,
                  const Invocation& call);
/// Something that is not known got hold of these: modules among them may be anywhere now.
void let_go(Interpreter& in, const Invocation& call);

// paths.cpp: names of libraries, as Libraries describes them
std::string canonical_path(std::string path);
Value library_constant(const std::string& path);
bool is_module_class(const std::string& path);

// python/: builtins and the standard library
Value call_builtin(Interpreter& in, const std::string& name, const Invocation& call);
Value call_standard(Interpreter& in, const std::string& path, const Invocation& call);
Value text_method(Interpreter& in, const Text& text, const std::string& name,
                  const Invocation& call);
Value sequence_method(Interpreter& in, const Value& self, const std::string& name,
                      const Invocation& call);
Value dict_method(Interpreter& in, const Value& self, const std::string& name,
                  const Invocation& call);
Value path_attribute(const Text& path, const std::string& name);
/// Operators between numbers, and with a string on the left.
Value number_binary(const std::string& op, const Number& left, const Number& right);
Value text_binary(const std::string& op, const Text& left, const Value& right);
/// Reports an output path with characters outside ASCII.
void check_output_path(Interpreter& in, const Value& path, const Place& use);

// arrays/: numpy and Pillow
Value call_numpy(Interpreter& in, const std::string& path, const Invocation& call);
Value call_images(Interpreter& in, const std::string& path, const Invocation& call);
Value array_method(Interpreter& in, const Array& array, const std::string& name,
                   const Invocation& call);
Value array_attribute(const Array& array, const Value& self, const std::string& name);
Value index_array(const Array& array, const Value& index);
/// An operator with a numpy array on one side at least.
Value array_binary(const std::string& op, const Value& left, const Value& right);
std::optional<DType> numpy_type_name(std::string_view name);

// torch/: tensors and modules
Value call_torch(Interpreter& in, const std::string& path, const Invocation& call);
Value tensor_method(Interpreter& in, const Value& self, const std::string& name,
                    const Invocation& call);
Value bundle_method(Interpreter& in, const Value& self, const std::string& name,
                    const Invocation& call);
Value tensor_attribute(Interpreter& in, const Value& self, const std::string& name);
Value module_method(Interpreter& in, const Value& self, const std::string& name,
                    const Invocation& call);
Value module_attribute(Interpreter& in, const Value& self, const std::string& name,
                       const Place& place);
void set_module_attribute(Interpreter& in, Module& module, const std::string& name,
                          const Value& value, const Place& place);
Value index_module(Interpreter& in, const Value& self, const Value& index, const Place& place);
Value call_module(Interpreter& in, const Value& self, const Invocation& call);

// models/: diffusers, transformers, accelerate
Value call_models(Interpreter& in, const std::string& path, const Invocation& call);

// things.cpp: objects of libraries (things.h)
Value thing_method(Interpreter& in, const Value& self, const std::string& name,
                   const Invocation& call);
Value thing_attribute(Interpreter& in, const Value& self, const std::string& name);
void set_thing_attribute(Thing& thing, const std::string& name, const Value& value);
Value index_thing(const Thing& thing, const Value& index);
Value call_thing(Interpreter& in, const Value& self, const Invocation& call);

}  // namespace sinter::lint
