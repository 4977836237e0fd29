#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinter/lint/library/torch/torch_library.h"
#include "sinter/lint/tensors/blame.h"
#include "sinter/lint/tensors/moves.h"
#include "sinter/lint/tensors/repairs.h"
#include "sinter/lint/values/conversions.h"

namespace sinter::lint {
namespace {

enum class Size { kArguments, kFirst, kData, kRange, kLine, kSquare, kIndexed };

/// One row per function that makes a tensor out of nothing.
struct Factory {
  std::string_view name;
  Size size = Size::kArguments;
  std::optional<DType> type = DType::kF32;
  bool follows_default = true;  // the default device, from set_default_device or a context
  bool any_type = false;        // the type depends on the arguments
};

constexpr std::array kFactories{
    Factory{.name = "randn"},
    Factory{.name = "rand"},
    Factory{.name = "zeros"},
    Factory{.name = "ones"},
    Factory{.name = "empty"},
    Factory{.name = "full", .size = Size::kFirst, .any_type = true},
    Factory{.name = "randint", .size = Size::kIndexed, .type = DType::kI64},
    Factory{.name = "randperm", .size = Size::kLine, .type = DType::kI64},
    Factory{.name = "arange", .size = Size::kRange, .type = DType::kI64, .any_type = true},
    Factory{.name = "range", .size = Size::kRange},
    Factory{.name = "linspace", .size = Size::kLine},
    Factory{.name = "logspace", .size = Size::kLine},
    Factory{.name = "eye", .size = Size::kSquare},
    Factory{.name = "tensor", .size = Size::kData, .any_type = true},
    Factory{.name = "as_tensor", .size = Size::kData, .any_type = true},
    Factory{.name = "asarray", .size = Size::kData, .any_type = true},
    Factory{.name = "scalar_tensor", .size = Size::kData},
    Factory{.name = "tril_indices", .size = Size::kSquare, .type = DType::kI64},
    Factory{.name = "triu_indices", .size = Size::kSquare, .type = DType::kI64},
    Factory{.name = "hann_window", .size = Size::kLine},
    Factory{.name = "hamming_window", .size = Size::kLine},
    Factory{.name = "blackman_window", .size = Size::kLine},
    Factory{.name = "kaiser_window", .size = Size::kLine},
    Factory{.name = "bartlett_window", .size = Size::kLine},
    Factory{.name = "empty_strided", .size = Size::kFirst},
    Factory{.name = "fft.fftfreq", .size = Size::kLine},
    Factory{.name = "fft.rfftfreq", .size = Size::kLine},
    Factory{.name = "from_numpy", .size = Size::kData, .follows_default = false, .any_type = true},
    Factory{.name = "frombuffer", .size = Size::kLine, .follows_default = false, .any_type = true},
    Factory{.name = "normal", .size = Size::kIndexed, .follows_default = false},
    Factory{.name = "Tensor", .follows_default = false},
    Factory{.name = "FloatTensor", .follows_default = false},
    Factory{.name = "DoubleTensor", .type = DType::kF64, .follows_default = false},
    Factory{.name = "HalfTensor", .type = DType::kF16, .follows_default = false},
    Factory{.name = "LongTensor", .type = DType::kI64, .follows_default = false},
    Factory{.name = "IntTensor", .type = DType::kI32, .follows_default = false},
    Factory{.name = "ByteTensor", .type = DType::kU8, .follows_default = false},
    Factory{.name = "BoolTensor", .type = DType::kBool, .follows_default = false},
};

constexpr int kDeepestData = 8;  // of lists in lists; one may hold itself

const Factory* find_factory(std::string_view name) {
  const auto found = std::find_if(kFactories.begin(), kFactories.end(),
                                  [&](const Factory& row) { return row.name == name; });
  return found == kFactories.end() ? nullptr : found;
}

Dim dim_of(const Value& value) {
  const auto* found = as<Number>(value);
  if (found == nullptr || !found->value) return {};
  return {.extent = static_cast<std::int64_t>(*found->value), .place = found->place};
}

TensorShape shape_of_sizes(const Value& sizes, bool scalar_if_number) {
  if (const auto* several = as<Sequence>(sizes)) {
    if (several->open)
      return several->items.empty() ? TensorShape::anything() : TensorShape::some();
    TensorShape shape{.dims = std::vector<Dim>{}};
    for (const Value& item : several->items) shape.dims->push_back(dim_of(item));
    return shape;
  }
  if (as<Number>(sizes)) {
    if (scalar_if_number) return TensorShape::scalar();
    return {.dims = std::vector<Dim>{dim_of(sizes)}};
  }
  return TensorShape::some();
}

TensorShape shape_of_data(const Value& data, int depth = 0) {
  if (depth > kDeepestData) return TensorShape::some();
  if (as<Number>(data)) return TensorShape::scalar();
  if (const auto* array = as<Array>(data)) return array->shape;
  if (const auto* several = as<Sequence>(data)) {
    TensorShape inner = several->items.empty() ? TensorShape::scalar()
                                               : shape_of_data(several->items[0], depth + 1);
    if (!inner.dims) return TensorShape::some();
    const Dim first =
        several->open ? Dim{} : Dim{.extent = static_cast<std::int64_t>(several->items.size())};
    inner.dims->insert(inner.dims->begin(), first);
    return inner;
  }
  if (const Facts* facts = facts_of(data)) return facts->shape;
  return TensorShape::anything();
}

std::optional<DType> type_of_data(const Value& data, std::optional<DType> usual, int depth = 0) {
  if (depth > kDeepestData) return std::nullopt;
  if (const auto* found = as<Number>(data)) {
    if (found->boolean) return DType::kBool;
    return found->integer ? DType::kI64 : usual;
  }
  if (const auto* array = as<Array>(data)) return array->type;
  if (const auto* several = as<Sequence>(data)) {
    for (const Value& item : several->items)
      if (const auto type = type_of_data(item, usual, depth + 1); type != DType::kI64) return type;
    return several->items.empty() ? usual : std::optional(DType::kI64);
  }
  if (const Facts* facts = facts_of(data)) return facts->type;
  return std::nullopt;
}

TensorShape factory_shape(const Factory& factory, const Invocation& call) {
  switch (factory.size) {
    case Size::kArguments: {
      if (const Value size = call.named("size")) return shape_of_sizes(size, false);
      std::vector<Value> sizes;
      for (const Argument& argument : call.arguments)
        if (argument.name.empty()) sizes.push_back(argument.value);
      if (call.splat) return TensorShape::some();
      if (sizes.size() == 1 && !as<Number>(sizes[0])) return shape_of_sizes(sizes[0], false);
      TensorShape shape{.dims = std::vector<Dim>{}};
      for (const Value& size : sizes) shape.dims->push_back(dim_of(size));
      return shape;
    }
    case Size::kFirst:
      return shape_of_sizes(call.get(0, "size"), false);
    case Size::kData:
      return shape_of_data(call.get(0, "data"));
    case Size::kIndexed: {
      Value size = call.named("size");
      for (std::size_t i = 1; !size && i < call.arguments.size(); ++i)
        if (call.arguments[i].name.empty() && as<Sequence>(call.arguments[i].value))
          size = call.arguments[i].value;
      return size ? shape_of_sizes(size, false) : TensorShape::some();
    }
    case Size::kRange:
    case Size::kLine:
      return TensorShape::of_rank(1);
    case Size::kSquare:
      break;
  }
  return TensorShape::of_rank(2);
}

std::optional<DType> factory_type(const Factory& factory, const Interpreter& in,
                                  const Invocation& call) {
  if (const Value type = call.named("dtype"); type && !as<None>(type)) return type_of(type);
  if (call.splat) return std::nullopt;
  const std::optional<DType> usual = in.state.default_type;
  if (factory.size == Size::kData) return type_of_data(call.get(0, "data"), usual);
  if (factory.name == "full") {
    const Value fill = call.get(1, "fill_value");
    return fill ? type_of_data(fill, usual) : std::nullopt;
  }
  if (factory.size == Size::kRange && factory.any_type) {
    for (const Argument& argument : call.arguments)
      if (const auto* found = as<Number>(argument.value); found && !found->integer) return usual;
    return DType::kI64;
  }
  return factory.type == DType::kF32 ? usual : factory.type;
}

/// Whether a value was handed in as the default of a parameter, and by which call.
const DeviceValue* left_out(const Value& device) {
  const auto* found = as<DeviceValue>(device);
  return found && found->default_of != nullptr ? found : nullptr;
}

bool is_literal(const Argument* argument) {
  if (argument == nullptr || argument->expr == nullptr) return false;
  const Expr& expr = *argument->expr;
  if (expr.kind == ExprKind::kText) return true;
  return expr.kind == ExprKind::kCall && expr.parts.size() == 2 &&
         expr.parts[0]->text == "device" && expr.parts[1]->kind == ExprKind::kText;
}

bool comes_from_array(const Factory& factory, const Invocation& call) {
  if (factory.name == "from_numpy" || factory.name == "frombuffer") return true;
  if (factory.size != Size::kData && factory.name != "Tensor" && factory.name != "FloatTensor")
    return false;
  const Value data = call.get(0, "data");
  if (as<Array>(data)) return true;
  if (const auto* several = as<Sequence>(data))
    return !several->items.empty() && as<Array>(several->items[0]);
  const auto* picture = as<Thing>(data);
  return picture && picture->what == Thing::What::kImage;
}

std::shared_ptr<Source> factory_source(Interpreter& in, const Factory& factory,
                                       const Invocation& call, const Value& device) {
  auto source = std::make_shared<Source>();
  const bool array = comes_from_array(factory, call);
  source->kind = array ? SourceKind::kArray : SourceKind::kFactory;
  source->place = call.place;
  source->expr = call.expr;
  source->what = fmt::format("torch.{}", factory.name);
  source->in_forward = in.frame().in_forward;
  source->literal_device = is_literal(call.find(Invocation::kNowhere, "device"));
  const bool given = device && !as<None>(device);
  source->ignored_default = !given && !factory.follows_default &&
                            in.default_device().is_accelerator() && !in.state.legacy_default;
  source->device_hint = in.device_hint();
  if (const DeviceValue* fallback = left_out(device)) {
    source->place = fallback->place;
    source->expr = fallback->default_of;
    source->what = fmt::format("the default {} of the parameter {}", to_string(fallback->device),
                               fallback->parameter);
    source->literal_device = false;
    source->in_forward = false;
  }
  return source;
}

void check_forward_literal(Interpreter& in, const Source& source, const Device& device) {
  if (!source.in_forward || !source.literal_device || !device.is_accelerator()) return;
  Facts other;
  other.device = device;
  in.report(Rule::kForwardHardcodedDevice, source.place,
            fmt::format("forward() makes a tensor on {} whatever the device of its input is",
                        to_string(device)),
            edit_for(Rule::kForwardHardcodedDevice, in, source, other));
}

}  // namespace

bool is_factory(std::string_view name) { return find_factory(name) != nullptr; }

Value make_tensor(Interpreter& in, std::string_view name, const Invocation& call) {
  const Factory& factory = *find_factory(name);
  const Value data = factory.size == Size::kData ? call.get(0, "data") : nullptr;
  const Value device = call.named("device");
  const bool given = device && !as<None>(device);
  Facts facts;
  if (const Facts* old = facts_of(data); old && name != "tensor") {
    // as_tensor() of a tensor is that tensor.
    facts = *old;
    if (const auto to = given ? device_of(device) : std::nullopt) facts.device = *to;
    if (const Value type = call.named("dtype")) facts.type = type_of(type);
    return tensor(std::move(facts));
  }
  facts.shape = factory_shape(factory, call);
  facts.type = factory_type(factory, in, call);
  if (const auto* array = as<Array>(data)) facts.wide = !facts.type && array->from_file;
  if (given) {
    facts.device = settled(in, device_of(device).value_or(Device{}));
  } else if (call.splat) {
    facts.device = Device{};
  } else if (const Facts* old = facts_of(data)) {
    facts.device = old->device;
  } else if (const auto* open = as<Unknown>(data); open && open->key.starts_with("param:")) {
    facts.device = Device{};  // it may be a tensor
  } else if (name == "normal" && (facts_of(call.get(0, "mean")) || facts_of(call.get(1, "std")))) {
    const Facts* like = facts_of(call.get(0, "mean"));
    facts.device = (like ? like : facts_of(call.get(1, "std")))->device;
  } else {
    facts.device =
        factory.follows_default || in.state.legacy_default ? in.default_device() : Device::cpu();
  }
  const auto source = factory_source(in, factory, call, device);
  // x.device of a CPU tensor: x is where it went wrong.
  const auto* asked = as<DeviceValue>(device);
  facts.source = asked && asked->of && facts.device.is_cpu() ? asked->of : SourcePtr(source);
  facts.type_source = source;
  check_generator(in, facts.device, call);
  check_forward_literal(in, *source, facts.device);
  return tensor(std::move(facts));
}

Value make_like(Interpreter& in, std::string_view name, const Invocation& call) {
  const Value like = call.get(0, "input");
  const Facts* old = facts_of(like);
  Facts facts;
  if (old != nullptr) {
    facts = *old;
    facts.recorded.clear();
    facts.computed = facts.loaded = false;
  } else {
    facts.shape = TensorShape::anything();
  }
  if (const Value device = call.named("device"); device && !as<None>(device)) {
    facts.device = device_of(device).value_or(Device{});
    auto source = std::make_shared<Source>();
    source->kind = SourceKind::kFactory;
    source->place = call.place;
    source->expr = call.expr;
    source->what = fmt::format("torch.{}", name);
    source->in_forward = in.frame().in_forward;
    source->literal_device = is_literal(call.find(Invocation::kNowhere, "device"));
    source->device_hint = in.device_hint();
    facts.source = source;
  }
  if (const Value type = call.named("dtype"); type && !as<None>(type)) facts.type = type_of(type);
  check_generator(in, facts.device, call);
  return tensor(std::move(facts));
}

}  // namespace sinter::lint
