#include <algorithm>

#include "sinter/lint/library/things.h"

namespace sinter::lint {
namespace {

Value arguments_default(Interpreter& in, const std::string& name, const Invocation& call) {
  const auto* action = as<Text>(call.named("action"));
  const Value fallback = call.named("default");
  if (action && (action->text == "store_true" || action->text == "store_false"))
    return unknown("args." + name);
  if (as<Library>(call.named("action"))) return unknown("args." + name);
  if (!fallback || as<None>(fallback)) return unknown("args." + name);
  if (const auto* choices = as<Sequence>(call.named("choices"));
      choices && !choices->open && choices->items.size() > 1 && choices->items.size() <= 4) {
    // Every choice is a script of its own.
    for (const Value& choice : choices->items) {
      const auto* word = as<Text>(choice);
      const auto* usual = as<Text>(fallback);
      if (!word || !usual || parse_device(word->text)) return fallback;
      if (in.decide("args." + name + " == '" + word->text + "'", word->text == usual->text))
        return choice;
    }
  }
  return fallback;
}

void add_argument(Thing& parser, const Invocation& call) {
  std::string name;
  for (const Argument& argument : call.arguments) {
    const auto* word = argument.name.empty() ? as<Text>(argument.value) : nullptr;
    if (word == nullptr) continue;
    // The first long option names it, else the first of all.
    const bool is_long = word->text.starts_with("--");
    if (name.empty() || (is_long && name.size() <= 2))
      name = word->text.substr(std::min(word->text.find_first_not_of('-'), word->text.size()));
  }
  if (const auto* given = as<Text>(call.named("dest"))) name = given->text;
  std::replace(name.begin(), name.end(), '-', '_');
  if (!name.empty()) parser.options.emplace_back(name, call.arguments);
}

}  // namespace

Value parser_method(Interpreter& in, Thing& parser, const std::string& name,
                    const Invocation& call) {
  if (name == "add_argument") {
    add_argument(parser, call);
    return none();
  }
  if (name == "add_argument_group" || name == "add_mutually_exclusive_group" ||
      name == "add_subparsers" || name == "add_parser")
    return parser.shared_from_this();
  if (name == "parse_args" || name == "parse_known_args") {
    auto made = std::make_shared<Unknown>("args");
    for (const auto& [option, arguments] : parser.options) {
      Invocation inner;
      inner.arguments = arguments;
      made->attributes.set(option, arguments_default(in, option, inner));
    }
    if (name == "parse_args") return made;
    return tuple({made, unknown()});
  }
  if (name == "error" || name == "exit") throw Exit{};
  return none();
}

}  // namespace sinter::lint
