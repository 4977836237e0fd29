#include <algorithm>

#include "sinter/lint/flow/interpreter.h"
#include "sinter/lint/values/containers.h"

namespace sinter::lint {
namespace {

constexpr int kDeepestIteration = 300;
constexpr std::size_t kMostItems = 24;  // of a known sequence that are looked at one by one

}  // namespace

bool Interpreter::iterate_generator(const Generator& pending,
                                    const std::function<void(Value)>& body) {
  // Generators of generators take stack.
  if (nesting_ > kDeepestIteration) return false;
  nesting_ += 20;
  struct Leave {
    int& nesting;
    ~Leave() { nesting -= 20; }
  } leave{nesting_};
  if (pending.comprehension != nullptr) return run_generator_expression(pending, body);
  if (pending.mapped)
    return iterate(pending.mapped,
                   [&](const Value& item) { body(call(pending.function, {item}, pending.place)); });
  const auto* function = as<Function>(pending.function);
  if (function == nullptr) return false;
  const std::size_t depth = frames_.size();
  const std::function<void(Value)> outside = [&](const Value& item) {
    // What takes the item is not inside the generator.
    const std::vector<std::shared_ptr<Frame>> inside(
        frames_.begin() + static_cast<std::ptrdiff_t>(depth), frames_.end());
    frames_.resize(depth);
    // What is raised outside arrives where the generator waits.
    struct Return {
      std::vector<std::shared_ptr<Frame>>& frames;
      const std::vector<std::shared_ptr<Frame>>& inside;
      std::size_t depth;
      ~Return() {
        frames.resize(depth);
        frames.insert(frames.end(), inside.begin(), inside.end());
      }
    } back{frames_, inside, depth};
    body(item);
  };
  auto inner = std::make_shared<Frame>();
  inner->scope = std::make_shared<Scope>();
  inner->scope->parent = function->scope;
  inner->definition = function->definition;
  inner->owner = function->owner;
  inner->yield = &outside;
  Invocation invocation;
  invocation.arguments = pending.arguments;
  bind(*function, invocation, nullptr, *inner);
  if (frames_.size() < 40) run_frame(*function, inner);
  return false;
}

bool Interpreter::iterate(const Value& value, const std::function<void(Value)>& body) {
  if (auto* sequence = as<Sequence>(value)) {
    const std::vector<Value> snapshot = sequence->items;
    std::size_t given = 0;
    for (const Value& item : snapshot) {
      if (given++ == kMostItems) break;
      body(mark_attribute(*sequence, item));
    }
    return !sequence->open && snapshot.size() <= kMostItems;
  }
  if (auto* dict = as<Dict>(value)) {
    const auto snapshot = dict->entries.all();
    std::size_t given = 0;
    for (const auto& [name, item] : snapshot)
      if (given++ < kMostItems) body(text(name));
    for (std::size_t i = 0; i < std::min<std::size_t>(2, dict->others.size()); ++i)
      body(text("\x01"));
    return dict->others.empty() && snapshot.size() <= kMostItems;
  }
  if (const auto* pending = as<Generator>(value)) return iterate_generator(*pending, body);
  if (auto* module = as<Module>(value); module && !module->opaque) {
    for (const auto& [name, member] : module_items(*module)) body(member);
    return true;
  }
  if (const auto* word = as<Text>(value)) {
    body(text("\x01"));
    (void)word;
    return false;
  }
  const Value item = libraries_.item_of(*this, value);
  body(item);
  body(item);
  return false;
}

std::vector<Value> Interpreter::items(const Value& value) {
  std::vector<Value> all;
  iterate(value, [&](Value item) { all.push_back(std::move(item)); });
  return all;
}

bool Interpreter::comprehend(const Expr& expr, std::size_t clause,
                             const std::function<void()>& body, const Value& first) {
  if (clause == expr.clauses.size()) {
    body();
    return true;
  }
  const Clause& here = expr.clauses[clause];
  bool exact = true;
  const Value source = first ? first : evaluate(*here.source);
  const bool all = iterate(source, [&](const Value& item) {
    assign(*here.target, item);
    for (const ExprPtr& part : here.conditions) {
      const std::optional<bool> known = truth(evaluate(*part));
      if (known && !*known) return;
      exact = exact && known;
    }
    exact = comprehend(expr, clause + 1, body) && exact;
  });
  return all && exact;
}

bool Interpreter::run_generator_expression(const Generator& pending,
                                           const std::function<void(Value)>& body) {
  auto outer = frame().scope;
  Frame& here = frame();
  here.scope = std::make_shared<Scope>();
  here.scope->parent = pending.scope;
  struct Restore {
    Frame& frame;
    std::shared_ptr<Scope> scope;  // shared with the frame while the expression runs
    ~Restore() { frame.scope = scope; }
  } restore{here, outer};
  const auto inner = here.scope;
  return comprehend(
      *pending.comprehension, 0,
      [&] {
        const Value item = evaluate(*pending.comprehension->parts[0]);
        here.scope = outer;
        body(item);
        here.scope = inner;
      },
      pending.source);
}

Value Interpreter::evaluate_comprehension(const Expr& expr) {
  const Expr& element = *expr.parts[0];
  if (expr.text == "generator") {
    // Nothing happens before somebody asks for the items, but for finding out what to go through.
    auto pending = std::make_shared<Generator>();
    pending->comprehension = &expr;
    pending->scope = frame().scope;
    captured_.push_back(pending->scope);
    if (!expr.clauses.empty()) pending->source = evaluate(*expr.clauses.front().source);
    return pending;
  }
  auto outer = frame().scope;
  frame().scope = std::make_shared<Scope>();
  frame().scope->parent = outer;
  struct Restore {
    Frame& frame;
    std::shared_ptr<Scope> scope;  // shared with the frame while the comprehension runs
    ~Restore() { frame.scope = scope; }
  } restore{frame(), outer};
  if (element.kind == ExprKind::kPair) {
    auto made = std::make_shared<Dict>();
    made->place = expr.place;
    comprehend(expr, 0, [&] {
      const Value key = evaluate(*element.parts[0]);
      set_subscript(made, key, evaluate(*element.parts[1]), expr.place);
    });
    return made;
  }
  auto made = std::make_shared<Sequence>(Sequence::Type::kList);
  made->place = expr.place;
  made->open = !comprehend(expr, 0, [&] { made->items.push_back(evaluate(element)); });
  return made;
}

}  // namespace sinter::lint
