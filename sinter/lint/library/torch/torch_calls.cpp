#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinter/lint/library/library.h"
#include "sinter/lint/library/torch/torch_library.h"
#include "sinter/lint/tensors/arithmetic.h"
#include "sinter/lint/tensors/blame.h"
#include "sinter/lint/tensors/meeting.h"
#include "sinter/lint/tensors/moves.h"
#include "sinter/lint/tensors/operators.h"
#include "sinter/lint/values/containers.h"
#include "sinter/lint/values/conversions.h"

namespace sinter::lint {
namespace {

Value make_generator(Interpreter& in, const Invocation& call) {
  auto made = std::make_shared<Thing>(Thing::What::kGenerator);
  made->place = call.place;
  const Value device = call.get(0, "device");
  made->device = device ? settled(in, device_of(device).value_or(Device{})) : Device::cpu();
  return made;
}

Value torch_device(Interpreter& in, const Invocation& call) {
  const Value first = call.get(0, "type");
  const Value given = first ? first : call.named("device");
  if (const auto* old = as<DeviceValue>(given)) {
    auto made = std::make_shared<DeviceValue>(*old);
    return made;
  }
  Device device = given ? device_of(given).value_or(Device{}) : Device{};
  if (const auto* index = as<Number>(call.get(1, "index")); index && device.is_cuda())
    device.index = index->value ? static_cast<int>(*index->value) : Device::kUnknownIndex;
  Value made = device_value(device);
  made->place = call.place;
  (void)in;
  return made;
}

Value set_default_device(Interpreter& in, const Invocation& call) {
  const Value device = call.get(0, "device");
  in.state.default_devices.clear();
  if (device && !as<None>(device))
    in.state.default_devices.push_back(device_of(device).value_or(Device{}));
  return none();
}

Value set_default_type(Interpreter& in, const Invocation& call) {
  const Value type = call.get(0, "t");
  const auto* word = as<Text>(type);
  const auto* library = as<Library>(type);
  const std::string name = word ? word->text : library ? library->path : "";
  if (name.find("cuda") != std::string::npos) {
    in.state.default_devices.assign(1, Device::cuda());
    in.state.legacy_default = true;
  } else if (!name.empty()) {
    in.state.default_devices.clear();
    in.state.legacy_default = false;
  }
  if (name.find("Half") != std::string::npos) in.state.default_type = DType::kF16;
  return none();
}

Value set_grad_enabled(Interpreter& in, const Invocation& call) {
  const std::optional<bool> on = in.truth(call.get(0, "mode"));
  if (in.statement_is_call(call)) {
    in.state.gradients_off = on == std::optional(false);
    return none();
  }
  return make_context(on == std::optional(false) ? "no_grad" : "other");
}

Value autocast(Interpreter& in, const Invocation& call) {
  auto made = std::make_shared<Thing>(Thing::What::kContext);
  made->name = "autocast";
  made->place = call.place;
  Value enabled = call.named("enabled");
  made->flag = enabled && in.truth(enabled) == std::optional(false);
  return made;
}

Value cuda_call(Interpreter& in, const std::string& name, const Invocation& call) {
  // The script is read for a machine that has what it asks for.
  if (name == "is_available" || name == "is_bf16_supported") return boolean(true);
  if (name == "set_device") {
    const auto device = device_of(call.get(0, "device"));
    if (device && device->is_cuda() && device->index >= 0) in.state.current_cuda = device->index;
    return none();
  }
  if (name == "current_device") {
    return number(in.state.current_cuda);
  }
  if (name == "device") {
    auto made = std::make_shared<Thing>(Thing::What::kContext);
    made->name = "cuda_device";
    made->device = device_of(call.get(0, "device")).value_or(Device{});
    return made;
  }
  if (name == "Stream" || name == "stream" || name == "Event" || name == "CUDAGraph" ||
      name == "graph")
    return unknown();
  return nullptr;
}

/// torch.max(x), torch.max(x, dim) and torch.max(x, y).
Value extremum(Interpreter& in, const Invocation& call) {
  const Value first = call.get(0, "input");
  const Value other = call.get(1, "other");
  if (facts_of(other)) return tensor_binary(in, "+", first, other, call.place);
  if (!facts_of(first)) return nullptr;
  Facts facts = *facts_of(first);
  if (call.get(1, "dim")) return std::make_shared<Bundle>(Bundle::Use::kOutput, facts);
  facts.shape = TensorShape::scalar();
  return tensor(facts);
}

Value where(Interpreter& in, const Invocation& call) {
  std::vector<Operand> operands;
  for (const Argument& argument : call.arguments)
    if (Facts* facts = facts_of(argument.value)) operands.push_back({facts, Role::kPlain});
  if (operands.empty()) return nullptr;
  Facts facts = meet(in, "where()", operands, Meeting::kJoin, call.place);
  facts.shape = operands.front().facts->shape;
  for (const Operand& operand : operands)
    facts.shape = broadcast(facts.shape, operand.facts->shape);
  const Facts* branch = facts_of(call.get(1, "input"));
  facts.type = branch ? branch->type : std::nullopt;
  if (call.arguments.size() == 1) return std::make_shared<Bundle>(Bundle::Use::kOutput, facts);
  return tensor(facts);
}

Value jit_or_compile(Interpreter& in, const std::string& name, const Invocation& call) {
  const Value model = call.get(0, "model");
  if (name == "jit.trace" && as<Module>(model)) {
    const Value given = call.get(1, "example_inputs");
    Invocation inner;
    inner.place = call.place;
    if (const auto* several = as<Sequence>(given)) {
      for (const Value& item : several->items) inner.arguments.push_back({"", item, nullptr});
    } else if (given) {
      inner.arguments.push_back({"", given, nullptr});
    }
    call_module(in, model, inner);
  }
  return model ? model : unknown();
}

Value jit_load(const Invocation& call) {
  auto made = std::make_shared<Module>();
  made->opaque = true;
  made->library = "ScriptModule";
  made->training = false;
  made->trainable = false;
  made->place = call.place;
  made->created = call.expr;
  const Value where_to = call.get(1, "map_location");
  made->device =
      where_to && !as<None>(where_to) ? device_of(where_to).value_or(Device{}) : Device{};
  made->source = module_source(*made);
  made->ready = true;
  return made;
}

/// Functions of torch that do something else than compute on tensors.
Value special(Interpreter& in, const std::string& name, const Invocation& call) {
  if (name == "device") return torch_device(in, call);
  if (name == "Generator") return make_generator(in, call);
  if (name == "manual_seed" || name == "cuda.manual_seed" || name == "cuda.manual_seed_all") {
    auto made = std::make_shared<Thing>(Thing::What::kGenerator);
    made->device = Device::cpu();
    return name == "manual_seed" ? Value(made) : none();
  }
  if (name == "no_grad" || name == "inference_mode") {
    const Value mode = call.get(0, "mode");
    if (const auto* decorated = as<Function>(mode)) {
      auto wrapped = std::make_shared<Function>(*decorated);
      wrapped->contexts.push_back(make_context("no_grad"));
      return wrapped;
    }
    return make_context(mode && in.truth(mode) == std::optional(false) ? "other" : "no_grad");
  }
  if (name == "enable_grad") return make_context("enable_grad");
  if (name == "set_grad_enabled") return set_grad_enabled(in, call);
  if (name == "autocast") return autocast(in, call);
  if (name == "set_default_device") return set_default_device(in, call);
  if (name == "set_default_tensor_type") return set_default_type(in, call);
  if (name == "set_default_dtype") {
    in.state.default_type = type_of(call.get(0, "d"));
    return none();
  }
  if (name == "get_default_device") return device_value(in.default_device());
  if (name == "get_default_dtype") return type_value(in.state.default_type);
  if (name == "load") return load_tensors(in, call, true);
  if (name == "save") {
    check_output_path(in, call.get(1, "f"), call.place);
    return none();
  }
  if (name == "is_tensor") {
    const Value value = call.get(0, "obj");
    if (as<Unknown>(value) || as<Bundle>(value)) return unknown();
    return boolean(as<Tensor>(value) != nullptr);
  }
  if (name == "compile" || name == "jit.trace" || name == "jit.script" ||
      name == "jit.optimize_for_inference" || name == "jit.freeze" || name == "ao.quantization")
    return jit_or_compile(in, name, call);
  if (name == "jit.load") return jit_load(call);
  if (name == "onnx.export") return export_onnx(in, call);
  if (name == "max" || name == "min") return extremum(in, call);
  if (name == "where") return where(in, call);
  if (name == "autograd.grad") {
    in.state.gradients_used = true;
    return nullptr;
  }
  if (name == "finfo" || name == "iinfo") return unknown();
  if (name == "Size") return call.get(0, "size") ? call.get(0, "size") : unknown();
  return nullptr;
}

bool is_like(std::string_view name) { return name.ends_with("_like"); }

/// A function that no table knows: its result is where its operands are, if that is one place.
Value general(Interpreter& in, const Invocation& call) {
  std::vector<Facts*> all;
  for (const Argument& argument : call.arguments) gather_facts(argument.value, all);
  if (all.empty()) return nullptr;
  Facts facts;
  facts.device = all.front()->device;
  facts.source = all.front()->source;
  for (const Facts* each : all)
    if (relation(each->device, facts.device) != Relation::kSame) facts.device = Device{};
  facts.shape = TensorShape::anything();
  (void)in;
  return std::make_shared<Bundle>(Bundle::Use::kOutput, facts);
}

Value torch_function(Interpreter& in, const std::string& name, const Invocation& call) {
  if (Value made = special(in, name, call)) return made;
  if (is_factory(name)) return make_tensor(in, name, call);
  const std::size_t dot = name.rfind('.');
  const std::string last = dot == std::string::npos ? name : name.substr(dot + 1);
  if (dot == std::string::npos && is_like(name)) return make_like(in, name, call);
  if (name.starts_with("cuda.")) {
    if (Value made = cuda_call(in, last, call)) return made;
    return in.unknown_at(call.place);
  }
  if (name.starts_with("nn.init."))
    return call.get(0, "tensor") ? call.get(0, "tensor") : unknown();
  if (name.starts_with("nn.utils."))
    return call.get(0, "module") ? call.get(0, "module") : unknown();
  if (name.starts_with("nn.functional.") || name.starts_with("linalg.") ||
      name.starts_with("special.") || name.starts_with("fft.") || dot == std::string::npos) {
    if (const Operator* op = find_operator(last)) {
      const bool in_place = last.back() == '_' && op->name != last;
      Value first = in_place ? call.get(0, "input") : nullptr;
      Invocation rest = call;
      if (in_place && first) rest.arguments.erase(rest.arguments.begin());
      if (Value made = run_operator(in, *op, in_place, first, rest)) return made;
      return in.unknown_at(call.place);
    }
    if (Value made = general(in, call)) return made;
    return in.unknown_at(call.place);
  }
  if (name.starts_with("Tensor.") && !call.arguments.empty() && facts_of(call.arguments[0].value)) {
    Invocation rest = call;
    rest.arguments.erase(rest.arguments.begin());
    return tensor_method(in, call.arguments[0].value, last, rest);
  }
  if (name.starts_with("nn.")) return make_layer(in, last, call);
  return nullptr;
}

}  // namespace

Value make_context(const std::string& name) {
  auto made = std::make_shared<Thing>(Thing::What::kContext);
  made->name = name;
  return made;
}

Value call_torch(Interpreter& in, const std::string& path, const Invocation& call) {
  if (path == "safetensors.torch.load_file" || path == "safetensors.torch.load")
    return load_tensors(in, call, false);
  if (path == "safetensors.torch.save_file" || path == "safetensors.torch.save_model")
    check_output_path(in, call.get(1, "filename"), call.place);
  if (path == "safetensors.torch.load_model" || path == "safetensors.torch.save_file" ||
      path == "safetensors.torch.save_model")
    return tuple({unknown(), unknown()});
  if (path == "safetensors.safe_open") {
    auto made = std::make_shared<Thing>(Thing::What::kOther);
    made->name = "safe_open";
    const Value device = call.get(2, "device");
    made->device = device ? device_of(device).value_or(Device{}) : Device::cpu();
    made->place = call.place;
    made->created = call.expr;
    return made;
  }
  if (!path.starts_with("torch.")) return nullptr;
  return torch_function(in, path.substr(6), call);
}

}  // namespace sinter::lint
