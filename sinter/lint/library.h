#pragma once

#include <string>

#include "sinter/lint/interpreter.h"

namespace sinter::lint {

/// What the libraries that a script uses do, as far as devices and types are concerned. Every
/// function answers for its part and returns null for what it does not know.

/// The one name of what libraries offer under several: torch.cuda.amp.autocast is torch.autocast.
std::string canonical_path(std::string path);

/// A constant or a class of a library: torch.float16, math.pi. Null: nothing special.
Value library_constant(const std::string& path);

/// Whether deriving from it makes a torch.nn.Module.
bool is_module_class(const std::string& path);

Value call_builtin(Interpreter& in, const std::string& name, const Invocation& call);
Value call_standard(Interpreter& in, const std::string& path, const Invocation& call);
Value call_torch(Interpreter& in, const std::string& path, const Invocation& call);
Value call_numpy(Interpreter& in, const std::string& path, const Invocation& call);
Value call_models(Interpreter& in, const std::string& path, const Invocation& call);
Value call_images(Interpreter& in, const std::string& path, const Invocation& call);

Value text_method(Interpreter& in, const Text& text, const std::string& name,
                  const Invocation& call);
Value sequence_method(Interpreter& in, const Value& self, const std::string& name,
                      const Invocation& call);
Value dict_method(Interpreter& in, const Value& self, const std::string& name,
                  const Invocation& call);
Value tensor_method(Interpreter& in, const Value& self, const std::string& name,
                    const Invocation& call);
Value bundle_method(Interpreter& in, const Value& self, const std::string& name,
                    const Invocation& call);
Value array_method(Interpreter& in, const Array& array, const std::string& name,
                   const Invocation& call);
Value module_method(Interpreter& in, const Value& self, const std::string& name,
                    const Invocation& call);
Value thing_method(Interpreter& in, const Value& self, const std::string& name,
                   const Invocation& call);

Value tensor_attribute(Interpreter& in, const Value& self, const std::string& name);
Value module_attribute(Interpreter& in, const Value& self, const std::string& name,
                       const Place& place);
Value thing_attribute(Interpreter& in, const Value& self, const std::string& name);
void set_module_attribute(Interpreter& in, Module& module, const std::string& name,
                          const Value& value, const Place& place);
void set_thing_attribute(Interpreter& in, Thing& thing, const std::string& name,
                         const Value& value);

Value call_module(Interpreter& in, const Value& self, const Invocation& call);
Value call_thing(Interpreter& in, const Value& self, const Invocation& call);

/// Operators between numbers, and with a string on the left.
Value number_binary(const std::string& op, const Number& left, const Number& right);
Value text_binary(const std::string& op, const Text& left, const Value& right);

/// An operator with a numpy array on one side at least.
Value array_binary(const std::string& op, const Value& left, const Value& right);
std::optional<DType> numpy_type_name(std::string_view name);

/// The result of a call of which nothing is known, the same whenever the place is reached alike.
Value unknown_call(Interpreter& in, const Invocation& call);

/// Something that is not known got hold of these: modules among them may be anywhere now.
void let_go(Interpreter& in, const Invocation& call);

}  // namespace sinter::lint
