#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sinter/lint/syntax/place.h"

namespace sinter::lint {

struct Expr;
struct FunctionDef;
struct ClassDef;
struct Statement;
using ExprPtr = std::unique_ptr<Expr>;
using Body = std::vector<std::unique_ptr<Statement>>;

enum class ExprKind {
  kUnknown,    // something this reader does not model; parts may hold what was inside
  kName,       // text
  kNumber,     // number, integer
  kText,       // text: a string constant
  kFormatted,  // parts: kText pieces and expressions of an f-string
  kTrue,
  kFalse,
  kNone,
  kEllipsis,
  kAttribute,      // parts[0] . text; tail is the place of the name
  kSubscript,      // parts[0] [ parts[1] ]
  kSlice,          // parts: lower, upper, step; each may be null
  kCall,           // parts[0] ( parts[1..] ); names[i] belongs to parts[i]: "", "*", "**", keyword
  kUnary,          // text parts[0]
  kBinary,         // parts[0] text parts[1]
  kNot,            // parts[0]
  kBool,           // parts[0] and|or parts[1]
  kCompare,        // parts[0] names[1] parts[1] names[2] parts[2] ...
  kConditional,    // parts: then, condition, else
  kLambda,         // function
  kTuple,          // parts
  kList,           // parts
  kSet,            // parts
  kDict,           // parts: kPair or kDoubleStar
  kPair,           // parts: key, value
  kComprehension,  // parts[0] (kPair for dicts); clauses; text: list, set, dict, generator
  kStar,           // parts[0]
  kDoubleStar,     // parts[0]
  kAwait,          // parts[0]
  kYield,          // parts[0] or none; text "from" for yield from
  kNamed,          // text := parts[0]
};

/// for target in source if conditions
struct Clause {
  ExprPtr target;
  ExprPtr source;
  std::vector<ExprPtr> conditions;
};

/// An expression; what its fields hold is said at ExprKind.
struct Expr {
  ExprKind kind = ExprKind::kUnknown;
  Place place;
  Place tail;
  std::string text;
  double number = 0;
  bool integer = false;
  std::vector<ExprPtr> parts;
  std::vector<std::string> names;
  std::vector<Clause> clauses;
  std::unique_ptr<FunctionDef> function;
};

struct Parameter {
  enum class Kind { kPlain, kKeywordOnly, kList, kDict };
  std::string name;
  Kind kind = Kind::kPlain;
  ExprPtr fallback;  // the default; may be null
  ExprPtr type;      // the annotation; may be null
};

/// A def or a lambda (whose body is one return statement).
struct FunctionDef {
  std::string name;
  Place place;
  Place header;  // of the def line
  std::vector<Parameter> parameters;
  std::vector<ExprPtr> decorators;
  Body body;
  bool generator = false;  // has a yield of its own
};

struct ClassDef {
  std::string name;
  Place place;
  std::vector<ExprPtr> bases;
  std::vector<ExprPtr> decorators;
  Body body;
};

enum class StatementKind {
  kExpression,
  kAssign,     // targets = value (several for a = b = value)
  kAugmented,  // targets[0] text value
  kAnnotated,  // targets[0] : (type) = value; value may be null
  kReturn,
  kRaise,
  kIf,        // value, body, other
  kFor,       // targets[0] in value, body, other
  kWhile,     // value, body, other
  kWith,      // items, body
  kTry,       // body, handlers, other, finally
  kFunction,  // function
  kClass,     // class_def
  kImport,    // imports
  kDelete,    // targets
  kGlobal,    // names
  kBreak,
  kContinue,
  kPass,
  kAssert,  // value
  kMatch,   // value, handlers (one a case)
};

/// `import module as alias`, or `from module import name as alias`. name "*" takes all.
struct Import {
  Place place;
  std::string module;
  std::string name;   // empty for a plain import
  std::string alias;  // empty when there is none
};

struct WithItem {
  ExprPtr value;
  ExprPtr target;  // may be null
};

/// An except clause (type may be null), or a case of a match (type holds the pattern).
struct Handler {
  Place place;
  ExprPtr type;
  std::string name;
  Body body;
};

struct Statement {
  StatementKind kind = StatementKind::kPass;
  Place place;
  std::string text;
  std::vector<ExprPtr> targets;
  ExprPtr value;
  Body body;
  Body other;
  Body final;
  std::vector<Handler> handlers;
  std::vector<WithItem> items;
  std::vector<Import> imports;
  std::vector<std::string> names;
  std::unique_ptr<FunctionDef> function;
  std::unique_ptr<ClassDef> class_def;
};

/// A script as a tree of our own.
struct Script {
  std::string text;
  Body body;
  std::vector<Place> string_constants;  // every plain string constant, in order
  std::vector<Place> comments;          // in order
  std::optional<Place> broken;          // the first place that is no Python
};

/// Reads a script; nothing is executed. Nesting deeper than 150 levels is read as kUnknown.
Script read_script(std::string text);

}  // namespace sinter::lint
