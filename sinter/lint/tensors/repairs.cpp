#include "sinter/lint/tensors/repairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sinter/lint/syntax/walk.h"

namespace sinter::lint {
namespace {

/// What to write for the device: a name in reach, else the other operand's device.
std::string device_words(const Source& source, const Facts& other) {
  if (!source.device_hint.empty()) return source.device_hint;
  return other.device.is_accelerator() ? '"' + to_string(other.device) + '"' : std::string();
}

Edit append_to(const Expr& expr, std::string tail, bool safe) {
  return {.replacements = {{expr.place.end, expr.place.end, std::move(tail)}}, .safe = safe};
}

/// `target = value` or `target: type = value` with a value, whose target stands at that place.
const Statement* assignment_of(const Script& script, const Place& target) {
  const Statement* found = statement_at(script.body, target.begin);
  if (found == nullptr || found->targets.size() != 1 || !found->value ||
      (found->kind != StatementKind::kAssign && found->kind != StatementKind::kAnnotated) ||
      found->targets[0]->place.begin != target.begin ||
      found->targets[0]->kind != ExprKind::kAttribute)
    return nullptr;
  return found;
}

/// Where the text of an assigned value begins, with parentheses around it; 0 where that is unclear.
std::uint32_t value_begin(const Script& script, const Statement& assignment) {
  // Between the target and the value stand a type, the sign and perhaps parentheses.
  std::size_t at = assignment.value->place.begin;
  const std::size_t least = assignment.targets[0]->place.end;
  while (at > least && script.text[at - 1] != '=') --at;
  if (at <= least) return 0;
  while (at < assignment.value->place.begin && script.text[at] == ' ') ++at;
  return static_cast<std::uint32_t>(at);
}

std::string text_of(const Script& script, const Place& place) {
  return script.text.substr(place.begin, place.end - place.begin);
}

/// self.a, self.b = x, y  ->  a statement for each
Edit buffers_edit(const Script& script, const Place& target) {
  const Statement* found = statement_at(script.body, target.begin);
  if (found == nullptr || found->kind != StatementKind::kAssign || found->targets.size() != 1)
    return {};
  const Expr& names = *found->targets[0];
  const Expr& values = *found->value;
  if (names.kind != ExprKind::kTuple || values.kind != ExprKind::kTuple ||
      names.parts.size() != values.parts.size())
    return {};
  const std::size_t line = script.text.rfind('\n', found->place.begin) + 1;  // 0 in the first line
  const std::string indent = script.text.substr(line, found->place.begin - line);
  if (indent.find_first_not_of(" \t") != std::string::npos) return {};
  std::string text;
  for (std::size_t i = 0; i < names.parts.size(); ++i) {
    const Expr& name = *names.parts[i];
    if (name.kind != ExprKind::kAttribute || values.parts[i]->kind == ExprKind::kStar) return {};
    text += fmt::format("{}{}.register_buffer(\"{}\", {}, persistent=False)",
                        i == 0 ? "" : "\n" + indent, text_of(script, name.parts[0]->place),
                        name.text, text_of(script, values.parts[i]->place));
  }
  return {.replacements = {{found->place.begin, found->place.end, text}}, .safe = false};
}

/// self.name = value  ->  self.register_buffer("name", value, persistent=False)
Edit buffer_edit(const Script& script, const Source& source) {
  const Statement* assignment = assignment_of(script, source.place);
  const std::uint32_t begin = assignment == nullptr ? 0 : value_begin(script, *assignment);
  if (begin == 0) return buffers_edit(script, source.place);
  const Expr& target = *assignment->targets[0];
  const Place& owner = target.parts[0]->place;
  const std::string name = text_of(script, owner);
  // A name that is there already cannot be registered.
  bool again = false;
  const std::string other = name + "." + target.text;
  for (std::size_t at = script.text.find(other); at != std::string::npos;
       at = script.text.find(other, at + 1)) {
    const std::size_t behind = script.text.find_first_not_of(' ', at + other.size());
    again = again || (at != target.place.begin && behind != std::string::npos &&
                      script.text[behind] == '=' && script.text[behind + 1] != '=');
  }
  return {.replacements = {{target.place.begin, begin,
                            fmt::format("{}.register_buffer(\"{}\", ", name, target.text)},
                           {assignment->place.end, assignment->place.end, ", persistent=False)"}},
          .safe = !again};
}

/// How the script reaches torch.nn's classes: "nn.", "torch.nn.", "" for one that it imports;
/// nothing where it does not.
std::optional<std::string> module_prefix(const Script& script, const std::string& wanted) {
  std::optional<std::string> found;
  each_statement(script.body, [&](const Statement& statement) {
    for (const Import& import : statement.imports) {
      const std::string& alias = import.alias;
      if (import.module == "torch.nn" && import.name == wanted) found = "";
      if (found) continue;
      if (import.module == "torch.nn" && import.name.empty())
        found = alias.empty() ? "torch.nn." : alias + ".";
      if (import.module == "torch" && import.name == "nn")
        found = (alias.empty() ? "nn" : alias) + ".";
    }
  });
  if (found) return found;
  each_statement(script.body, [&](const Statement& statement) {
    for (const Import& import : statement.imports)
      if (import.module == "torch" && import.name.empty())
        found = (import.alias.empty() ? "torch" : import.alias) + ".nn.";
  });
  return found;
}

/// ModuleDict's keys are texts without a dot; those of a comprehension are not known.
bool may_be_key(const Expr& key, bool comprehension) {
  if (key.kind == ExprKind::kText)
    return !key.text.empty() && key.text.find('.') == std::string::npos;
  return key.kind == ExprKind::kFormatted || (key.kind == ExprKind::kName && comprehension) ||
         (key.kind == ExprKind::kCall && key.parts[0]->text == "str");
}

/// Lists and dicts of modules, one in another, become torch's; false for what holds something else.
class Containers {
 public:
  explicit Containers(const Script& script) : script_(script) {}

  bool wrap(const Expr& value) {
    const bool comprehension = value.kind == ExprKind::kComprehension;
    const bool list = value.kind == ExprKind::kList || (comprehension && value.text == "list");
    const bool dict = value.kind == ExprKind::kDict || (comprehension && value.text == "dict");
    if (!list && !dict) return false;
    const std::string type = list ? "ModuleList" : "ModuleDict";
    const auto prefix = module_prefix(script_, type);
    if (!prefix) return false;
    if (value.parts.empty()) {
      parts.push_back({value.place.begin, value.place.end, *prefix + type + "()"});
      return true;
    }
    parts.push_back({value.place.begin, value.place.begin, *prefix + type + "("});
    for (const ExprPtr& part : value.parts) {
      const bool pair = part->kind == ExprKind::kPair;
      if (dict != pair || (pair && !may_be_key(*part->parts[0], comprehension))) return false;
      if (!entry(pair ? *part->parts[1] : *part)) return false;
    }
    parts.push_back({value.place.end, value.place.end, ")"});
    return true;
  }

  std::vector<Replacement> parts;

 private:
  /// A module by its looks, or a container of such.
  bool entry(const Expr& item) {
    return item.kind == ExprKind::kCall || item.kind == ExprKind::kName ||
           item.kind == ExprKind::kAttribute || item.kind == ExprKind::kConditional || wrap(item);
  }

  const Script& script_;  // of the caller, who outlives this
};

}  // namespace

Edit container_edit(const Script& script, const Place& attribute) {
  const Statement* assignment = assignment_of(script, attribute);
  Containers containers(script);
  if (assignment == nullptr || !containers.wrap(*assignment->value)) return {};
  return {.replacements = std::move(containers.parts), .safe = false};
}

Edit keyword_edit(const Interpreter& in, const Expr& call, const std::string& name,
                  const std::string& value, bool safe) {
  if (call.kind != ExprKind::kCall) return {};
  for (std::size_t i = 1; i < call.parts.size(); ++i) {
    if (call.names[i] == name)
      return {.replacements = {{call.parts[i]->place.begin, call.parts[i]->place.end, value}},
              .safe = safe};
    if (call.names[i] == "**") return {};  // it may be given there
  }
  const std::string& text = in.script().text;
  // Behind the last argument; a comma at the end stays the last thing.
  std::size_t at = call.place.end - 1;
  if (at >= text.size() || text[at] != ')') return {};
  const bool empty = call.parts.size() == 1;
  if (!empty) at = call.parts.back()->place.end;
  // The last argument may stand in parentheses of its own.
  int open = 0;
  for (std::size_t i = call.tail.begin + 1; i < at; ++i)
    open += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
  while (open > 0 && at < call.place.end - 1) open -= text[at++] == ')' ? 1 : 0;
  const auto place = static_cast<std::uint32_t>(at);
  return {.replacements = {{place, place, fmt::format("{}{}={}", empty ? "" : ", ", name, value)}},
          .safe = safe};
}

Edit dtype_edit(const Interpreter& in, const Source& source, DType wanted) {
  if (source.expr == nullptr || source.kind == SourceKind::kModule) return {};
  const std::string word = fmt::format("torch.{}", dtype_info(wanted).word);
  if (source.kind == SourceKind::kFactory)
    return keyword_edit(in, *source.expr, "dtype", word, false);
  return append_to(*source.expr, fmt::format(".to({})", word), false);
}

Edit edit_for(Rule rule, const Interpreter& in, const Source& source, const Facts& other) {
  if (rule == Rule::kPlainTensorAttribute && source.expr != nullptr)
    return buffer_edit(in.script(), source);
  const std::string device = device_words(source, other);
  if (source.expr == nullptr || device.empty()) return {};
  const bool named = !source.device_hint.empty();
  switch (rule) {
    case Rule::kTensorWithoutDevice:
    case Rule::kForwardTensorWithoutDevice:
    case Rule::kIndexNotMoved:
      if (source.kind == SourceKind::kFactory)
        return keyword_edit(in, *source.expr, "device", device, named);
      return append_to(*source.expr, fmt::format(".to({})", device), named);
    case Rule::kForwardHardcodedDevice:
      return keyword_edit(in, *source.expr, "device", device, named);
    case Rule::kNumpyNotMoved:
    case Rule::kInputsNotMoved:
    case Rule::kDefaultDeviceIgnored:
      return append_to(*source.expr, fmt::format(".to({})", device), named);
    case Rule::kModuleNotMoved:
      return append_to(*source.expr, fmt::format(".to({})", device), false);
    case Rule::kStateDictOnCpu:
    case Rule::kMixedDeviceArithmetic:
      if (source.what.find("load_file") == std::string::npos) return {};
      return keyword_edit(in, *source.expr, "device", device, false);
    default:
      return {};
  }
}

}  // namespace sinter::lint
