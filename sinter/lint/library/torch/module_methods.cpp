#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "sinter/lint/library/library.h"
#include "sinter/lint/library/torch/modules.h"
#include "sinter/lint/tensors/moves.h"
#include "sinter/lint/values/containers.h"

namespace sinter::lint {
namespace {

struct Walk {
  std::vector<std::pair<std::string, Value>> modules;  // itself first
  std::vector<std::pair<std::string, Value>> parameters;
  std::vector<std::pair<std::string, Value>> buffers;
  bool open = false;  // a library's model has more
};

void walk(const Value& value, const std::string& prefix, Walk& into,
          std::set<const Module*>& seen) {
  auto& module = *as<Module>(value);
  if (!seen.insert(&module).second) return;
  into.modules.emplace_back(prefix, value);
  const std::string dot = prefix.empty() ? "" : prefix + ".";
  if (module.opaque) {
    into.open = true;
    if (module.roles.find("weight") == module.roles.end() && module.members.empty())
      parameter_of(module, "\x01weight");
  } else if (const Layer* layer = find_layer(module.library);
             layer && layer->parameters && module.members.empty()) {
    parameter_of(module, "weight");
    parameter_of(module, "bias");
  }
  for (auto& [name, member] : module.members.all()) {
    const auto role = module.roles.find(name);
    if (role == module.roles.end()) continue;
    if (role->second == Module::Role::kParameter && as<Tensor>(member))
      into.parameters.emplace_back(dot + name, member);
    if (role->second == Module::Role::kBuffer && as<Tensor>(member))
      into.buffers.emplace_back(dot + name, member);
    if (role->second == Module::Role::kChild && as<Module>(member))
      walk(member, dot + name, into, seen);
  }
}

Value pairs(const std::vector<std::pair<std::string, Value>>& all, bool named, bool open) {
  auto made = std::make_shared<Sequence>(Sequence::Type::kList);
  made->open = open;
  for (const auto& [name, value] : all)
    made->items.push_back(named ? tuple({text(open ? "\x01" : name), value}) : value);
  return made;
}

Value parameters(Interpreter& in, Module& module, const Walk& all, bool named,
                 const Invocation& call) {
  // The first one is asked for its device; where parts differ that says nothing about the rest.
  Value made = pairs(all.parameters, named, all.open);
  auto& sequence = *as<Sequence>(made);
  if (named || sequence.items.empty() || !is_spread(module)) return made;
  auto first = std::make_shared<Tensor>(*as<Tensor>(sequence.items.front()));
  auto source = std::make_shared<Source>();
  source->kind = SourceKind::kFirstParameter;
  source->place = call.place;
  source->expr = call.expr;
  source->name = module.spread ? "spread" : "";
  first->facts.source = source;
  sequence.items.front() = first;
  (void)in;
  return made;
}

Value state_dict(Module& module) {
  Facts facts;
  facts.device = module.device;
  facts.type = module.dtype;
  facts.source = module.source;
  return std::make_shared<Bundle>(Bundle::Use::kLoaded, std::move(facts));
}

/// The members of a model that were asked for by their path.
Value by_path(Interpreter& in, const Value& self, const Value& path, const Place& place) {
  const auto* word = as<Text>(path);
  Value at = self;
  if (word == nullptr || !word->exact()) return unknown();
  std::size_t begin = 0;
  while (begin <= word->text.size() && as<Module>(at)) {
    const std::size_t end = std::min(word->text.find('.', begin), word->text.size());
    if (end > begin) at = in.attribute(at, word->text.substr(begin, end - begin), place);
    begin = end + 1;
  }
  return at;
}

/// Calls `body` for a module and all that is registered in it, once each.
void each_module(Module& module, const std::function<void(Module&)>& body,
                 std::set<const Module*>& seen) {
  if (!seen.insert(&module).second) return;
  body(module);
  for (auto& [name, value] : module.members.all()) {
    const auto role = module.roles.find(name);
    if (role != module.roles.end() && role->second == Module::Role::kChild)
      if (auto* child = as<Module>(value)) each_module(*child, body, seen);
  }
}

void mark_trainable(Module& module, bool on) {
  std::set<const Module*> seen;
  each_module(
      module, [&](Module& each) { each.trainable = on; }, seen);
}

void mark_training(Module& module, bool on) {
  std::set<const Module*> seen;
  each_module(
      module, [&](Module& each) { each.training = on; }, seen);
}

Value offload(Module& module) {
  module.spread = true;
  module.device = Device{};
  return none();
}

Value register_member(Module& module, const std::string& method, const Invocation& call) {
  const auto* name = as<Text>(call.get(0, "name"));
  const Value value = call.get(1, "module");
  if (name == nullptr || !value) return none();
  module.members.set(name->text, value);
  module.roles[name->text] =
      method == "register_parameter" ? Module::Role::kParameter : Module::Role::kChild;
  if (auto* held = as<Tensor>(value); held && !module.ready && held->facts.device.is_cpu())
    held->facts.source = module.source;
  if (auto* child = as<Module>(value); child && !module.ready) adopt(*child, module);
  return none();
}

Value grow(Interpreter& in, const Value& self, Module& module, const std::string& method,
           const Invocation& call) {
  in.may_hold_itself(self);
  const Value given = call.get(method == "insert" ? 1 : 0, "module");
  const std::vector<Value> all = method == "extend" ? in.items(given) : std::vector<Value>{given};
  for (const Value& value : all) {
    const std::string name = fmt::format("{}", module.members.all().size());
    module.members.set(name, value);
    module.roles[name] = as<Module>(value) ? Module::Role::kChild : Module::Role::kParameter;
    if (auto* child = as<Module>(value); child && !module.moved) adopt(*child, module);
  }
  return none();
}

Value listing(Interpreter& in, const Value& self, const std::string& name, const Invocation& call) {
  auto& module = *as<Module>(self);
  static constexpr std::array kListings{
      "parameters", "named_parameters", "buffers", "named_buffers", "modules", "named_modules",
      "children",   "named_children",   "items",   "values",        "keys"};
  if (std::find(kListings.begin(), kListings.end(), name) == kListings.end()) return nullptr;
  const bool named = name.starts_with("named_") || name == "items";
  Walk all;
  std::set<const Module*> seen;
  walk(self, "", all, seen);
  if (name.ends_with("parameters")) return parameters(in, module, all, named, call);
  if (name.ends_with("buffers")) return pairs(all.buffers, named, all.open);
  if (name == "keys") {
    std::vector<Value> names;
    for (const auto& [key, value] : module_items(module)) names.push_back(text(key));
    return list(std::move(names));
  }
  if (name.ends_with("modules")) {
    if (module.opaque) {
      // One of its layers stands for all of them.
      const Value part = module_attribute(in, self, "\x01layer", call.place);
      all.modules.emplace_back("\x01", part);
    }
    return pairs(all.modules, named, all.open);
  }
  if (module.opaque && module_items(module).empty())
    module_attribute(in, self, "\x01layer", call.place);
  return pairs(module_items(module), named, module.opaque);
}

bool is_move(const std::string& name) {
  static constexpr std::array kMoves{"to",     "cuda",     "cpu",      "half", "float",
                                     "double", "bfloat16", "to_empty", "xpu",  "type"};
  return std::find(kMoves.begin(), kMoves.end(), name) != kMoves.end();
}

Value structural(Interpreter& in, const Value& self, const std::string& name,
                 const Invocation& call) {
  auto& module = *as<Module>(self);
  if (name == "super.__init__" || name == "__init__") return none();
  if (name == "register_buffer") {
    register_buffer(in, module, call);
    return none();
  }
  if (name == "register_parameter" || name == "add_module" || name == "register_module") {
    in.may_hold_itself(self);
    return register_member(module, name, call);
  }
  if (name == "append" || name == "extend" || name == "insert")
    return grow(in, self, module, name, call);
  if (name == "get_submodule" || name == "get_parameter" || name == "get_buffer")
    return by_path(in, self, call.get(0, "target"), call.place);
  if (name == "state_dict") return state_dict(module);
  if (name == "load_state_dict") {
    std::vector<Facts*> given;
    gather_facts(call.get(0, "state_dict"), given);
    for (const Facts* facts : given) in.use_load(*facts);
    return tuple({list({}), list({})});
  }
  if (name == "get_input_embeddings" || name == "get_output_embeddings")
    return module_attribute(in, self, "embed_tokens", call.place);
  if (name == "resize_token_embeddings")
    return module_attribute(in, self, "embed_tokens", call.place);
  return nullptr;
}

}  // namespace

Value module_method(Interpreter& in, const Value& self, const std::string& name,
                    const Invocation& call) {
  auto& module = *as<Module>(self);
  if (name == "super.forward" || name == "super.__call__")
    return module.opaque ? run_opaque(in, module, "forward", call) : nullptr;
  if (name.starts_with("super.") && name != "super.__init__")
    return module_method(in, self, name.substr(6), call);
  if (is_move(name)) {
    const Move move = read_move(in, name, call);
    move_module(in, module, move, call.place);
    // A class that takes part in moving looks after its tensors by itself.
    if (class_member(module.type, "_apply"))
      for (auto& [attribute, value] : module.members.all())
        if (auto* held = as<Tensor>(value); held && move.device) held->facts.device = *move.device;
    return self;
  }
  if (name == "eval" || name == "train") {
    const Value mode = call.get(0, "mode");
    mark_training(module, name == "train" && (!mode || in.truth(mode) != std::optional(false)));
    return self;
  }
  if (name == "requires_grad_") {
    const Value on = call.get(0, "requires_grad");
    mark_trainable(module, !on || in.truth(on) != std::optional(false));
    return self;
  }
  if (name == "forward" || name == "__call__") return call_module(in, self, call);
  if (Value made = structural(in, self, name, call)) return made;
  if (Value made = listing(in, self, name, call)) return made;
  if (name.ends_with("_offload") || name.starts_with("enable_group_offload"))
    return offload(module);
  if (name == "save_pretrained" || name == "save_lora_weights" || name == "push_to_hub")
    check_output_path(in, call.get(0, "save_directory"), call.place);
  static constexpr std::array kSilent{"enable_",
                                      "disable_",
                                      "set_",
                                      "save_",
                                      "push_to_",
                                      "zero_grad",
                                      "compile",
                                      "load_",
                                      "fuse_",
                                      "unfuse_",
                                      "gradient_checkpointing",
                                      "register_forward",
                                      "register_full",
                                      "add_adapter",
                                      "delete_"};
  for (const std::string_view prefix : kSilent)
    if (name.starts_with(prefix)) return none();
  if (name == "apply" || name == "share_memory" || name == "merge_and_unload" ||
      name == "to_bettertransformer")
    return self;
  if (name == "num_parameters") return number(std::nullopt);
  if (module.opaque) {
    Value result = run_opaque(in, module, name, call);
    if (in.state.forward_depth == 0 && result) record_loop(in, module, call, result);
    return result;
  }
  return nullptr;
}

namespace {

bool is_parameter_name(const std::string& name) {
  static constexpr std::array kNames{"weight",   "bias",        "class_embedding", "weight_g",
                                     "weight_v", "logit_scale", "in_proj_weight",  "in_proj_bias"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// Methods of models that are asked for as attributes; every other name is taken for a member.
bool is_method_name(const std::string& name) {
  static constexpr std::array kNames{"eval",
                                     "train",
                                     "parameters",
                                     "named_parameters",
                                     "buffers",
                                     "named_buffers",
                                     "modules",
                                     "named_modules",
                                     "children",
                                     "named_children",
                                     "state_dict",
                                     "load_state_dict",
                                     "forward",
                                     "encode",
                                     "decode",
                                     "generate",
                                     "apply",
                                     "zero_grad",
                                     "requires_grad_",
                                     "compile",
                                     "register_buffer",
                                     "register_parameter",
                                     "register_module",
                                     "add_module",
                                     "get_submodule",
                                     "get_parameter",
                                     "get_buffer",
                                     "get_input_embeddings",
                                     "get_output_embeddings",
                                     "resize_token_embeddings",
                                     "num_parameters",
                                     "tiled_decode",
                                     "tiled_encode",
                                     "embed",
                                     "get_time_embed",
                                     "append",
                                     "extend",
                                     "insert",
                                     "items",
                                     "values",
                                     "keys",
                                     "share_memory",
                                     "merge_and_unload",
                                     "gradient_checkpointing_enable",
                                     "gradient_checkpointing_disable",
                                     "to_bettertransformer",
                                     "prefix_decode",
                                     "__call__",
                                     "encode_image",
                                     "encode_text"};
  if (is_move(name)) return true;
  if (std::find(kNames.begin(), kNames.end(), name) != kNames.end()) return true;
  for (const std::string_view prefix :
       {"enable_", "disable_", "set_", "save_", "load_", "get_", "fuse_", "unfuse_", "push_to_",
        "from_", "register_", "add_", "delete_"})
    if (name.starts_with(prefix)) return true;
  return false;
}

}  // namespace

Value module_attribute(Interpreter& in, const Value& self, const std::string& name,
                       const Place& place) {
  auto& module = *as<Module>(self);
  if (const Value* found = module.members.find(name)) return *found;
  if (name == "training") return boolean(module.training);
  if (name == "T_destination" || name == "hf_device_map") return unknown();
  if (name == "device" && module.opaque) {
    Held held;
    gather_parameters(module, held);
    Value home = device_value(module.spread || held.storage.empty() ? Device{}
                                                                    : held.storage.front().device);
    as<DeviceValue>(home)->of = module.source;
    return home;
  }
  if (name == "dtype" && module.opaque) return type_value(module.dtype);
  if (name == "config") return unknown(in.key_at(module.place) + ".config");
  if (name == "data" || name == "shape") return unknown();
  if (is_method_name(name)) return std::make_shared<Bound>(self, name);
  const Layer* layer = find_layer(module.library);
  if (layer != nullptr && is_parameter_name(name)) return parameter_of(module, name);
  if (!module.opaque || module.type)
    return module.type ? unknown(in.key_at(module.place) + "." + name) : unknown();
  if (is_parameter_name(name)) return parameter_of(module, name);
  if (name.ends_with("_channels") || name.ends_with("_size") || name.ends_with("_features") ||
      name.ends_with("_dim") || name.starts_with("num_"))
    return number(std::nullopt);
  auto child = std::make_shared<Module>();
  child->opaque = true;
  child->library = "part";
  child->place = module.place;
  child->created = module.created;
  child->device = module.device;
  child->dtype = module.dtype;
  child->source = module.source;
  child->training = module.training;
  child->trainable = module.trainable;
  child->moved = module.moved;
  child->ready = true;
  child->spread = module.spread;
  module.members.set(name, child);
  module.roles[name] = Module::Role::kChild;
  (void)place;
  return child;
}

}  // namespace sinter::lint
