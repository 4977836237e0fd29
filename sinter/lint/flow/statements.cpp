#include <fmt/format.h>

#include <algorithm>

#include "sinter/lint/flow/interpreter.h"

namespace sinter::lint {
namespace {

/// Whether the block surely leaves what it is in: a guard.
bool leaves(const Body& body) {
  if (body.empty()) return false;
  const Statement& last = *body.back();
  switch (last.kind) {
    case StatementKind::kReturn:
    case StatementKind::kRaise:
    case StatementKind::kBreak:
    case StatementKind::kContinue:
      return true;
    case StatementKind::kExpression: {
      const Expr* value = last.value.get();
      if (value->kind != ExprKind::kCall) return false;
      const Expr& function = *value->parts[0];
      return function.text == "exit" || function.text == "quit" || function.text == "_exit" ||
             function.text == "error" || function.text == "print_help";
    }
    default:
      return false;
  }
}

}  // namespace

Interpreter::Flow Interpreter::run(const Body& body) {
  for (const auto& statement : body) {
    const Flow flow = run(*statement);
    if (flow != Flow::kNormal) return flow;
  }
  return Flow::kNormal;
}

Interpreter::Flow Interpreter::run(const Statement& statement) {
  count_step();
  switch (statement.kind) {
    case StatementKind::kExpression:
      run_expression(statement);
      break;
    case StatementKind::kAssign:
    case StatementKind::kAnnotated:
      if (statement.value) {
        const Value value = evaluate(*statement.value);
        for (const ExprPtr& target : statement.targets) assign(*target, value);
      }
      break;
    case StatementKind::kAugmented:
      run_augmented(statement);
      break;
    case StatementKind::kReturn:
      frame().result = statement.value ? evaluate(*statement.value) : none();
      return Flow::kReturn;
    case StatementKind::kRaise:
      throw Raised{};
    case StatementKind::kIf:
      return run_if(statement);
    case StatementKind::kFor:
      return run_for(statement);
    case StatementKind::kWhile:
      return run_while(statement);
    case StatementKind::kWith:
      return run_with(statement, 0);
    case StatementKind::kTry:
      return run_try(statement);
    case StatementKind::kMatch:
      return run_match(statement);
    case StatementKind::kFunction:
      define_function(statement);
      break;
    case StatementKind::kClass:
      define_class(statement);
      break;
    case StatementKind::kImport:
      for (const Import& import : statement.imports) run_import(import);
      break;
    case StatementKind::kGlobal:
      for (const std::string& name : statement.names) frame().globals.insert(name);
      break;
    case StatementKind::kBreak:
      return Flow::kBreak;
    case StatementKind::kContinue:
      return Flow::kContinue;
    case StatementKind::kAssert:
      if (statement.value) evaluate(*statement.value);
      break;
    case StatementKind::kDelete:
    case StatementKind::kPass:
      break;
  }
  return Flow::kNormal;
}

Interpreter::Flow Interpreter::run_if(const Statement& statement) {
  // A guard that leaves is usually passed by; either way the other path is read too.
  const Expr& test = *statement.value;
  const int guesses = guesses_;
  bool taken = false;
  if (leaves(statement.body) && test.kind != ExprKind::kBool && test.kind != ExprKind::kNot) {
    const Value value = evaluate(test);
    const std::optional<bool> known = truth(value);
    const auto* open = as<Unknown>(value);
    taken =
        known ? *known : decide(open && !open->key.empty() ? open->key : key_at(test.place), false);
  } else {
    taken = condition(test);
  }
  struct Option {
    int& options;
    const bool open;
    ~Option() { options -= open ? 1 : 0; }
  } option{state.options, guesses_ != guesses};
  if (option.open) ++state.options;
  return run(taken ? statement.body : statement.other);
}

Interpreter::Flow Interpreter::run_for(const Statement& statement) {
  const Value source = evaluate(*statement.value);
  Flow result = Flow::kNormal;
  bool left = false;
  const auto* counted = as<Sequence>(source);
  state.loops.push_back({.id = ++state.next_loop,
                         .turn = 0,
                         .place = statement.place,
                         .exact = counted && !counted->open && counted->items.size() <= 24});
  const std::size_t depth = state.loops.size();
  struct Leave {
    std::vector<Loop>& loops;
    std::size_t depth;
    ~Leave() { loops.resize(std::min(loops.size(), depth - 1)); }
  } leave{state.loops, depth};
  try {
    iterate(source, [&](const Value& item) {
      if (left) return;
      ++state.loops[depth - 1].turn;
      assign(*statement.targets[0], item);
      const Flow flow = run(statement.body);
      if (flow == Flow::kBreak || flow == Flow::kReturn) {
        left = true;
        result = flow == Flow::kReturn ? flow : Flow::kNormal;
        if (as<Generator>(source)) throw LeaveGenerator{};
      }
    });
  } catch (const LeaveGenerator&) {
    if (!left) throw;
  }
  if (left) return result;
  return run(statement.other);
}

Interpreter::Flow Interpreter::run_while(const Statement& statement) {
  constexpr int kTurns = 2;
  state.loops.push_back({.id = ++state.next_loop, .turn = 0, .place = statement.place});
  const std::size_t depth = state.loops.size();
  struct Leave {
    std::vector<Loop>& loops;
    std::size_t depth;
    ~Leave() { loops.resize(std::min(loops.size(), depth - 1)); }
  } leave{state.loops, depth};
  for (int turn = 0; turn < kTurns; ++turn) {
    const std::optional<bool> known = truth(evaluate(*statement.value));
    if (known && !*known) break;
    ++state.loops[depth - 1].turn;
    const Flow flow = run(statement.body);
    if (flow == Flow::kReturn) return flow;
    if (flow == Flow::kBreak) return Flow::kNormal;
  }
  return run(statement.other);
}

Interpreter::Flow Interpreter::run_with(const Statement& statement, std::size_t at) {
  if (at == statement.items.size()) return run(statement.body);
  const WithItem& item = statement.items[at];
  const Value value = evaluate(*item.value);
  Flow flow = Flow::kNormal;
  const auto* pending = as<Generator>(value);
  const auto* function = pending ? as<Function>(pending->function) : nullptr;
  if (function && function->context_manager) {
    // The body runs where the generator yields, inside the contexts that it opened.
    bool entered = false;
    iterate(value, [&](const Value& given) {
      if (std::exchange(entered, true)) return;
      if (item.target) assign(*item.target, given);
      flow = run_with(statement, at + 1);
    });
    return flow;
  }
  const State before = state;
  enter_context(value, item.value->place);
  if (item.target) {
    const auto* instance = as<Instance>(value);
    assign(*item.target,
           instance ? call(attribute(value, "__enter__", item.value->place), {}, item.value->place)
                    : value);
  }
  try {
    flow = run_with(statement, at + 1);
  } catch (...) {
    leave_context(before);
    throw;
  }
  leave_context(before);
  return flow;
}

void Interpreter::enter_context(const Value& value, const Place& place) {
  if (const auto* device = as<DeviceValue>(value)) {
    state.default_devices.push_back(device->device);
    return;
  }
  const auto* thing = as<Thing>(value);
  if (!thing || thing->what != Thing::What::kContext) return;
  if (thing->name == "no_grad") ++state.gradient_free;
  if (thing->name == "enable_grad") state.gradient_free = 0;
  if (thing->name == "autocast" && !thing->flag) state.autocast.push_back(place);
  if (thing->name == "autocast" && thing->flag) state.autocast.clear();  // enabled=False
  if (thing->name == "cuda_device") state.current_cuda = thing->device.index;
}

void Interpreter::leave_context(const State& before) {
  state.default_devices = before.default_devices;
  state.gradient_free = before.gradient_free;
  state.autocast = before.autocast;
  state.current_cuda = before.current_cuda;
}

Interpreter::Flow Interpreter::run_try(const Statement& statement) {
  const bool fails =
      !statement.handlers.empty() && decide("fails:" + key_at(statement.place), false);
  Flow flow = Flow::kNormal;
  bool raised = fails;
  const std::size_t depth = frames_.size();
  const std::size_t loops = state.loops.size();
  const State before = state;
  if (!fails) {
    try {
      flow = run(statement.body);
      if (flow == Flow::kNormal) flow = run(statement.other);
    } catch (const Raised&) {
      if (statement.handlers.empty()) {
        run(statement.final);
        throw;
      }
      raised = true;
      frames_.resize(depth);
      state.loops.resize(std::min(state.loops.size(), loops));
      leave_context(before);
    }
  }
  if (raised) {
    // What was done before it failed is not known.
    state.degraded = true;
    const Handler& handler = statement.handlers.front();
    if (!handler.name.empty()) set_name(handler.name, unknown());
    flow = run(handler.body);
  }
  const Flow last = run(statement.final);
  return last != Flow::kNormal ? last : flow;
}

Interpreter::Flow Interpreter::run_match(const Statement& statement) {
  const Value subject = statement.value ? evaluate(*statement.value) : unknown();
  const auto* word = as<Text>(subject);
  for (const Handler& branch : statement.handlers) {
    if (branch.name == "_" || !branch.type) return run(branch.body);
    const auto* open = as<Unknown>(subject);
    bool taken = false;
    if (word && word->exact() && branch.type->kind == ExprKind::kText) {
      taken = word->text == branch.type->text;
    } else {
      const bool keyed = open && !open->key.empty() && branch.type->kind == ExprKind::kText;
      taken = decide(keyed ? open->key + " == '" + branch.type->text + "'" : key_at(branch.place),
                     &branch == &statement.handlers.front());
    }
    if (taken) return run(branch.body);
  }
  return Flow::kNormal;
}

void Interpreter::run_import(const Import& import) {
  const std::string root = import.module.substr(0, import.module.find('.'));
  static const std::set<std::string, std::less<>> kBringTorch{
      "torch", "diffusers", "transformers", "accelerate", "safetensors.torch", "torchvision",
      "peft",  "xformers",  "kornia",       "timm",       "open_clip"};
  const bool torch = kBringTorch.contains(root) || import.module == "safetensors.torch";
  if (torch && !state.torch_imported.known()) state.torch_imported = import.place;
  if (import.name.empty()) {
    if (!import.alias.empty()) {
      set_name(import.alias, std::make_shared<Library>(libraries_.canonical_path(import.module)));
    } else {
      set_name(root, std::make_shared<Library>(libraries_.canonical_path(root)));
    }
    return;
  }
  if (import.name == "*") {
    star_imports_.push_back(import.module);
    return;
  }
  const Value module = std::make_shared<Library>(libraries_.canonical_path(import.module));
  set_name(import.alias.empty() ? import.name : import.alias,
           attribute(module, import.name, import.place));
}

void Interpreter::run_expression(const Statement& statement) {
  const Expr& expr = *statement.value;
  statement_call_ = &expr;
  const bool method = expr.kind == ExprKind::kCall && expr.parts[0]->kind == ExprKind::kAttribute;
  if (!method) {
    evaluate(expr);
    return;
  }
  static const std::set<std::string, std::less<>> kMoves{
      "to", "cuda", "cpu", "half", "float", "double", "bfloat16", "type", "type_as", "xpu"};
  const std::string& name = expr.parts[0]->text;
  if (!kMoves.contains(name)) {
    evaluate(expr);
    return;
  }
  const Value receiver = evaluate(*expr.parts[0]->parts[0]);
  Invocation call;
  call.expr = &expr;
  call.place = expr.place;
  collect_arguments(expr, call);
  const Value function = attribute(receiver, name, expr.place);
  check_discarded(expr, receiver, this->call(function, call));
}

void Interpreter::check_discarded(const Expr& expr, const Value& receiver, const Value& result) {
  auto* before = as<Tensor>(receiver);
  const auto* after = as<Tensor>(result);
  if (!before || !after || before == after) return;
  const Relation moved = relation(before->facts.device, after->facts.device);
  const bool retyped =
      before->facts.type && after->facts.type && *before->facts.type != *after->facts.type;
  const Expr& target = *expr.parts[0]->parts[0];
  const std::string name = source_text(target);
  const std::string method = expr.parts[0]->text;
  if (moved == Relation::kSame && !retyped) return;
  if (moved == Relation::kUnknown && !retyped && !after->facts.device.known()) return;
  Edit edit;
  if (target.kind == ExprKind::kName || target.kind == ExprKind::kAttribute)
    edit = {.replacements = {{expr.place.begin, expr.place.begin, name + " = "}}, .safe = true};
  report(Rule::kToResultDiscarded, expr.place,
         fmt::format(
             "Tensor.{}() returns a new tensor and this one is dropped; {} stays {}", method, name,
             retyped && moved != Relation::kDifferent ? "of its type"
                                                      : "on " + to_string(before->facts.device)),
         edit);
  // What is wrong later with this tensor was meant to be repaired here.
  before->facts = after->facts;
  const bool part = target.kind == ExprKind::kAttribute || target.kind == ExprKind::kSubscript;
  if (part && target.parts[0]->kind == ExprKind::kName)
    if (auto* whole = as<Bundle>(lookup(target.parts[0]->text)))
      whole->facts.device = after->facts.device;
}

void Interpreter::run_augmented(const Statement& statement) {
  const Expr& target = *statement.targets[0];
  const Value left = evaluate(target);
  const Value right = evaluate(*statement.value);
  const std::string op = statement.text.substr(0, statement.text.size() - 1);
  if (auto* sequence = as<Sequence>(left);
      sequence && op == "+" && sequence->type == Sequence::Type::kList) {
    Invocation call;
    call.arguments.push_back({"", right, statement.value.get()});
    call.place = statement.place;
    call.expr = statement.value.get();
    libraries_.call_method(*this, left, "extend", call);
    return;
  }
  if (as<Tensor>(left)) {
    assign(target, binary(op + "=", left, right, statement.place));
    return;
  }
  assign(target, binary(op, left, right, statement.place));
}

}  // namespace sinter::lint
