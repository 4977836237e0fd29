#include "sinter/lint/library/torch/modules.h"
#include "sinter/lint/tensors/moves.h"

namespace sinter::lint {

Value accelerator_method(Interpreter& in, const Thing& accelerator, const std::string& name,
                         const Invocation& call) {
  if (name == "prepare" || name == "prepare_model") {
    std::vector<Value> all;
    for (const Argument& argument : call.arguments) {
      if (auto* module = as<Module>(argument.value)) {
        move_module(in, *module, Move{.device = accelerator.device, .type = {}}, call.place);
        module->autocast = accelerator.flag;
      }
      all.push_back(argument.value);
    }
    return all.size() == 1 ? all[0] : tuple(std::move(all));
  }
  if (name == "unwrap_model") return call.get(0, "model");
  if (name == "autocast") {
    auto made = std::make_shared<Thing>(Thing::What::kContext);
    made->name = "other";  // depends on the settings of the launch
    return made;
  }
  if (name == "backward") {
    in.state.gradients_used = true;
    return none();
  }
  return nullptr;
}

Value accelerator_attribute(const Thing& accelerator, const Value& self, const std::string& name) {
  if (name == "device") return device_value(accelerator.device);
  if (name.starts_with("is_")) return boolean(true);
  return std::make_shared<Bound>(self, name);
}

}  // namespace sinter::lint
