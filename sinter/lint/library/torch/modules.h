#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinter/lint/tensors/meeting.h"
#include "sinter/lint/tensors/moves.h"

namespace sinter::lint {

/// What a layer of torch.nn does with its input.
struct Layer {
  std::string_view name;
  bool parameters = true;
  bool one_type = false;  // float input of another type than the weights is refused
  bool index = false;     // the input picks rows of the weights
  bool several = false;   // gives a tuple
};
const Layer* find_layer(std::string_view name);

/// A module of a library that came out of a call.
std::shared_ptr<Module> make_opaque(Interpreter& in, std::string library, const Invocation& call);

/// Every parameter and buffer that is known of a module, and one for those that are not.
struct Held {
  std::vector<Facts> storage;
  std::vector<Operand> operands;
};
void gather_parameters(Module& module, Held& into);

/// Runs a library's model or layer on its arguments. `method` is "forward", "encode", ...
Value run_opaque(Interpreter& in, Module& module, const std::string& method,
                 const Invocation& call);

/// Moves a module with everything that is registered in it.
void move_module(Interpreter& in, Module& module, const Move& move, const Place& place);

/// A module that became part of another while that was made: whoever made the whole is to be asked.
void adopt(Module& child, const Module& parent);

/// The tensor of a parameter that was asked for by name.
Value parameter_of(Module& module, const std::string& name);

/// Notes that a loop computes with gradients, and reports when it feeds on its own results.
void record_loop(Interpreter& in, const Module& module, const Invocation& call,
                 const Value& result);

/// Module.register_buffer().
void register_buffer(Interpreter& in, Module& module, const Invocation& call);

/// The devices of what is registered differ, or a device map spreads it.
bool is_spread(Module& module);

}  // namespace sinter::lint
