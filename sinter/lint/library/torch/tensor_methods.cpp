#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinter/lint/library/library.h"
#include "sinter/lint/tensors/arithmetic.h"
#include "sinter/lint/tensors/blame.h"
#include "sinter/lint/tensors/indexing.h"
#include "sinter/lint/tensors/moves.h"
#include "sinter/lint/tensors/operators.h"
#include "sinter/lint/values/conversions.h"

namespace sinter::lint {
namespace {

/// The tensor after .to(), .cpu(), .half() and the like.
Value moved(Interpreter& in, const Value& self, const std::string& name, const Invocation& call) {
  const Move move = read_move(in, name, call);
  Facts facts = *facts_of(self);
  const Device before = facts.device;
  if (move.device) facts.device = *move.device;
  if (move.type) facts.type = move.type;
  if (move.type_unknown) facts.type = std::nullopt;
  if (move.type || move.type_unknown) facts.wide = false;
  const bool elsewhere = relation(before, facts.device) != Relation::kSame;
  const bool retyped = move.type || move.type_unknown;
  if (move.device && elsewhere) {
    auto source = std::make_shared<Source>();
    const bool in_forward = in.frame().in_forward;
    source->kind =
        facts.device.is_cpu() && in_forward ? SourceKind::kForwardMove : SourceKind::kMove;
    source->place = call.place;
    source->expr = call.expr;
    source->what = name == "to" ? ".to()" : fmt::format(".{}()", name);
    source->in_forward = in_forward;
    facts.source = move.like && facts.device.is_cpu() ? move.like : source;
  }
  if (retyped) {
    auto source = std::make_shared<Source>();
    source->kind = SourceKind::kMove;
    source->place = call.place;
    source->expr = call.expr;
    facts.type_source = source;
  }
  const bool literal = name == "cuda" || (move.literal && facts.device.is_accelerator());
  if (in.frame().in_forward && literal)
    in.report(Rule::kForwardDeviceMove, call.place,
              fmt::format("{} inside forward() ties the module to one device",
                          name == "cuda" ? ".cuda()" : ".to() with a literal"),
              {}, call.place);
  if (!elsewhere && facts.device.is_cpu() && facts.source && (name == "cpu" || move.literal)) {
    auto source = std::make_shared<Source>(*facts.source);
    source->forced_cpu = true;
    facts.source = source;
  } else if (!elsewhere && !retyped && move.device) {
    return self;
  }
  return tensor(std::move(facts));
}

Value to_numpy(Interpreter& in, const Value& self, const Invocation& call) {
  const Facts& facts = *facts_of(self);
  const bool forced = call.named("force") != nullptr;
  if (facts.device.is_accelerator() && !in.state.degraded && !forced) {
    Edit edit;
    if (call.expr != nullptr && call.expr->kind == ExprKind::kCall &&
        call.expr->parts[0]->kind == ExprKind::kAttribute) {
      const std::uint32_t at = call.expr->parts[0]->parts[0]->place.end;
      edit = {.replacements = {{at, at, ".cpu()"}}, .safe = true};
    }
    in.report(Rule::kNumpyOnCuda, call.place,
              fmt::format("numpy() of a tensor on {} raises TypeError; .cpu() is missing",
                          to_string(facts.device)),
              edit);
  }
  auto array = std::make_shared<Array>(facts.type, facts.shape);
  return array;
}

/// x.new_zeros() and kin: on the device of x.
Value made_like(Interpreter& in, const Value& self, const std::string& name,
                const Invocation& call) {
  Facts facts = *facts_of(self);
  if (const Value device = call.named("device"))
    if (const auto given = device_of(device)) facts.device = *given;
  if (const Value type = call.named("dtype")) facts.type = type_of(type);
  facts.recorded.clear();
  facts.computed = facts.loaded = false;
  if (name == "new_tensor") {
    facts.shape = as<Number>(call.get(0, "data")) ? TensorShape::scalar() : TensorShape::some();
  } else if (name != "new") {
    const Value size = call.get(0, "size");
    const auto* several = as<Sequence>(size);
    const bool none_given = several && !several->open && several->items.empty();
    facts.shape = none_given ? TensorShape::scalar() : TensorShape::some();
  }
  (void)in;
  return tensor(std::move(facts));
}

/// Whether a name of a model's output is one of its tensors and no method.
bool is_bundle_field(const std::string& name) {
  // The distribution of an autoencoder has these both as fields and as methods.
  static constexpr std::array kBoth{"mean", "std", "mode", "sample"};
  if (std::find(kBoth.begin(), kBoth.end(), name) != kBoth.end()) return true;
  static constexpr std::array kMethods{"to",       "cpu",      "cuda",  "items",     "keys",
                                       "values",   "get",      "pop",   "copy",      "numpy",
                                       "update",   "clear",    "type",  "max",       "min",
                                       "to_tuple", "backward", "copy_", "setdefault"};
  return std::find(kMethods.begin(), kMethods.end(), name) == kMethods.end() &&
         find_operator(name) == nullptr && !type_of_method(name);
}

Value backward(Interpreter& in) {
  in.state.gradients_used = true;
  return none();
}

}  // namespace

Value tensor_method(Interpreter& in, const Value& self, const std::string& name,
                    const Invocation& call) {
  static constexpr std::array kMoves{"to", "cpu", "cuda", "type", "type_as"};
  if (std::find(kMoves.begin(), kMoves.end(), name) != kMoves.end()) {
    if (name == "type" && call.arguments.empty()) return unknown();
    return moved(in, self, name, call);
  }
  if (type_of_method(name)) return moved(in, self, name, call);
  if (name == "numpy" || name == "__array__") return to_numpy(in, self, call);
  if (name.starts_with("new_") || name == "new") return made_like(in, self, name, call);
  if (name == "backward") return backward(in);
  if (name == "copy_" || name == "set_") {
    if (const Facts* given = facts_of(call.get(0, "src"))) in.use_load(*given);
    if (const Facts* given = facts_of(call.get(0, "src")); given && in.gradients_on())
      facts_of(self)->recorded = given->recorded;
    return self;
  }
  if (name == "requires_grad_" || name == "share_memory_" || name == "pin_memory" ||
      name == "contiguous" || name == "retain_grad")
    return self;
  if ((name == "max" || name == "min") && !call.arguments.empty()) {
    const Value other = call.get(0, "other");
    if (facts_of(other)) return tensor_binary(in, "+", self, other, call.place);
    return std::make_shared<Bundle>(Bundle::Use::kOutput, *facts_of(self));
  }
  if (name == "max" || name == "min") {
    Facts facts = *facts_of(self);
    facts.shape = TensorShape::scalar();
    return tensor(std::move(facts));
  }
  if (name.ends_with('_')) check_generator(in, facts_of(self)->device, call);
  const bool in_place = name.size() > 1 && name.back() == '_' && name[0] != '_';
  if (const Operator* op = find_operator(name)) {
    Value result = run_operator(in, *op, in_place, self, call);
    if (result) return result;
  }
  if (in_place) return self;
  Facts facts = *facts_of(self);
  facts.shape = TensorShape::anything();
  facts.type = std::nullopt;
  return tensor(std::move(facts));
}

Value bundle_method(Interpreter& in, const Value& self, const std::string& name,
                    const Invocation& call) {
  auto& bundle = *as<Bundle>(self);
  if (bundle.use == Bundle::Use::kEncoding && (name == "to" || name == "cuda" || name == "cpu")) {
    const Move move = read_move(in, name, call);
    if (move.device) bundle.facts.device = *move.device;
    return self;  // BatchEncoding.to() works in place
  }
  if (name == "items") {
    auto made = std::make_shared<Sequence>(Sequence::Type::kList);
    made->open = true;
    for (int i = 0; i < 2; ++i)
      made->items.push_back(tuple({text("\x01"), index_bundle(bundle, text("\x01"))}));
    return made;
  }
  if (name == "keys") {
    auto made = std::make_shared<Sequence>(Sequence::Type::kList);
    made->open = true;
    for (int i = 0; i < 2; ++i) made->items.push_back(text("\x01"));
    return made;
  }
  if (name == "values") {
    auto made = std::make_shared<Sequence>(Sequence::Type::kList);
    made->open = true;
    for (int i = 0; i < 2; ++i) made->items.push_back(index_bundle(bundle, text("\x01")));
    return made;
  }
  if (name == "get" || name == "pop" || name == "setdefault")
    return index_bundle(bundle, call.get(0, "key") ? call.get(0, "key") : unknown());
  if (name == "copy") return deep_copy(self);
  if (name == "update" || name == "clear") {
    for (const Argument& argument : call.arguments) store_in_bundle(bundle, argument.value);
    return none();
  }
  if (name == "to_tuple") return self;
  return tensor_method(in, self, name, call);
}

Value tensor_attribute(Interpreter& in, const Value& self, const std::string& name) {
  Facts& facts = *facts_of(self);
  const bool is_bundle = as<Bundle>(self) != nullptr;
  if (name == "device") {
    if (facts.source && facts.source->kind == SourceKind::kFirstParameter &&
        facts.source->name == "spread")
      in.report(Rule::kDeviceOfFirstParameter, facts.source->place,
                "a device map or offloading spreads the model: its first parameter speaks for its "
                "own part only");
    Value made = device_value(facts.device);
    as<DeviceValue>(made)->of = facts.source;
    return made;
  }
  if (name == "dtype") return type_value(facts.type);
  if (name == "is_cuda") {
    if (!facts.device.known() || facts.device.type == Device::Type::kSymbol) return unknown();
    return boolean(facts.device.is_cuda());
  }
  if (name == "shape") {
    auto made = std::make_shared<Sequence>(Sequence::Type::kTuple);
    if (!facts.shape.dims) {
      made->open = true;
      made->items.push_back(number(std::nullopt));
    } else {
      for (const Dim& dim : *facts.shape.dims) {
        Value extent =
            number(dim.extent ? std::optional(static_cast<double>(*dim.extent)) : std::nullopt);
        extent->place = dim.place;
        made->items.push_back(extent);
      }
    }
    return made;
  }
  if (name == "ndim")
    return number(facts.shape.rank() ? std::optional(static_cast<double>(*facts.shape.rank()))
                                     : std::nullopt);
  if (name == "requires_grad" || name == "is_leaf") return unknown();
  if (name == "T" || name == "mT" || name == "real" || name == "imag" || name == "H") {
    Facts turned = facts;
    turned.shape = facts.shape.rank() ? TensorShape::of_rank(*facts.shape.rank()) : facts.shape;
    return tensor(std::move(turned));
  }
  if (name == "data") {
    const auto* whole = as<Tensor>(self);
    if (whole && whole->parameter) return self;  // the same storage
    return is_bundle ? self : tensor(facts);
  }
  if (name == "grad") return unknown();
  if (is_bundle && is_bundle_field(name)) return index_bundle(*as<Bundle>(self), text(name));
  return std::make_shared<Bound>(self, name);
}

}  // namespace sinter::lint
