#include "sinter/lint/tensors/repairs.h"

#include <fmt/format.h>

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

}  // namespace

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
    case Rule::kPlainTensorAttribute: {
      // self.name = value  ->  self.register_buffer("name", value, persistent=False)
      const std::string& text = in.script().text;
      const Place& at = source.place;
      const std::size_t equals = text.find('=', at.end);
      if (equals == std::string::npos || source.expr->place.begin < equals) return {};
      const std::string line = text.substr(at.end, source.expr->place.begin - at.end);
      if (line.find_first_not_of(" =") != std::string::npos) return {};
      return {
          .replacements = {{at.begin, source.expr->place.begin,
                            fmt::format("self.register_buffer(\"{}\", ", source.name)},
                           {source.expr->place.end, source.expr->place.end, ", persistent=False)"}},
          .safe = true};
    }
    default:
      return {};
  }
}

}  // namespace sinter::lint
