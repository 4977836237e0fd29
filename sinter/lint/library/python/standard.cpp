#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinter/lint/library/library.h"
#include "sinter/lint/library/things.h"

namespace sinter::lint {
namespace {

Value path(const std::vector<Value>& pieces) {
  auto made = std::make_shared<Text>("");
  made->path = true;
  for (const Value& piece : pieces) {
    const auto* word = as<Text>(piece);
    if (!made->text.empty()) made->text += '/';
    made->text += word ? word->text : "\x01";
    if (word && !made->place.known()) made->place = word->place;
  }
  return made;
}

std::vector<Value> positional(const Invocation& call) {
  std::vector<Value> all;
  for (const Argument& argument : call.arguments)
    if (argument.name.empty()) all.push_back(argument.value);
  return all;
}

Value os_call(Interpreter& in, const std::string& name, const Invocation& call) {
  if (name == "path.join" || name == "path.abspath" || name == "path.expanduser" ||
      name == "path.normpath" || name == "fspath")
    return path(positional(call));
  if (name == "makedirs" || name == "mkdir") {
    check_output_path(in, call.get(0, "name"), call.place);
    return none();
  }
  if (name == "getenv" || name == "environ.get") {
    const auto* key = as<Text>(call.get(0, "key"));
    return unknown(key && key->exact() ? "env." + key->text : "");
  }
  if (name == "putenv") {
    set_environment(in, call.get(0, "key"), call.get(1, "value"), call.place);
    return none();
  }
  if (name == "path.basename" || name == "path.dirname" || name == "getcwd") return text("\x01");
  if (name == "path.splitext") return tuple({text("\x01"), text("\x01")});
  if (name == "_exit") throw Exit{};
  return unknown();
}

Value partial(const Invocation& call) {
  if (call.arguments.empty()) return unknown();
  auto made = std::make_shared<Partial>(call.arguments.front().value);
  made->arguments.assign(call.arguments.begin() + 1, call.arguments.end());
  made->place = call.place;
  // A factory's fault is in what the partial leaves out.
  if (as<Library>(made->function) || as<Partial>(made->function)) made->created = call.expr;
  return made;
}

Value reduce(Interpreter& in, const Invocation& call) {
  Value sum = call.get(2, "initial");
  const Value function = call.get(0, "function");
  in.iterate(call.get(1, "iterable"), [&](const Value& item) {
    sum = sum ? in.call(function, {sum, item}, call.place) : item;
  });
  return sum ? sum : unknown();
}

Value chained(Interpreter& in, const std::string& name, const Invocation& call) {
  auto made = std::make_shared<Sequence>(Sequence::Type::kList);
  if (name == "chain") {
    for (const Argument& argument : call.arguments) {
      const bool all =
          in.iterate(argument.value, [&](Value item) { made->items.push_back(std::move(item)); });
      made->open = made->open || !all;
    }
    return made;
  }
  if (name == "product" && call.arguments.size() == 2) {
    for (const Value& a : in.items(call.arguments[0].value))
      for (const Value& b : in.items(call.arguments[1].value)) made->items.push_back(tuple({a, b}));
    made->open = true;
    return made;
  }
  if (name == "count") {
    made->open = true;
    made->items = {number(std::nullopt), number(std::nullopt)};
    return made;
  }
  if (call.arguments.empty()) return unknown();
  return call.arguments[0].value;
}

Value namespace_of(Interpreter& in, const Invocation& call) {
  auto made = std::make_shared<Unknown>(in.key_at(call.place));
  for (const Argument& argument : call.arguments)
    if (!argument.name.empty()) made->attributes.set(argument.name, argument.value);
  return made;
}

Value contexts(const std::string& path_name, const Invocation& call) {
  auto made = std::make_shared<Thing>(Thing::What::kContext);
  made->name = path_name == "contextlib.ExitStack" ? "stack" : "other";
  if (path_name == "contextlib.nullcontext" && !call.arguments.empty())
    return call.arguments[0].value;
  return made;
}

}  // namespace

Value call_standard(Interpreter& in, const std::string& name, const Invocation& call) {
  if (name.starts_with("os.")) return os_call(in, name.substr(3), call);
  if (name == "sys.exit") throw Exit{};
  if (name.starts_with("pathlib.")) return path(positional(call));
  if (name == "argparse.ArgumentParser" || name == "optparse.OptionParser")
    return std::make_shared<Thing>(Thing::What::kParser);
  if (name == "functools.partial") return partial(call);
  if (name == "functools.reduce") return reduce(in, call);
  if (name.starts_with("functools."))
    return call.arguments.empty() ? std::make_shared<Library>(name) : call.arguments[0].value;
  if (name == "copy.deepcopy" || name == "copy.copy")
    return call.arguments.empty() ? unknown() : deep_copy(call.arguments[0].value);
  if (name.starts_with("itertools.")) return chained(in, name.substr(10), call);
  if (name.starts_with("tqdm") && !call.arguments.empty()) {
    if (name.ends_with("trange")) return call_builtin(in, "range", call);
    return call.arguments[0].value;
  }
  if (name == "types.SimpleNamespace" || name == "argparse.Namespace")
    return namespace_of(in, call);
  if (name == "collections.OrderedDict" || name == "collections.defaultdict") {
    Invocation rest = call;
    if (name.ends_with("defaultdict") && !rest.arguments.empty())
      rest.arguments.erase(rest.arguments.begin());
    return call_builtin(in, "dict", rest);
  }
  if (name == "collections.deque") {
    Value made = call_builtin(in, "list", call);
    // With a longest length it does not grow.
    if (call.get(1, "maxlen")) as<Sequence>(made)->joined = true;
    return made;
  }
  if (name.starts_with("contextlib.")) return contexts(name, call);
  if (name == "onnxruntime.InferenceSession") return make_session(in, call);
  if (name == "shutil.copy" || name == "shutil.move") {
    check_output_path(in, call.get(1, "dst"), call.place);
    return none();
  }
  if (name == "warnings.catch_warnings") return contexts(name, call);
  if (name.starts_with("math.") || name.starts_with("random.") || name.starts_with("time.")) {
    if (name == "random.choice" || name == "random.sample" || name == "random.shuffle")
      return call.arguments.empty()
                 ? unknown()
                 : in.subscript(call.arguments[0].value, number(std::nullopt), call.place);
    return number(std::nullopt,
                  name == "math.ceil" || name == "math.floor" || name == "random.randint");
  }
  return nullptr;
}

}  // namespace sinter::lint
