#include "sinter/lint/library/torch/modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "sinter/lint/library/library.h"
#include "sinter/lint/library/torch/torch_library.h"
#include "sinter/lint/tensors/blame.h"
#include "sinter/lint/tensors/moves.h"
#include "sinter/lint/values/containers.h"
#include "sinter/lint/values/element_types.h"

namespace sinter::lint {
namespace {

constexpr std::array kLayers{
    Layer{.name = "Linear", .one_type = true},
    Layer{.name = "LazyLinear", .one_type = true},
    Layer{.name = "Bilinear", .one_type = true},
    Layer{.name = "Conv1d", .one_type = true},
    Layer{.name = "Conv2d", .one_type = true},
    Layer{.name = "Conv3d", .one_type = true},
    Layer{.name = "ConvTranspose1d", .one_type = true},
    Layer{.name = "ConvTranspose2d", .one_type = true},
    Layer{.name = "ConvTranspose3d", .one_type = true},
    Layer{.name = "LayerNorm"},
    Layer{.name = "GroupNorm"},
    Layer{.name = "RMSNorm"},
    Layer{.name = "BatchNorm1d"},
    Layer{.name = "BatchNorm2d"},
    Layer{.name = "BatchNorm3d"},
    Layer{.name = "InstanceNorm1d", .parameters = false},
    Layer{.name = "InstanceNorm2d", .parameters = false},
    Layer{.name = "Embedding", .index = true},
    Layer{.name = "EmbeddingBag", .index = true},
    Layer{.name = "MultiheadAttention", .one_type = true, .several = true},
    Layer{.name = "TransformerEncoderLayer", .one_type = true},
    Layer{.name = "TransformerEncoder", .one_type = true},
    Layer{.name = "TransformerDecoderLayer", .one_type = true},
    Layer{.name = "Transformer", .one_type = true},
    Layer{.name = "LSTM", .one_type = true, .several = true},
    Layer{.name = "GRU", .one_type = true, .several = true},
    Layer{.name = "RNN", .one_type = true, .several = true},
    Layer{.name = "PReLU"},
};

}  // namespace

const Layer* find_layer(std::string_view name) {
  const auto found = std::find_if(kLayers.begin(), kLayers.end(),
                                  [&](const Layer& row) { return row.name == name; });
  return found == kLayers.end() ? nullptr : found;
}

std::shared_ptr<Module> make_opaque(Interpreter& in, std::string library, const Invocation& call) {
  auto made = std::make_shared<Module>();
  made->library = std::move(library);
  made->opaque = true;
  made->place = call.place;
  made->created = call.expr;
  made->device = in.default_device();
  made->dtype = in.state.default_type;
  made->source = module_source(*made);
  made->ready = true;
  return made;
}

Value parameter_of(Module& module, const std::string& name) {
  Facts facts;
  facts.device = module.device;
  facts.type = module.dtype;
  facts.source = module.source;
  facts.shape = TensorShape::some();
  auto made = std::make_shared<Tensor>(std::move(facts));
  made->parameter = true;
  module.members.set(name, made);
  module.roles[name] = Module::Role::kParameter;
  return made;
}

void gather_parameters(Module& module, Held& into) {
  std::set<const Module*> seen;
  std::vector<Facts> all;
  const std::function<void(Module&)> visit = [&](Module& each) {
    if (!seen.insert(&each).second) return;
    const Layer* layer = find_layer(each.library);
    const bool own = each.opaque || (layer != nullptr && layer->parameters);
    if (own) {
      Facts facts;
      facts.device = each.device;
      facts.type = each.dtype;
      facts.source = each.source;
      all.push_back(facts);
    }
    for (auto& [name, value] : each.members.all()) {
      const auto role = each.roles.find(name);
      if (role == each.roles.end() || role->second == Module::Role::kPlain) continue;
      if (const Facts* facts = facts_of(value)) all.push_back(*facts);
      if (auto* child = as<Module>(value)) visit(*child);
    }
  };
  visit(module);
  into.storage = std::move(all);
  for (Facts& facts : into.storage) {
    facts.shape = TensorShape::some();
    facts.recorded.clear();
    into.operands.push_back({&facts, Role::kPlain});
  }
}

bool is_spread(Module& module) {
  if (module.spread) return true;
  Held held;
  gather_parameters(module, held);
  for (const Facts& facts : held.storage)
    if (relation(facts.device, held.storage.front().device) == Relation::kDifferent) return true;
  return false;
}

namespace {

void move_tensor(Tensor& tensor, const Module& module, const Move& move) {
  if (move.device) tensor.facts.device = *move.device;
  if (is_floating(tensor.facts.type) || !tensor.facts.type) {
    if (move.type) tensor.facts.type = move.type;
    if (move.type_unknown) tensor.facts.type = std::nullopt;
  }
  if (move.device && module.source) tensor.facts.source = module.source;
}

void move_one(Module& module, const Move& move, const Place& place, std::set<const Module*>& seen,
              Place& ran_half) {
  if (!seen.insert(&module).second) return;
  if (module.ran_half_on_cpu.known()) ran_half = module.ran_half_on_cpu;
  if (move.device) {
    module.device = *move.device;
    module.moved = true;
    module.ran_half_on_cpu = {};
  }
  if (move.type && module.dtype != move.type) module.typed = place;
  if (move.type) module.dtype = move.type;
  if (move.type_unknown) module.dtype = std::nullopt;
  for (auto& [name, value] : module.members.all()) {
    const auto role = module.roles.find(name);
    if (role == module.roles.end() || role->second == Module::Role::kPlain) continue;
    if (auto* child = as<Module>(value)) {
      move_one(*child, move, place, seen, ran_half);
    } else if (auto* held = as<Tensor>(value)) {
      if (role->second == Module::Role::kParameter) {
        move_tensor(*held, module, move);
      } else {
        // Buffers become new tensors; who holds the old one keeps it where it was.
        auto moved = std::make_shared<Tensor>(*held);
        move_tensor(*moved, module, move);
        value = moved;
      }
    }
  }
}

}  // namespace

void move_module(Interpreter& in, Module& module, const Move& move, const Place& place) {
  std::set<const Module*> seen;
  Place ran_half;
  const bool back = module.device.is_accelerator() && move.device && move.device->is_cpu();
  // Whoever puts it back on the CPU is to be asked when it is used there.
  if (back && module.source) {
    auto source = std::make_shared<Source>(*module.source);
    source->place = place;
    source->expr = nullptr;
    module.source = source;
  }
  if (move.device && move.device->is_accelerator() && module.source && move.device->index > 0) {
    auto source = std::make_shared<Source>(*module.source);
    source->place = place;
    source->expr = nullptr;
    module.source = source;
  }
  const Place typed = module.typed;
  move_one(module, move, place, seen, ran_half);
  if (ran_half.known() && move.device && move.device->is_accelerator() && module.source &&
      !in.state.degraded)
    in.report(Rule::kHalfOnCpu, typed.known() ? typed : module.source->place,
              fmt::format("the half precision {} runs on the CPU in line {} before it is moved: "
                          "slow, and older releases of PyTorch lack operators for it",
                          module.source->what, ran_half.line),
              {}, ran_half);
}

void adopt(Module& child, const Module& parent) {
  if (child.source == parent.source) return;
  child.source = parent.source;
  for (auto& [name, value] : child.members.all()) {
    const auto role = child.roles.find(name);
    if (role == child.roles.end()) continue;
    if (auto* inner = as<Module>(value); inner && role->second == Module::Role::kChild)
      adopt(*inner, parent);
    if (auto* held = as<Tensor>(value);
        held && held->facts.source && held->facts.source->kind == SourceKind::kModule)
      held->facts.source = parent.source;
  }
}

namespace {

bool put_on_cpu_on_purpose(const Facts& facts) {
  if (!facts.device.is_cpu() || !facts.source) return false;
  return facts.source->kind == SourceKind::kMove ||
         facts.source->kind == SourceKind::kForwardMove || facts.source->literal_device ||
         facts.source->forced_cpu;
}

SourcePtr blamed_on(SourceKind kind, const Facts& facts, const Place& place,
                    const std::string& name) {
  auto source = std::make_shared<Source>();
  if (facts.source) source->expr = facts.source->expr;
  source->kind = kind;
  source->place = place;
  source->name = name;
  return source;
}

void set_parameter(Module& module, const std::string& name, const Value& value,
                   const Place& place) {
  auto& held = *as<Tensor>(value);
  if (!module.ready) {
    if (held.facts.device.is_cpu()) held.facts.source = module.source;
  } else if (module.moved && held.facts.device.is_cpu() &&
             (module.opaque || find_layer(module.library) || module.members.find(name))) {
    // Where there was none before, it is just a tensor that was made on the CPU.
    held.facts.source = blamed_on(SourceKind::kReplacedData, held.facts, place, name);
  }
  module.members.set(name, value);
  module.roles[name] = Module::Role::kParameter;
}

void set_buffer(Module& module, const std::string& name, const Value& value, const Place& place) {
  auto* held = as<Tensor>(value);
  module.roles[name] = Module::Role::kBuffer;
  if (held == nullptr) {
    module.members.set(name, value);
    return;
  }
  auto own = std::make_shared<Tensor>(*held);
  if (put_on_cpu_on_purpose(held->facts)) {
    own->facts.source = blamed_on(SourceKind::kForcedBuffer, held->facts, place, name);
  } else if (!module.ready && held->facts.device.is_cpu()) {
    own->facts.source = module.source;
  }
  module.members.set(name, own);
}

}  // namespace

void set_module_attribute(Interpreter& in, Module& module, const std::string& name,
                          const Value& value, const Place& place) {
  (void)in;
  const auto role = module.roles.find(name);
  if (auto* held = as<Tensor>(value)) {
    if (held->parameter) {
      set_parameter(module, name, value, place);
      return;
    }
    if (held->buffer || (role != module.roles.end() && role->second == Module::Role::kBuffer)) {
      set_buffer(module, name, value, place);
      return;
    }
    auto own = std::make_shared<Tensor>(*held);
    const bool in_forward = held->facts.source && held->facts.source->in_forward;
    if (held->facts.device.is_cpu() && !in_forward)
      own->facts.source = blamed_on(SourceKind::kAttribute, held->facts, place, name);
    module.members.set(name, own);
    module.roles[name] = Module::Role::kPlain;
    return;
  }
  if (auto* child = as<Module>(value)) {
    module.members.set(name, value);
    module.roles[name] = Module::Role::kChild;
    if (!module.ready) adopt(*child, module);
    return;
  }
  hide_modules(value, place, name);
  module.members.set(name, value);
  module.roles[name] = Module::Role::kPlain;
}

Value index_module(Interpreter& in, const Value& self, const Value& index, const Place& place) {
  auto& module = *as<Module>(self);
  const auto* at = as<Number>(index);
  const auto* key = as<Text>(index);
  if (module.opaque) {
    std::string name = "[]";
    if (at && at->value) name = fmt::format("[{}]", *at->value);
    if (key && key->exact()) name = key->text;
    return module_attribute(in, self, name, place);
  }
  if (key && key->exact()) {
    if (const Value* found = module.members.find(key->text)) return *found;
  }
  const auto items = module_items(module);
  if (items.empty()) return unknown();
  if (as<Slice>(index)) {
    auto part = std::make_shared<Module>(module);
    return part;
  }
  if (!at || !at->value) return items.front().second;
  const auto size = static_cast<double>(items.size());
  const double position = *at->value < 0 ? *at->value + size : *at->value;
  if (position < 0 || position >= size) return items.back().second;
  return items[static_cast<std::size_t>(position)].second;
}

void register_buffer(Interpreter& in, Module& module, const Invocation& call) {
  const auto* name = as<Text>(call.get(0, "name"));
  const Value value = call.get(1, "tensor");
  if (name == nullptr || !value) return;
  (void)in;
  set_buffer(module, name->text, value, call.place);
}

}  // namespace sinter::lint
