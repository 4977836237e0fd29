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

/// self.name = value  ->  self.register_buffer("name", value, persistent=False)
Edit buffer_edit(const Script& script, const Source& source) {
  const Statement* assignment = assignment_of(script, source.place);
  const std::uint32_t begin = assignment == nullptr ? 0 : value_begin(script, *assignment);
  if (begin == 0) return {};
  const Expr& target = *assignment->targets[0];
  const Place& owner = target.parts[0]->place;
  const std::string name = script.text.substr(owner.begin, owner.end - owner.begin);
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

/// Whether an entry of a container can be a module: no container, text or number.
bool may_be_module(const Expr& item) {
  return item.kind == ExprKind::kCall || item.kind == ExprKind::kName ||
         item.kind == ExprKind::kAttribute || item.kind == ExprKind::kConditional;
}

/// ModuleDict's keys are texts without a dot.
bool may_be_key(const Expr& key) {
  if (key.kind == ExprKind::kText)
    return !key.text.empty() && key.text.find('.') == std::string::npos;
  return key.kind == ExprKind::kFormatted ||
         (key.kind == ExprKind::kCall && key.parts[0]->text == "str");
}

/// "ModuleList", "ModuleDict", or "" for what neither can hold.
std::string container_for(const Expr& value) {
  const auto pair = [](const Expr& entry) {
    return entry.kind == ExprKind::kPair && may_be_key(*entry.parts[0]) &&
           may_be_module(*entry.parts[1]);
  };
  const auto all = [&](const auto& fits) {
    return std::ranges::all_of(value.parts, [&](const ExprPtr& part) { return fits(*part); });
  };
  switch (value.kind) {
    case ExprKind::kList:
      return all(may_be_module) ? "ModuleList" : "";
    case ExprKind::kDict:
      return all(pair) ? "ModuleDict" : "";
    case ExprKind::kComprehension:
      if (value.text == "list") return may_be_module(*value.parts[0]) ? "ModuleList" : "";
      return value.text == "dict" && pair(*value.parts[0]) ? "ModuleDict" : "";
    default:
      return {};
  }
}

}  // namespace

Edit container_edit(const Script& script, const Place& attribute) {
  const Statement* assignment = assignment_of(script, attribute);
  if (assignment == nullptr) return {};
  const Expr& value = *assignment->value;
  const std::string type = container_for(value);
  if (type.empty()) return {};
  const auto prefix = module_prefix(script, type);
  if (!prefix) return {};
  const std::string call = *prefix + type;
  if (value.parts.empty())
    return {.replacements = {{value.place.begin, value.place.end, call + "()"}}, .safe = false};
  return {.replacements = {{value.place.begin, value.place.begin, call + "("},
                           {value.place.end, value.place.end, ")"}},
          .safe = false};
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
