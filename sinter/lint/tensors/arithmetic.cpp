#include "sinter/lint/tensors/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinter/lint/tensors/blame.h"
#include "sinter/lint/tensors/meeting.h"
#include "sinter/lint/values/element_types.h"

namespace sinter::lint {

Value tensor_binary(Interpreter& in, const std::string& op, const Value& left, const Value& right,
                    const Place& place) {
  const bool in_place =
      op.size() > 1 && op.back() == '=' && op != "==" && op != "!=" && op != "<=" && op != ">=";
  const std::string plain = in_place ? op.substr(0, op.size() - 1) : op;
  const bool product = plain == "@";
  static constexpr std::array kComparisons{"==", "!=", "<", ">", "<=", ">="};
  const bool comparison =
      std::find(kComparisons.begin(), kComparisons.end(), plain) != kComparisons.end();
  Facts* a = facts_of(left);
  Facts* b = facts_of(right);
  std::vector<Operand> operands;
  if (a) operands.push_back({a, in_place ? Role::kTarget : Role::kPlain});
  if (b) operands.push_back({b, Role::kPlain});
  Facts facts = meet(in, fmt::format("'{}'", op), operands,
                     product ? Meeting::kStrict : Meeting::kJoin, place);
  if (a && b) {
    facts.type = promote(*a, *b);
    facts.shape = product ? TensorShape::some() : broadcast(a->shape, b->shape);
    if (product && a->shape.rank() == std::size_t{1} && b->shape.rank() == std::size_t{1})
      facts.shape = TensorShape::scalar();
    if (product && a->shape.rank() && b->shape.rank() && *a->shape.rank() >= 2 &&
        *b->shape.rank() >= 2)
      facts.shape = TensorShape::of_rank(std::max(*a->shape.rank(), *b->shape.rank()));
    facts.type_source =
        b->type == facts.type && a->type != facts.type ? b->type_source : a->type_source;
    if (product && is_floating(a->type) && is_floating(b->type) && *a->type != *b->type)
      check_types(in, *a, b->type, "'@'", place);
  } else {
    const Facts& one = a ? *a : *b;
    const Value& other = a ? right : left;
    const auto* open = as<Unknown>(other);
    const bool setting = open && open->key.find(".config.") != std::string::npos;
    const Value stand_in = setting ? number(std::nullopt, false) : other;
    const auto* digits = as<Number>(stand_in);
    facts.type = digits ? one.type : std::nullopt;
    if (digits && !digits->integer && one.type && !is_floating(one.type)) facts.type = DType::kF32;
    if (digits && plain == "/" && one.type && !is_floating(one.type)) facts.type = DType::kF32;
    facts.shape = digits ? one.shape : TensorShape::anything();
    if (digits == nullptr && !one.shape.maybe_scalar()) facts.shape = TensorShape::some();
    facts.type_source = one.type_source;
    if (const auto* array = as<Array>(other)) {
      // A tensor times an array is computed with the array as a CPU tensor.
      Facts made{.device = Device::cpu(), .type = array->type, .shape = array->shape};
      facts.type = promote(one, made);
    } else if (!digits && !as<None>(other)) {
      facts.device = one.device.is_cpu() ? Device{} : facts.device;
    }
  }
  if (comparison) facts.type = DType::kBool;
  facts.wide = !facts.type && ((a && a->wide) || (b && b->wide));
  if (!in.gradients_on()) facts.recorded.clear();
  if (in_place) {
    Facts* target = facts_of(left);
    target->recorded = facts.recorded;
    target->computed = facts.computed;
    return left;
  }
  return tensor(std::move(facts));
}

}  // namespace sinter::lint
