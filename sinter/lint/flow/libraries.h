#pragma once

#include <string>

#include "sinter/lint/flow/state.h"

namespace sinter::lint {

class Interpreter;

/// What a script uses without defining it: builtins, the standard library, torch, diffusers, ...
///
/// The interpreter follows the script and asks this about everything else; sinter/lint/library
/// answers. So flow/ knows Python and no library. Values that are not known are null where the
/// interpreter has a better idea of them, else unknown().
class Libraries {
 public:
  Libraries() = default;
  Libraries(const Libraries&) = delete;
  Libraries& operator=(const Libraries&) = delete;
  virtual ~Libraries() = default;

  /// The one name of what is offered under several: torch.cuda.amp.autocast is torch.autocast.
  virtual std::string canonical_path(std::string path) const = 0;
  /// A constant: torch.float16, math.pi. Null: nothing special.
  virtual Value constant(const std::string& path) const = 0;
  /// Whether deriving from it makes a torch.nn.Module.
  virtual bool is_module_class(const std::string& path) const = 0;

  /// Calls of a function or class by its path, of an object, and of a method of one.
  virtual Value call(Interpreter& in, const std::string& path, const Invocation& call) const = 0;
  virtual Value call_object(Interpreter& in, const Value& object, const Invocation& call) const = 0;
  virtual Value call_method(Interpreter& in, const Value& object, const std::string& name,
                            const Invocation& call) const = 0;

  virtual Value attribute(Interpreter& in, const Value& object, const std::string& name,
                          const Place& place) const = 0;
  virtual void set_attribute(Interpreter& in, const Value& object, const std::string& name,
                             const Value& value, const Place& place) const = 0;
  virtual Value subscript(Interpreter& in, const Value& object, const Value& index,
                          const Place& place) const = 0;
  virtual void set_subscript(Interpreter& in, const Value& object, const Value& index,
                             const Value& value, const Place& place) const = 0;
  virtual Value unary(Interpreter& in, const std::string& op, const Value& value) const = 0;
  virtual Value binary(Interpreter& in, const std::string& op, const Value& left,
                       const Value& right, const Place& place) const = 0;
  /// What iterating over it gives.
  virtual Value item_of(Interpreter& in, const Value& value) const = 0;

  /// Puts a module with all that is in it on a device; its element type is not known afterwards.
  virtual void settle(Interpreter& in, Module& module, const Device& device) const = 0;
  /// Something that is not known got hold of these: modules among them may be anywhere now.
  virtual void let_go(Interpreter& in, const Invocation& call) const = 0;
};

}  // namespace sinter::lint
