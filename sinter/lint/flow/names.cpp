#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sinter/lint/flow/interpreter.h"

namespace sinter::lint {

Value Interpreter::lookup(const std::string& name) {
  for (const Scope* scope = frame().scope.get(); scope != nullptr; scope = scope->parent.get()) {
    if (const auto found = scope->names.find(name); found != scope->names.end())
      return found->second;
  }
  if (name == "__name__") return text("__main__");
  if (name == "__file__") return text("\x01");
  if (!star_imports_.empty()) {
    for (const std::string& module : star_imports_)
      if (module.starts_with("torch") || module.starts_with("diffusers"))
        return attribute(std::make_shared<Library>(module), name, {});
  }
  static const std::set<std::string, std::less<>> kBuiltins{
      "abs",         "all",       "any",     "bool",     "callable",   "dict",       "dir",
      "divmod",      "enumerate", "exit",    "filter",   "float",      "format",     "getattr",
      "hasattr",     "id",        "input",   "int",      "isinstance", "issubclass", "iter",
      "len",         "list",      "map",     "max",      "min",        "next",       "object",
      "open",        "pow",       "print",   "property", "quit",       "range",      "repr",
      "reversed",    "round",     "set",     "setattr",  "slice",      "sorted",     "staticmethod",
      "classmethod", "str",       "sum",     "super",    "tuple",      "type",       "vars",
      "zip",         "frozenset", "delattr", "bytes",    "hash",       "Exception"};
  if (kBuiltins.contains(name)) return std::make_shared<Library>("builtins." + name);
  return unknown("name:" + name);
}

void Interpreter::set_name(const std::string& name, const Value& value) {
  if (frame().globals.contains(name)) {
    Scope* scope = frame().scope.get();
    // The nearest enclosing function that has the name (nonlocal), else the module (global).
    for (Scope* outer = scope->parent.get(); outer != nullptr; outer = outer->parent.get()) {
      if (outer->names.contains(name) || !outer->parent) {
        outer->names[name] = value;
        return;
      }
    }
  }
  frame().scope->names[name] = value;
}

void Interpreter::assign(const Expr& target, const Value& value) {
  switch (target.kind) {
    case ExprKind::kName:
      set_name(target.text, value);
      break;
    case ExprKind::kAttribute:
      set_attribute(evaluate(*target.parts[0]), target.text, value, target.place);
      break;
    case ExprKind::kSubscript: {
      const Value object = evaluate(*target.parts[0]);
      const Value index = evaluate(*target.parts[1]);
      set_subscript(object, index, value, target.place);
      break;
    }
    case ExprKind::kTuple:
    case ExprKind::kList:
      unpack(target.parts, value);
      break;
    case ExprKind::kStar:
      if (!target.parts.empty()) assign(*target.parts[0], value);
      break;
    default:
      break;
  }
}

void Interpreter::unpack(const std::vector<ExprPtr>& targets, const Value& value) {
  const std::vector<Value> parts = items(value);
  const auto star = std::find_if(targets.begin(), targets.end(), [](const ExprPtr& target) {
    return target->kind == ExprKind::kStar;
  });
  const auto star_at = static_cast<std::size_t>(star - targets.begin());
  const bool endless = !as<Sequence>(value) && !parts.empty();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    Value part;
    if (i == star_at) {
      const std::size_t after = targets.size() - i - 1;
      std::vector<Value> middle;
      for (std::size_t k = i; k + after < parts.size(); ++k) middle.push_back(parts[k]);
      part = list(std::move(middle));
    } else {
      // What follows a star counts from the end.
      const std::size_t at =
          i < star_at ? i : parts.size() - std::min(parts.size(), targets.size() - i);
      if (at < parts.size()) {
        part = parts[at];
      } else {
        part = endless ? parts.back() : unknown();
      }
    }
    assign(*targets[i], part);
  }
}

void Interpreter::define_class(const Statement& statement) {
  const ClassDef& definition = *statement.class_def;
  auto made = std::make_shared<Class>(definition.name);
  made->place = definition.place;
  made->definition = &definition;
  for (const ExprPtr& base : definition.bases) {
    const Value value = evaluate(*base);
    if (const auto* own = as<Class>(value)) {
      made->module = made->module || own->module;
      made->data = made->data || own->data;
      for (const std::string& field : own->fields) made->fields.push_back(field);
    } else if (const auto* library = as<Library>(value)) {
      made->module = made->module || libraries_.is_module_class(library->path);
    }
    made->bases.push_back(value);
  }
  for (const ExprPtr& decorator : definition.decorators) {
    const Value value =
        evaluate(decorator->kind == ExprKind::kCall ? *decorator->parts[0] : *decorator);
    if (const auto* library = as<Library>(value))
      made->data =
          made->data || library->path.ends_with("dataclass") || library->path.starts_with("attr");
  }
  set_name(definition.name, made);
  auto inside = std::make_shared<Frame>(frame());
  inside->scope = std::make_shared<Scope>();
  inside->scope->parent = frame().scope;
  inside->owner = made.get();
  inside->in_class = true;
  const std::size_t depth = frames_.size();
  frames_.push_back(inside);
  struct Leave {
    std::vector<std::shared_ptr<Frame>>& frames;
    std::size_t depth;
    ~Leave() { frames.resize(depth); }
  } leave{frames_, depth};
  for (const auto& item : definition.body) {
    run(*item);
    if (item->kind == StatementKind::kAnnotated && item->targets[0]->kind == ExprKind::kName)
      made->fields.push_back(item->targets[0]->text);
  }
  for (auto& [name, value] : inside->scope->names) made->members.set(name, value);
  classes_.push_back(made);
  may_hold_itself(made);
}

Value Interpreter::make_function(const FunctionDef& definition) {
  auto made = std::make_shared<Function>(&definition);
  made->place = definition.place;
  made->scope = frame().scope;
  // Methods see the names around their class, not those inside it.
  if (in_class_body() && made->scope->parent) made->scope = made->scope->parent;
  captured_.push_back(made->scope);
  for (const Parameter& parameter : definition.parameters)
    made->fallbacks.push_back(parameter.fallback ? evaluate(*parameter.fallback) : nullptr);
  return made;
}

void Interpreter::define_function(const Statement& statement) {
  const FunctionDef& definition = *statement.function;
  const bool in_class = in_class_body();
  const Value value = make_function(definition);
  auto& made = *as<Function>(value);
  made.owner = in_class ? frame().owner : nullptr;
  for (const ExprPtr& decorator : definition.decorators) {
    const Value wrapper = evaluate(*decorator);
    const auto* library = as<Library>(wrapper);
    const auto* context = as<Thing>(wrapper);
    const std::string path = library ? library->path : "";
    if (context && context->what == Thing::What::kContext) {
      wrapper->place = decorator->place;
      made.contexts.push_back(wrapper);
    } else if (path == "torch.no_grad" || path == "torch.inference_mode") {
      made.contexts.push_back(call(wrapper, {}, decorator->place));
    } else if (path == "builtins.staticmethod") {
      made.binding = Function::Binding::kStatic;
    } else if (path == "builtins.classmethod") {
      made.binding = Function::Binding::kClass;
    } else if (path == "builtins.property" || path == "functools.cached_property") {
      made.binding = Function::Binding::kProperty;
    } else if (path == "contextlib.contextmanager") {
      made.context_manager = true;
    } else if (decorator->kind == ExprKind::kAttribute && decorator->text == "setter") {
      return;  // the getter stays
    } else if (!path.starts_with("functools.") && !path.starts_with("torch.")) {
      made.decorated = true;
    }
  }
  set_name(definition.name, value);
}

bool Interpreter::in_class_body() const { return frame().owner != nullptr && frame().in_class; }

}  // namespace sinter::lint
