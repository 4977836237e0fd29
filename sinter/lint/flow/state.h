#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/lint/values/callable.h"
#include "sinter/lint/values/device.h"

namespace sinter::lint {

/// A call with its arguments evaluated.
struct Invocation {
  std::vector<Argument> arguments = {};
  const Expr* expr = nullptr;  // the call; null when the interpreter calls by itself
  Place place = {};

  /// By position or by name; null when it was not given.
  Value get(std::size_t position, std::string_view name) const;
  Value named(std::string_view name) const { return get(kNowhere, name); }
  const Argument* find(std::size_t position, std::string_view name) const;
  bool splat = false;  // arguments came from something that is not known

  static constexpr std::size_t kNowhere = 1000;
};

/// Names of a module, a function call or a class body.
struct Scope {
  std::map<std::string, Value, std::less<>> names;
  std::shared_ptr<Scope> parent;  // shared by the functions defined in it
};

/// A call of a function of the script.
struct Frame {
  const FunctionDef* definition = nullptr;  // null at module level
  Class* owner = nullptr;
  Value self;
  std::shared_ptr<Scope> scope;  // shared with the functions defined in it
  Place called;
  const Expr* call = nullptr;
  bool in_forward = false;
  bool in_class = false;  // runs the body of a class
  std::set<std::string, std::less<>> globals;
  Value result;
  const std::function<void(Value)>* yield = nullptr;
  int loop_depth = 0;  // of the loops around the call
};

struct Loop {
  int id = 0;
  int turn = 0;
  Place place;
  bool exact = false;  // every turn is read
};

/// What is in force while a script runs, and what was seen on the way.
struct State {
  std::vector<Device> default_devices;  // innermost last; from contexts and set_default_device
  bool legacy_default = false;          // set_default_tensor_type: torch.Tensor() follows it
  int gradient_free = 0;                // nested no_grad and inference_mode
  std::vector<Place> autocast;          // contexts in force
  std::vector<Loop> loops;
  int next_loop = 0;
  int forward_depth = 0;
  const Invocation* exporting = nullptr;
  int options = 0;        // nested branches that are taken under unknown conditions
  bool degraded = false;  // an exception was survived: what is on which device is a guess
  bool alone = false;     // a function that the script does not call: its callers are not known
  bool gradients_used = false;  // backward() was called: this trains
  bool gradients_off = false;   // set_grad_enabled(False)
  Place torch_imported;
  int current_cuda = 0;
  std::optional<DType> default_type = DType::kF32;
};

}  // namespace sinter::lint
