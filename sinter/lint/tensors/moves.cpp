#include "sinter/lint/tensors/moves.h"

#include <algorithm>
#include <array>

#include "sinter/lint/values/conversions.h"

namespace sinter::lint {
namespace {

bool is_literal_device(const Argument* argument) {
  if (argument == nullptr || argument->expr == nullptr) return false;
  const Expr* expr = argument->expr;
  if (expr->kind == ExprKind::kText) return true;
  return expr->kind == ExprKind::kCall && expr->parts.size() > 1 &&
         expr->parts[0]->text == "device" && expr->parts[1]->kind == ExprKind::kText;
}

struct TypeMethod {
  std::string_view name;
  DType type;
};
constexpr std::array kTypeMethods{
    TypeMethod{"half", DType::kF16},   TypeMethod{"float", DType::kF32},
    TypeMethod{"double", DType::kF64}, TypeMethod{"bfloat16", DType::kBF16},
    TypeMethod{"int", DType::kI32},    TypeMethod{"long", DType::kI64},
    TypeMethod{"short", DType::kI16},  TypeMethod{"bool", DType::kBool},
    TypeMethod{"byte", DType::kU8},    TypeMethod{"char", DType::kI8}};

}  // namespace

std::optional<DType> type_of_method(std::string_view name) {
  const auto found = std::find_if(kTypeMethods.begin(), kTypeMethods.end(),
                                  [&](const TypeMethod& row) { return row.name == name; });
  return found == kTypeMethods.end() ? std::nullopt : std::optional(found->type);
}

Device settled(const Interpreter& in, Device device) {
  if (device.is_cuda() && device.index == Device::kCurrent && in.state.current_cuda > 0)
    device.index = in.state.current_cuda;
  return device;
}

Move read_move(Interpreter& in, const std::string& name, const Invocation& call) {
  Move move;
  if (name == "cpu") move.device = Device::cpu();
  if (name == "cuda") {
    const Value given = call.get(0, "device");
    const auto device = given && !as<None>(given) ? device_of(given) : std::nullopt;
    move.device =
        device ? *device
               : Device::cuda(in.state.current_cuda > 0 ? in.state.current_cuda : Device::kCurrent);
  }
  if (const auto type = type_of_method(name)) move.type = type;
  if (name != "to" && name != "type" && name != "type_as" && name != "to_empty") return move;
  for (const Argument& argument : call.arguments) {
    if (argument.name == "non_blocking" || argument.name == "copy" ||
        argument.name == "memory_format")
      continue;
    if (as<None>(argument.value)) {
      // x.to(None) is no call that anybody means: the device is what is not known.
      if (&argument == &call.arguments.front() && argument.name.empty()) move.device = Device{};
      continue;
    }
    if (const Facts* like = facts_of(argument.value)) {
      move.device = like->device;
      move.type = like->type;
      move.type_unknown = !like->type;
    } else if (const auto* type = as<TypeValue>(argument.value)) {
      move.type = type->type;
      move.type_unknown = !type->type;
    } else if (const auto* open = as<Unknown>(argument.value)) {
      const bool device_named =
          argument.name == "device" || open->key.find("device") != std::string::npos;
      const bool type_named =
          argument.name == "dtype" || open->key.find("dtype") != std::string::npos;
      if (!type_named)
        move.device = device_named && !open->key.empty() ? Device::symbol(open->key) : Device{};
      if (!device_named) move.type_unknown = true;
    } else if (const auto device = device_of(argument.value)) {
      if (as<Number>(argument.value) && as<Number>(argument.value)->boolean) continue;
      move.device = settled(in, *device);
      move.literal = is_literal_device(&argument);
      if (const auto* asked = as<DeviceValue>(argument.value)) move.like = asked->of;
    } else if (!as<Library>(argument.value)) {
      move.device = Device{};
      move.type_unknown = true;
    }
  }
  if (call.splat && !move.device) {
    move.device = Device{};
    move.type_unknown = true;
  }
  return move;
}

}  // namespace sinter::lint
