#include <fmt/format.h>

#include "sinter/lint/flow/interpreter.h"
#include "sinter/lint/values/conversions.h"

namespace sinter::lint {
namespace {

constexpr int kDeepestNesting = 400;

std::string constant_key(const Value& value) {
  if (const auto* found = as<Unknown>(value)) return found->key;
  if (const auto* found = as<Text>(value)) return found->exact() ? "'" + found->text + "'" : "";
  if (const auto* found = as<Number>(value))
    return found->value ? fmt::format("{}", *found->value) : "";
  if (as<None>(value)) return "None";
  if (const auto* found = as<TypeValue>(value))
    return found->type ? std::string(dtype_info(*found->type).word) : "";
  if (const auto* found = as<DeviceValue>(value)) return to_string(found->device);
  return "";
}

std::optional<int> compare_devices(const Value& left, const Value& right) {
  const auto device_of = [](const Value& value) -> std::optional<Device> {
    if (const auto* found = as<DeviceValue>(value)) return found->device;
    if (const auto* found = as<Text>(value)) return parse_device(found->text);
    return std::nullopt;
  };
  const auto a = device_of(left);
  const auto b = device_of(right);
  if (!a || !b) return std::nullopt;
  switch (relation(*a, *b)) {
    case Relation::kSame:
      return 0;
    case Relation::kDifferent:
      return 1;
    case Relation::kUnknown:
      break;
  }
  return std::nullopt;
}

/// 0 equal, negative or positive otherwise, nothing when it is not known.
std::optional<int> compare_values(const Value& left, const Value& right) {
  if (const auto* a = as<Number>(left)) {
    const auto* b = as<Number>(right);
    if (!b && (as<Text>(right) || as<None>(right))) return 1;
    if (!b || !a->value || !b->value) return std::nullopt;
    return *a->value < *b->value ? -1 : *a->value > *b->value ? 1 : 0;
  }
  if (as<DeviceValue>(left) || as<DeviceValue>(right)) return compare_devices(left, right);
  if (const auto* a = as<Text>(left)) {
    const auto* b = as<Text>(right);
    if (!b && (as<Number>(right) || as<None>(right))) return 1;
    if (!b || !a->exact() || !b->exact()) return std::nullopt;
    return a->text.compare(b->text);
  }
  if (const auto* a = as<TypeValue>(left)) {
    const auto* b = as<TypeValue>(right);
    if (!b || !a->type || !b->type) return std::nullopt;
    return *a->type == *b->type ? 0 : 1;
  }
  if (as<None>(left) && as<None>(right)) return 0;
  return std::nullopt;
}

std::optional<bool> is_same(const Value& left, const Value& right) {
  if (left == right) return true;
  if (as<Unknown>(left) || as<Unknown>(right)) return std::nullopt;
  if (as<None>(left) || as<None>(right)) return as<None>(left) && as<None>(right);
  if (as<Number>(left) && as<Number>(right)) {
    const auto order = compare_values(left, right);
    return order ? std::optional(*order == 0) : std::nullopt;
  }
  if (as<TypeValue>(left) && as<TypeValue>(right)) {
    const auto order = compare_values(left, right);
    return order ? std::optional(*order == 0) : std::nullopt;
  }
  if (const auto* a = as<Library>(left))
    if (const auto* b = as<Library>(right)) return a->path == b->path;
  return std::nullopt;
}

std::optional<bool> contains(const Value& item, const Value& container) {
  if (const auto* dict = as<Dict>(container)) {
    const auto* key = as<Text>(item);
    if (!key || !key->exact()) return std::nullopt;
    if (const_cast<Dict*>(dict)->entries.find(key->text)) return true;
    return dict->others.empty() ? std::optional(false) : std::nullopt;
  }
  if (const auto* sequence = as<Sequence>(container)) {
    bool sure = !sequence->open;
    for (const Value& each : sequence->items) {
      if (each == item) return true;
      const auto order = compare_values(item, each);
      if (order && *order == 0) return true;
      sure = sure && order.has_value();
    }
    return sure ? std::optional(false) : std::nullopt;
  }
  if (const auto* whole = as<Text>(container)) {
    const auto* part = as<Text>(item);
    if (part && part->exact() && whole->text.find(part->text) != std::string::npos) return true;
    if (part && part->exact() && whole->exact()) return false;
  }
  return std::nullopt;
}

std::optional<bool> compare(const std::string& op, const Value& left, const Value& right) {
  if (op == "is") return is_same(left, right);
  if (op == "is not") {
    const auto same = is_same(left, right);
    return same ? std::optional(!*same) : std::nullopt;
  }
  if (op == "in") return contains(left, right);
  if (op == "not in") {
    const auto inside = contains(left, right);
    return inside ? std::optional(!*inside) : std::nullopt;
  }
  const std::optional<int> order = compare_values(left, right);
  if (!order) return std::nullopt;
  if (op == "==") return *order == 0;
  if (op == "!=" || op == "<>") return *order != 0;
  if (as<DeviceValue>(left) || as<TypeValue>(left)) return std::nullopt;
  if (op == "<") return *order < 0;
  if (op == ">") return *order > 0;
  if (op == "<=") return *order <= 0;
  if (op == ">=") return *order >= 0;
  return std::nullopt;
}

}  // namespace

void Interpreter::count_step() {
  if (--steps_ <= 0) throw OutOfSteps{};
}

Value Interpreter::evaluate(const Expr& expr) {
  count_step();
  if (nesting_ > kDeepestNesting) return unknown();
  ++nesting_;
  struct Leave {
    int& nesting;
    ~Leave() { --nesting; }
  } leave{nesting_};
  switch (expr.kind) {
    case ExprKind::kName:
      return evaluate_name(expr);
    case ExprKind::kCall:
      return evaluate_call(expr);
    case ExprKind::kAttribute: {
      const Value object = evaluate(*expr.parts[0]);
      return attribute(object, expr.text, expr.place);
    }
    case ExprKind::kSubscript:
      return evaluate_subscript(expr);
    case ExprKind::kCompare:
      return evaluate_compare(expr);
    case ExprKind::kComprehension:
      return evaluate_comprehension(expr);
    case ExprKind::kDict:
      return evaluate_dict(expr);
    case ExprKind::kFormatted:
      return evaluate_formatted(expr);
    case ExprKind::kNumber:
    case ExprKind::kText:
    case ExprKind::kTrue:
    case ExprKind::kFalse:
    case ExprKind::kNone:
    case ExprKind::kEllipsis:
      return evaluate_constant(expr);
    default:
      return evaluate_compound(expr);
  }
}

Value Interpreter::evaluate_constant(const Expr& expr) {
  Value value;
  switch (expr.kind) {
    case ExprKind::kNumber:
      value = number(expr.number, expr.integer);
      break;
    case ExprKind::kText:
      value = text(expr.text);
      break;
    case ExprKind::kTrue:
      value = boolean(true);
      break;
    case ExprKind::kFalse:
      value = boolean(false);
      break;
    case ExprKind::kEllipsis:
      value = std::make_shared<Library>("builtins.Ellipsis");
      break;
    default:
      value = none();
  }
  value->place = expr.place;
  return value;
}

Value Interpreter::evaluate_sequence(const Expr& expr) {
  auto made = std::make_shared<Sequence>(expr.kind == ExprKind::kTuple  ? Sequence::Type::kTuple
                                         : expr.kind == ExprKind::kList ? Sequence::Type::kList
                                                                        : Sequence::Type::kSet);
  made->place = expr.place;
  made->loop_depth = static_cast<int>(state.loops.size());
  for (const ExprPtr& part : expr.parts) {
    if (part->kind != ExprKind::kStar) {
      made->items.push_back(evaluate(*part));
      continue;
    }
    const Value several = evaluate(*part->parts[0]);
    const auto* known = as<Sequence>(several);
    if (!known || known->open) made->open = true;
    for (Value& item : items(several)) made->items.push_back(std::move(item));
  }
  return made;
}

Value Interpreter::evaluate_unary(const Expr& expr) {
  const Value value = evaluate(*expr.parts[0]);
  if (const auto* found = as<Number>(value)) {
    if (!found->value || expr.text == "~") return number(std::nullopt, found->integer);
    Value made = number(expr.text == "-" ? -*found->value : *found->value, found->integer);
    made->place = expr.place;
    return made;
  }
  return libraries_.unary(*this, expr.text, value);
}

Value Interpreter::evaluate_bool(const Expr& expr) {
  const Value left = evaluate(*expr.parts[0]);
  const std::optional<bool> known = truth(left);
  const bool take_left =
      known ? *known
            : decide(constant_key(left).empty() ? key_at(expr.parts[0]->place) : constant_key(left),
                     true);
  const bool is_or = expr.text == "or";
  return take_left == is_or ? left : evaluate(*expr.parts[1]);
}

Value Interpreter::evaluate_yield(const Expr& expr) {
  const Value value = expr.parts.empty() ? none() : evaluate(*expr.parts[0]);
  if (const auto* yield = frame().yield) {
    if (expr.text == "from") {
      iterate(value, *yield);
    } else {
      (*yield)(value);
    }
  }
  return unknown();
}

Value Interpreter::evaluate_slice(const Expr& expr) {
  auto made = std::make_shared<Slice>();
  if (expr.parts[0]) made->lower = evaluate(*expr.parts[0]);
  if (expr.parts[1]) made->upper = evaluate(*expr.parts[1]);
  if (expr.parts[2]) made->step = evaluate(*expr.parts[2]);
  return made;
}

Value Interpreter::evaluate_compound(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kTuple:
    case ExprKind::kList:
    case ExprKind::kSet:
      return evaluate_sequence(expr);
    case ExprKind::kBinary: {
      const Value left = evaluate(*expr.parts[0]);
      const Value right = evaluate(*expr.parts[1]);
      return binary(expr.text, left, right, expr.place);
    }
    case ExprKind::kUnary:
      return evaluate_unary(expr);
    case ExprKind::kNot: {
      const Value value = evaluate(*expr.parts[0]);
      const std::optional<bool> known = truth(value);
      if (known) return boolean(!*known);
      const std::string key = constant_key(value);
      return unknown(key.empty() ? "" : "not " + key);
    }
    case ExprKind::kBool:
      return evaluate_bool(expr);
    case ExprKind::kConditional:
      return condition(*expr.parts[1]) ? evaluate(*expr.parts[0]) : evaluate(*expr.parts[2]);
    case ExprKind::kLambda:
      return make_function(*expr.function);
    case ExprKind::kAwait:
      return expr.parts.empty() ? unknown() : evaluate(*expr.parts[0]);
    case ExprKind::kStar:
    case ExprKind::kDoubleStar:
      return expr.parts.empty() ? unknown() : evaluate(*expr.parts[0]);
    case ExprKind::kNamed: {
      const Value value = evaluate(*expr.parts[0]);
      set_name(expr.text, value);
      return value;
    }
    case ExprKind::kYield:
      return evaluate_yield(expr);
    case ExprKind::kSlice:
      return evaluate_slice(expr);
    default:
      return unknown();
  }
}

Value Interpreter::evaluate_name(const Expr& expr) { return lookup(expr.text); }

Value Interpreter::evaluate_formatted(const Expr& expr) {
  std::string joined;
  for (const ExprPtr& part : expr.parts) {
    const Value value = evaluate(*part);
    if (const auto* found = as<Text>(value)) {
      joined += found->text;
    } else if (const auto* digits = as<Number>(value); digits && digits->value && digits->integer) {
      joined += fmt::format("{}", *digits->value);
    } else if (const auto* place = as<DeviceValue>(value); place && place->device.is_cuda()) {
      joined += to_string(place->device);
    } else {
      joined += '\x01';
    }
  }
  Value made = text(joined);
  made->place = expr.place;
  return made;
}

Value Interpreter::evaluate_dict(const Expr& expr) {
  auto made = std::make_shared<Dict>();
  made->place = expr.place;
  made->loop_depth = static_cast<int>(state.loops.size());
  for (const ExprPtr& part : expr.parts) {
    if (part->kind == ExprKind::kDoubleStar) {
      const Value other = part->parts.empty() ? unknown() : evaluate(*part->parts[0]);
      if (auto* known = as<Dict>(other)) {
        for (auto& [name, value] : known->entries.all()) made->entries.set(name, value);
        for (const Value& value : known->others) made->others.push_back(value);
      } else {
        made->others.push_back(facts_of(other) ? subscript(other, unknown(), expr.place)
                                               : unknown());
      }
      continue;
    }
    const Value key = evaluate(*part->parts[0]);
    const Value value = evaluate(*part->parts[1]);
    set_subscript(made, key, value, expr.place);
  }
  return made;
}

Value Interpreter::evaluate_compare(const Expr& expr) {
  Value left = evaluate(*expr.parts[0]);
  std::optional<bool> all = true;
  std::string key;
  for (std::size_t i = 1; i < expr.parts.size(); ++i) {
    const Value right = evaluate(*expr.parts[i]);
    const std::string& op = expr.names[i];
    Facts* a = facts_of(left);
    Facts* b = facts_of(right);
    const bool ordering = op != "is" && op != "is not" && op != "in" && op != "not in";
    const bool arrays = as<Array>(left) || as<Array>(right);
    if ((a || b || arrays) && ordering && !as<None>(left) && !as<None>(right) && !as<Text>(right))
      return binary(op, left, right, expr.place);
    const std::optional<bool> one = compare(op, left, right);
    if (one && !*one) return boolean(false);
    if (!one) {
      all = std::nullopt;
      const bool negated = op == "!=" || op == "is not" || op == "not in";
      const std::string a_key = constant_key(left);
      const std::string b_key = constant_key(right);
      const bool keyed = !a_key.empty() && !b_key.empty();
      const std::string same = negated ? (op == "!=" ? "==" : op == "is not" ? "is" : "in") : op;
      if (keyed) key = fmt::format("{}{} {} {}", negated ? "not " : "", a_key, same, b_key);
    }
    left = right;
  }
  if (all) return boolean(true);
  return unknown(expr.parts.size() == 2 ? key : "");
}

Value Interpreter::evaluate_subscript(const Expr& expr) {
  const Value object = evaluate(*expr.parts[0]);
  const Value index = evaluate(*expr.parts[1]);
  return subscript(object, index, expr.place);
}

bool Interpreter::condition(const Expr& expr) {
  if (expr.kind == ExprKind::kNot) return !condition(*expr.parts[0]);
  if (expr.kind == ExprKind::kBool) {
    const bool left = condition(*expr.parts[0]);
    if (left == (expr.text == "or")) return left;
    return condition(*expr.parts[1]);
  }
  const Value value = evaluate(expr);
  if (const std::optional<bool> known = truth(value)) return *known;
  std::string key = constant_key(value);
  // A flag of the command line is usually not given.
  const bool flag = key.starts_with("args.") || key.starts_with("flag:");
  if (key.empty()) key = key_at(expr.place);
  return decide(key, !flag);
}

}  // namespace sinter::lint
