#include "sinter/lint/tensors/operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinter/lint/tensors/blame.h"
#include "sinter/lint/tensors/meeting.h"
#include "sinter/lint/values/element_types.h"

namespace sinter::lint {
namespace {

/// The operands of a call in the order of the function form: self first.
struct Operands {
  std::vector<Value> held;  // keeps the facts alive
  std::vector<Operand> list;
  std::vector<std::size_t> position;  // of each in the function form
};

void add(Operands& into, const Value& value, std::size_t position) {
  if (Facts* facts = facts_of(value)) {
    into.held.push_back(value);
    into.list.push_back({facts, Role::kPlain});
    into.position.push_back(position);
    return;
  }
  if (const auto* several = as<Sequence>(value)) {
    for (const Value& item : several->items)
      if (facts_of(item)) add(into, item, position);
  }
}

Operands gather(const Operator& op, bool in_place, const Value& self, const Invocation& call) {
  Operands all;
  std::size_t position = 0;
  if (self) add(all, self, position++);
  std::size_t unnamed = position;
  for (const Argument& argument : call.arguments) {
    if (argument.name == "out" || argument.name == "generator") continue;
    if (op.first_only && !all.list.empty()) continue;
    std::size_t at = argument.name.empty() ? unnamed++ : 100;
    if (argument.name == "index" || argument.name == "indices")
      at = static_cast<std::size_t>(std::max(op.index_at, 0));
    if (argument.name == "input" && !self) at = 0;
    add(all, argument.value, at);
  }
  for (std::size_t i = 0; i < all.list.size(); ++i)
    if (op.index_at >= 0 && all.position[i] == static_cast<std::size_t>(op.index_at))
      all.list[i].role = Role::kIndex;
  if (in_place && self && !all.list.empty()) all.list.front().role = Role::kTarget;
  return all;
}

std::optional<DType> out_type(const Operator& op, const Operands& operands) {
  switch (op.type) {
    case OutType::kSame:
      for (const Operand& operand : operands.list)
        if (operand.role != Role::kIndex) return operand.facts->type;
      return std::nullopt;
    case OutType::kBool:
      return DType::kBool;
    case OutType::kLong:
      return DType::kI64;
    case OutType::kFloat:
      return DType::kF32;
    case OutType::kUnknown:
      return std::nullopt;
    case OutType::kPromote:
      break;
  }
  Facts all = *operands.list.front().facts;
  for (const Operand& operand : operands.list) {
    all.type = promote(all, *operand.facts);
    if (!operand.facts->shape.surely_scalar()) all.shape = operand.facts->shape;
  }
  return all.type;
}

TensorShape reduced(const TensorShape& shape, const Value& self, const Invocation& call) {
  const std::size_t first = self ? 0 : 1;
  Value dim = call.get(first, "dim");
  if (!dim) dim = call.named("axis");
  // norm(p, dim) and the like have another number first.
  if (!dim || as<None>(dim)) {
    return call.splat ? TensorShape::anything() : TensorShape::scalar();
  }
  const Value keep = call.named("keepdim");
  const auto* kept = as<Number>(keep);
  if (kept && kept->value && *kept->value != 0)
    return shape.rank() ? TensorShape::of_rank(*shape.rank()) : shape;
  const auto* several = as<Sequence>(dim);
  const std::size_t count = several ? several->items.size() : 1;
  if (!shape.dims || (several && several->open)) return TensorShape::anything();
  if (shape.dims->size() <= count) return TensorShape::scalar();
  return TensorShape::of_rank(shape.dims->size() - count);
}

TensorShape viewed(const Value& self, const Invocation& call) {
  std::vector<Value> sizes;
  for (std::size_t i = self ? 0 : 1; i < call.arguments.size(); ++i)
    if (call.arguments[i].name.empty()) sizes.push_back(call.arguments[i].value);
  if (sizes.size() == 1) {
    if (const auto* several = as<Sequence>(sizes[0])) {
      if (several->open) return TensorShape::some();
      sizes = several->items;
    } else if (!as<Number>(sizes[0])) {
      return TensorShape::some();
    }
  }
  if (call.splat || sizes.empty()) return TensorShape::some();
  TensorShape shape{.dims = std::vector<Dim>{}};
  for (const Value& size : sizes) {
    const auto* extent = as<Number>(size);
    Dim dim;
    if (extent && extent->value && *extent->value >= 0)
      dim = {.extent = static_cast<std::int64_t>(*extent->value), .place = extent->place};
    shape.dims->push_back(dim);
  }
  return shape;
}

TensorShape out_shape(const Operator& op, const Operands& operands, const Value& self,
                      const Invocation& call) {
  const TensorShape& first = operands.list.front().facts->shape;
  switch (op.shape) {
    case OutShape::kSame:
      return first;
    case OutShape::kBroadcast: {
      TensorShape all = first;
      for (const Operand& operand : operands.list) all = broadcast(all, operand.facts->shape);
      return all;
    }
    case OutShape::kSameRank:
      return first.rank() ? TensorShape::of_rank(*first.rank()) : TensorShape::some();
    case OutShape::kReduced:
      return reduced(first, self, call);
    case OutShape::kScalar:
      return TensorShape::scalar();
    case OutShape::kStack:
    case OutShape::kAdd:
      return first.rank() ? TensorShape::of_rank(*first.rank() + 1) : TensorShape::some();
    case OutShape::kDrop:
      return first.rank() && *first.rank() > 0 ? TensorShape::of_rank(*first.rank() - 1)
                                               : TensorShape::anything();
    case OutShape::kView:
      return viewed(self, call);
    case OutShape::kPlain2:
      return TensorShape::of_rank(2);
    case OutShape::kFlat:
    case OutShape::kSome:
      return TensorShape::some();
    case OutShape::kAnything:
      break;
  }
  return TensorShape::anything();
}

void check_one_type(Interpreter& in, const Operator& op, const Operands& operands,
                    const Place& use) {
  if (operands.list.size() < 2) return;
  const Facts& last = *operands.list.back().facts;
  for (const Operand& operand : operands.list) {
    if (operand.facts == &last) continue;
    if (is_floating(operand.facts->type) && is_floating(last.type) &&
        *operand.facts->type != *last.type) {
      // The weights are what came from a module; the other one is the input.
      const bool module_first =
          operand.facts->source && operand.facts->source->kind == SourceKind::kModule;
      check_types(in, module_first ? last : *operand.facts,
                  module_first ? operand.facts->type : last.type, op.name, use);
      return;
    }
  }
}

/// max(dim) and the like give values and indices.
bool gives_pairs(const Operator& op, const Value& self, const Invocation& call) {
  if (op.name != "median") return false;
  return call.get(self ? 0 : 1, "dim") != nullptr;
}

void note_joined(const Operator& op, const Invocation& call) {
  static constexpr std::array kJoiners{"cat", "stack", "concat", "concatenate", "hstack", "vstack"};
  if (std::find(kJoiners.begin(), kJoiners.end(), op.name) == kJoiners.end()) return;
  for (const Argument& argument : call.arguments)
    if (auto* several = as<Sequence>(argument.value)) several->joined = true;
}

Value not_a_tensor(const Operator& op, const Facts& first, const Invocation& call) {
  switch (op.returns) {
    case Returns::kNumber: {
      if (op.name == "is_floating_point" && first.type) return boolean(is_floating(first.type));
      if (op.name == "dim" || op.name == "ndimension")
        return number(first.shape.rank() ? std::optional(static_cast<double>(*first.shape.rank()))
                                         : std::nullopt);
      const bool whole = op.name == "size" && call.arguments.empty();
      if (whole) {
        auto shape = std::make_shared<Sequence>(Sequence::Type::kTuple);
        shape->open = true;
        shape->items.push_back(number(std::nullopt));
        return shape;
      }
      return number(std::nullopt, op.name != "item");
    }
    case Returns::kList: {
      auto made = std::make_shared<Sequence>(Sequence::Type::kList);
      made->open = true;
      made->items.push_back(number(std::nullopt, false));
      return made;
    }
    default:
      return none();
  }
}

}  // namespace

Value run_operator(Interpreter& in, const Operator& op, bool in_place, const Value& self,
                   const Invocation& call) {
  note_joined(op, call);
  Operands operands = gather(op, in_place, self, call);
  if (operands.list.empty()) {
    // Lists of which nothing is known: a tensor somewhere.
    return nullptr;
  }
  const std::string what = fmt::format("{}()", op.name);
  check_generator(in, operands.list.front().facts->device, call);
  Facts facts = meet(in, what, operands.list, op.meeting, call.place);
  if (op.one_type) check_one_type(in, op, operands, call.place);
  const Facts& first = *operands.list.front().facts;
  if (op.returns == Returns::kNumber || op.returns == Returns::kList ||
      op.returns == Returns::kNothing)
    return not_a_tensor(op, first, call);
  if (in_place && self) {
    Facts* target = facts_of(self);
    if (target != nullptr) {
      target->recorded = facts.recorded;
      target->computed = target->computed || facts.computed;
    }
    return self;
  }
  facts.type = out_type(op, operands);
  facts.wide = !facts.type && first.wide && op.type == OutType::kSame;
  facts.type_source = first.type_source;
  for (const Operand& operand : operands.list)
    if (operand.facts->type == facts.type && operand.facts->type_source &&
        (first.type != facts.type || !facts.type_source))
      facts.type_source = operand.facts->type_source;
  facts.shape = out_shape(op, operands, self, call);
  if (op.name == "detach" || op.name == "data" || !in.gradients_on()) facts.recorded.clear();
  const bool open_list = op.returns == Returns::kTensors || gives_pairs(op, self, call);
  if (open_list) return std::make_shared<Bundle>(Bundle::Use::kOutput, std::move(facts));
  return tensor(std::move(facts));
}

}  // namespace sinter::lint
