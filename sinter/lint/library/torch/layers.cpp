#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinter/lint/library/library.h"
#include "sinter/lint/library/torch/modules.h"
#include "sinter/lint/library/torch/torch_library.h"
#include "sinter/lint/tensors/blame.h"
#include "sinter/lint/tensors/meeting.h"
#include "sinter/lint/tensors/operators.h"
#include "sinter/lint/values/containers.h"
#include "sinter/lint/values/conversions.h"

namespace sinter::lint {
namespace {

void add_child(Module& module, const std::string& name, const Value& value) {
  module.members.set(name, value);
  module.roles[name] = as<Module>(value)   ? Module::Role::kChild
                       : as<Tensor>(value) ? Module::Role::kParameter
                                           : Module::Role::kPlain;
  if (auto* child = as<Module>(value)) adopt(*child, module);
}

void append_child(Module& module, const Value& value) {
  add_child(module, fmt::format("{}", module.members.all().size()), value);
}

void fill_container(Interpreter& in, Module& module, const Invocation& call) {
  for (const Argument& argument : call.arguments) {
    if (auto* dict = as<Dict>(argument.value)) {
      for (auto& [name, value] : dict->entries.all()) add_child(module, name, value);
      for (const Value& value : dict->others) append_child(module, value);
    } else if (as<Module>(argument.value) && module.library == "Sequential") {
      append_child(module, argument.value);
    } else {
      for (const Value& value : in.items(argument.value)) append_child(module, value);
    }
  }
}

Value make_parameter(Interpreter& in, const Invocation& call, bool buffer) {
  const Value data = call.get(0, "data");
  const Facts* facts = facts_of(data);
  if (facts == nullptr) return unknown();
  in.use_load(*facts);
  auto made = std::make_shared<Tensor>(*facts);
  made->parameter = !buffer;
  made->buffer = buffer;
  made->facts.recorded.clear();
  return made;
}

std::optional<std::int64_t> whole(const Value& value) {
  const auto* found = as<Number>(value);
  return found && found->value ? std::optional(static_cast<std::int64_t>(*found->value))
                               : std::nullopt;
}

/// Runs Sequential: each on the result of the one before.
Value run_sequence(Interpreter& in, Module& module, const Invocation& call) {
  Value result = call.arguments.empty() ? unknown() : call.arguments[0].value;
  for (const auto& [name, child] : module_items(module)) {
    Invocation inner;
    inner.place = call.place;
    inner.expr = call.expr;
    inner.arguments.push_back({"", result, nullptr});
    result = in.call(child, inner);
  }
  return result;
}

}  // namespace

Value make_layer(Interpreter& in, const std::string& name, const Invocation& call) {
  if (name == "Parameter" || name == "UninitializedParameter")
    return make_parameter(in, call, false);
  if (name == "Buffer") return make_parameter(in, call, true);
  if (name == "DataParallel" || name == "DistributedDataParallel") {
    // It moves its input by itself.
    auto wrapper = make_opaque(in, name, call);
    wrapper->device = Device{};
    wrapper->dtype = std::nullopt;
    if (const Value model = call.get(0, "module")) add_child(*wrapper, "module", model);
    return wrapper;
  }
  auto made = make_opaque(in, name, call);
  made->opaque = false;
  if (name == "Sequential" || name == "ModuleList" || name == "ModuleDict" ||
      name == "ParameterList" || name == "ParameterDict") {
    fill_container(in, *made, call);
    return made;
  }
  if (const Value device = call.named("device"); device && !as<None>(device))
    made->device = device_of(device).value_or(Device{});
  if (const Value type = call.named("dtype"); type && !as<None>(type)) made->dtype = type_of(type);
  if (call.splat) made->device = Device{};
  if (name == "Linear") made->out_features = whole(call.get(1, "out_features"));
  if (name == "Embedding") made->out_features = whole(call.get(1, "embedding_dim"));
  return made;
}

namespace {

TensorShape layer_shape(const Module& module, const Facts& input) {
  const bool embedding = module.library == "Embedding";
  if (!input.shape.dims) return TensorShape::some();
  TensorShape shape = TensorShape::of_rank(input.shape.dims->size() + (embedding ? 1 : 0));
  if (!shape.dims->empty() && module.out_features) shape.dims->back().extent = module.out_features;
  if (module.library == "Flatten" || module.library == "Unflatten") return TensorShape::some();
  return shape;
}

void note_half_run(Module& module, const Facts& result, const Place& place) {
  if (module.dtype == DType::kF16 && module.device.is_cpu() && result.device.is_cpu() &&
      !module.ran_half_on_cpu.known())
    module.ran_half_on_cpu = place;
}

Value run_layer(Interpreter& in, Module& module, const Invocation& call) {
  const Layer* layer = find_layer(module.library);
  Held held;
  if (layer != nullptr) gather_parameters(module, held);
  std::vector<Facts*> inputs;
  for (const Argument& argument : call.arguments) gather_facts(argument.value, inputs);
  if (inputs.empty()) return nullptr;
  std::vector<Operand> operands = held.operands;
  for (Facts* facts : inputs)
    operands.push_back({facts, layer && layer->index ? Role::kIndex : Role::kPlain});
  const bool strict = layer != nullptr;
  Facts facts =
      meet(in, module.library, operands, strict ? Meeting::kStrict : Meeting::kJoin, call.place);
  const bool norm = layer != nullptr && !layer->one_type && !layer->index;
  // The norms take mixed types on the GPU, but not on the CPU.
  if (layer && (layer->one_type || (norm && facts.device.is_cpu())))
    for (const Facts* input : inputs)
      check_types(in, *input, module.dtype, module.library, call.place);
  facts.type = inputs.front()->type;
  if (layer != nullptr && !norm) facts.type = module.dtype;
  if (!in.state.autocast.empty()) facts.type = std::nullopt;
  facts.type_source = layer != nullptr ? module.source : inputs.front()->type_source;
  facts.shape = layer_shape(module, *inputs.front());
  facts.computed = facts.computed || layer != nullptr;
  if (!in.gradients_on()) facts.recorded.clear();
  if (layer != nullptr) note_half_run(module, facts, call.place);
  if (layer != nullptr && layer->several)
    return std::make_shared<Bundle>(Bundle::Use::kOutput, std::move(facts));
  return tensor(std::move(facts));
}

}  // namespace

void record_loop(Interpreter& in, const Module& module, const Invocation& call,
                 const Value& result) {
  if (!in.gradients_on() || !module.trainable || in.state.loops.empty()) return;
  if (in.state.exporting != nullptr) return;
  std::vector<Facts*> inputs;
  for (const Argument& argument : call.arguments) gather_facts(argument.value, inputs);
  for (const Loop& loop : in.state.loops) {
    for (const Facts* input : inputs) {
      const bool feeds =
          std::any_of(input->recorded.begin(), input->recorded.end(), [&](const LoopTurn& before) {
            return before.loop == loop.id && before.turn < loop.turn && before.module == &module;
          });
      if (!feeds) continue;
      const bool known =
          std::any_of(in.loop_findings.begin(), in.loop_findings.end(),
                      [&](const Finding& finding) { return finding.use == loop.place; });
      if (known) break;
      in.loop_findings.push_back(
          {.rule = Rule::kLoopWithoutNoGrad,
           .place = call.place,
           .use = loop.place,
           .message = "every turn of the loop keeps its graph alive, because gradients are "
                      "recorded; put torch.no_grad() or inference_mode() around it",
           .edit = {}});
      break;
    }
  }
  std::vector<Facts*> outputs;
  gather_facts(result, outputs);
  for (Facts* output : outputs)
    for (const Loop& loop : in.state.loops)
      output->recorded.push_back({.loop = loop.id, .turn = loop.turn, .module = &module});
}

Value call_module(Interpreter& in, const Value& self, const Invocation& call) {
  auto& module = *as<Module>(self);
  Value result;
  struct Autocast {
    std::vector<Place>& contexts;
    const std::size_t before;
    ~Autocast() { contexts.resize(std::min(contexts.size(), before)); }
  } autocast{in.state.autocast, in.state.autocast.size()};
  if (module.autocast) in.state.autocast.push_back(call.place);
  const Value forward = class_member(module.type, "forward");
  const Value* given = module.members.find("forward");
  if (given != nullptr && !as<Bound>(*given)) {
    result = in.call(*given, call);
  } else if (as<Function>(forward)) {
    auto bound = std::make_shared<Bound>(self, "forward");
    bound->function = forward;
    struct Depth {
      int& depth;
      explicit Depth(int& d) : depth(d) { ++depth; }
      ~Depth() { --depth; }
    } depth(in.state.forward_depth);
    result = in.call(bound, call);
  } else if (module.library == "Sequential") {
    struct Depth {
      int& depth;
      explicit Depth(int& d) : depth(d) { ++depth; }
      ~Depth() { --depth; }
    } depth(in.state.forward_depth);
    result = run_sequence(in, module, call);
  } else if (module.opaque) {
    result = run_opaque(in, module, "forward", call);
  } else {
    result = run_layer(in, module, call);
  }
  if (in.state.forward_depth == 0 && result) record_loop(in, module, call, result);
  return result;
}

}  // namespace sinter::lint
