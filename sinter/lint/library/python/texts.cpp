#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sinter/lint/library/library.h"

namespace sinter::lint {
namespace {

std::shared_ptr<Text> derived(const Text& from, std::string text) {
  auto made = std::make_shared<Text>(std::move(text));
  made->place = from.place;
  made->path = from.path;
  return made;
}

std::string piece(const Value& value) {
  if (const auto* word = as<Text>(value)) return word->text;
  if (const auto* digits = as<Number>(value); digits && digits->value && digits->integer)
    return fmt::format("{}", *digits->value);
  return "\x01";
}

/// "cuda:{}".format(i)
std::string formatted(const Text& pattern, const Invocation& call) {
  std::string out;
  std::size_t at = 0;
  std::size_t next = 0;
  while (at < pattern.text.size()) {
    const char c = pattern.text[at];
    if (c != '{') {
      out += c;
      ++at;
      continue;
    }
    const std::size_t end = pattern.text.find('}', at);
    if (end == std::string::npos) break;
    const std::string name = pattern.text.substr(at + 1, end - at - 1);
    const bool plain = name.empty();
    const Value value = plain ? call.get(next++, "") : call.named(name);
    out += value ? piece(value) : "\x01";
    at = end + 1;
  }
  return out;
}

/// startswith() and the like; null for other methods.
Value text_test(const Text& self, const std::string& name, const Invocation& call) {
  static constexpr std::array kTests{"startswith", "endswith", "isdigit", "exists",
                                     "is_file",    "is_dir",   "isalpha"};
  if (std::find(kTests.begin(), kTests.end(), name) != kTests.end()) {
    const auto* word = as<Text>(call.get(0, "prefix"));
    if (word == nullptr || !word->exact() || name.starts_with("is") || name == "exists")
      return unknown();
    if (name == "startswith") {
      if (self.text.starts_with(word->text)) return boolean(true);
      return self.exact() ? boolean(false) : unknown();
    }
    if (self.text.ends_with(word->text)) return boolean(true);
    return self.exact() ? boolean(false) : unknown();
  }
  return nullptr;
}

/// split() and the like; null for other methods.
Value text_parts(const Text& self, const std::string& name, const Invocation& call) {
  if (name == "split" || name == "rsplit" || name == "splitlines" || name == "partition" ||
      name == "rpartition" || name == "glob" || name == "rglob" || name == "iterdir") {
    const auto* separator = as<Text>(call.get(0, "sep"));
    auto made = std::make_shared<Sequence>(Sequence::Type::kList);
    if (name == "split" && separator && separator->exact() && self.exact() &&
        !separator->text.empty() && call.arguments.size() == 1) {
      std::size_t at = 0;
      while (true) {
        const std::size_t end = self.text.find(separator->text, at);
        made->items.push_back(text(self.text.substr(at, end - at)));
        if (end == std::string::npos) return made;
        at = end + separator->text.size();
      }
    }
    made->open = true;
    made->items.push_back(text("\x01"));
    made->items.push_back(text("\x01"));
    return made;
  }
  return nullptr;
}

}  // namespace

Value text_method(Interpreter& in, const Text& self, const std::string& name,
                  const Invocation& call) {
  if (name == "format") return derived(self, formatted(self, call));
  if (name == "join") {
    std::string joined;
    bool first = true;
    for (const Value& item : in.items(call.get(0, "iterable"))) {
      if (!first) joined += self.text;
      joined += piece(item);
      first = false;
    }
    return derived(self,
                   self.path ? self.text + "/" + joined : joined + (joined.empty() ? "\x01" : ""));
  }
  if (name == "joinpath" || name == "__truediv__") {
    std::string joined = self.text;
    for (const Argument& argument : call.arguments) joined += "/" + piece(argument.value);
    return derived(self, joined);
  }
  if (name == "with_suffix" || name == "with_name" || name == "with_stem")
    return derived(self, "\x01" + piece(call.get(0, "suffix")));
  if (Value made = text_test(self, name, call)) return made;
  if (name == "lower" || name == "upper" || name == "strip" || name == "rstrip" ||
      name == "lstrip" || name == "resolve" || name == "absolute" || name == "expanduser" ||
      name == "as_posix" || name == "encode" || name == "title" || name == "capitalize") {
    if (!self.exact() && name != "strip") return derived(self, self.text);
    std::string changed = self.text;
    if (name == "lower" || name == "upper")
      std::transform(changed.begin(), changed.end(), changed.begin(), [&](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return static_cast<char>(name == "lower" ? std::tolower(byte) : std::toupper(byte));
      });
    return derived(self, changed);
  }
  if (Value made = text_parts(self, name, call)) return made;
  const bool writes =
      name == "mkdir" || name == "write_text" || name == "write_bytes" || name == "touch";
  if (writes && self.path) {
    const Value path = std::make_shared<Text>(self);
    check_output_path(in, path, call.place);
  }
  if (writes || name == "unlink") return none();
  if (name == "count" || name == "find" || name == "index" || name == "rfind" || name == "stat")
    return number(std::nullopt);
  if (name == "open" || name == "read_text" || name == "read_bytes") return unknown();
  return text("\x01");
}

Value path_attribute(const Text& path, const std::string& name) {
  if (name == "parent") return derived(path, path.text.substr(0, path.text.rfind('/')));
  if (name == "name" || name == "stem" || name == "suffix") {
    auto made = std::make_shared<Text>("\x01");
    made->place = path.place;
    const std::size_t dot = path.text.rfind('.');
    if (name == "suffix" && dot != std::string::npos) made->text = path.text.substr(dot);
    return made;
  }
  auto self = std::make_shared<Text>(path);
  return std::make_shared<Bound>(self, name);
}

Value text_binary(const std::string& op, const Text& left, const Value& right) {
  if (op == "+") return derived(left, left.text + piece(right));
  if (op == "/" && left.path) return derived(left, left.text + "/" + piece(right));
  if (op == "/") {
    auto made = derived(left, left.text + "/" + piece(right));
    made->path = true;
    return made;
  }
  if (op == "%") {
    std::string out;
    std::vector<Value> values{right};
    if (const auto* several = as<Sequence>(right)) values = several->items;
    std::size_t next = 0;
    for (std::size_t i = 0; i < left.text.size(); ++i) {
      if (left.text[i] != '%' || i + 1 == left.text.size()) {
        out += left.text[i];
        continue;
      }
      while (i + 1 < left.text.size() &&
             std::isalpha(static_cast<unsigned char>(left.text[i + 1])) == 0)
        ++i;
      ++i;
      out += next < values.size() ? piece(values[next++]) : "\x01";
    }
    return derived(left, out);
  }
  return derived(left, "\x01");
}

Value number_binary(const std::string& op, const Number& left, const Number& right) {
  const bool integer = left.integer && right.integer && op != "/";
  auto made = std::make_shared<Number>(std::nullopt, integer);
  // The number that decides the result is the one to change; the left one where both are written
  // out.
  made->place = left.place.known() ? left.place : right.place;
  if (!left.value || !right.value) return made;
  const double a = *left.value;
  const double b = *right.value;
  if (op == "+") made->value = a + b;
  if (op == "-") made->value = a - b;
  if (op == "*") made->value = a * b;
  if (op == "/" && b != 0) made->value = a / b;
  if (op == "//" && b != 0) made->value = std::floor(a / b);
  if (op == "%" && b != 0) made->value = a - b * std::floor(a / b);
  if (op == "**") made->value = std::pow(a, b);
  if (op == "<<" && b >= 0 && b < 40) made->value = a * std::exp2(b);
  if (op == ">>" && b >= 0 && b < 40) made->value = std::floor(a / std::exp2(b));
  if (made->value && !std::isfinite(*made->value)) made->value = std::nullopt;
  if (made->value && std::abs(*made->value) > 1e15) made->value = std::nullopt;
  return made;
}

}  // namespace sinter::lint
