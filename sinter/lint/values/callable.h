#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sinter/lint/values/value.h"

namespace sinter::lint {

struct Class;
struct Scope;

struct Argument {
  std::string name;  // empty for a positional one
  Value value;
  const Expr* expr = nullptr;
};

struct Function : Object {
  static constexpr Kind kKind = Kind::kFunction;
  explicit Function(const FunctionDef* d) : Object(kKind), definition(d) {}
  const FunctionDef* definition;
  std::shared_ptr<Scope> scope;  // shared with what else was defined there
  std::vector<Value> fallbacks;  // one a parameter; null where there is none
  Class* owner = nullptr;        // the class that it was defined in; outlives it
  enum class Binding { kMethod, kStatic, kClass, kProperty } binding = Binding::kMethod;
  std::vector<Value> contexts;  // decorators that are contexts: torch.no_grad()
  bool context_manager = false;
  bool decorated = false;  // by something unknown: arguments may come from elsewhere
};

struct Class : Object, std::enable_shared_from_this<Class> {
  static constexpr Kind kKind = Kind::kClass;
  explicit Class(std::string n) : Object(kKind), name(std::move(n)) {}
  std::string name;
  std::vector<Value> bases;
  Names members;
  std::vector<std::string> fields;  // annotated names, for data classes
  const ClassDef* definition = nullptr;
  bool module = false;  // derives from torch.nn.Module
  bool data = false;
};

struct Instance : Object {
  static constexpr Kind kKind = Kind::kInstance;
  explicit Instance(Value c) : Object(kKind), type(std::move(c)) {}
  Value type;  // a Class
  Names attributes;
};

/// A method of a value that is not written in Python here.
struct Bound : Object {
  static constexpr Kind kKind = Kind::kBound;
  Bound(Value r, std::string n) : Object(kKind), receiver(std::move(r)), name(std::move(n)) {}
  Value receiver;
  std::string name;
  Value function;  // set for methods of the script's own classes
};

struct Partial : Object {
  static constexpr Kind kKind = Kind::kPartial;
  explicit Partial(Value f) : Object(kKind), function(std::move(f)) {}
  Value function;
  std::vector<Argument> arguments;
  const Expr* created = nullptr;
};

/// A generator function that was called but not run yet, or a generator expression.
struct Generator : Object {
  static constexpr Kind kKind = Kind::kGenerator;
  Generator() : Object(kKind) {}
  Value function;
  std::vector<Argument> arguments;
  const Expr* comprehension = nullptr;  // of a generator expression; function is null then
  std::shared_ptr<Scope> scope = {};    // shared with the function around the expression
  Value source = {};                    // of a generator expression: what it goes through
  Value mapped = {};                    // map(): what the function is called with
};

/// Whether a class derives from something of another file, of which nothing is known.
bool has_foreign_base(const Value& type);

/// A member of a class of the script or of those that it derives from; null when there is none.
Value class_member(const Value& type, const std::string& name);

}  // namespace sinter::lint
