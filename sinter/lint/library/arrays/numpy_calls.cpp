#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinter/lint/library/library.h"
#include "sinter/lint/tensors/indexing.h"
#include "sinter/lint/values/element_types.h"

namespace sinter::lint {
namespace {

struct TypeName {
  std::string_view name;
  DType type;
};
constexpr std::array kTypes{TypeName{"float64", DType::kF64}, TypeName{"double", DType::kF64},
                            TypeName{"float32", DType::kF32}, TypeName{"single", DType::kF32},
                            TypeName{"float16", DType::kF16}, TypeName{"half", DType::kF16},
                            TypeName{"int64", DType::kI64},   TypeName{"int32", DType::kI32},
                            TypeName{"int16", DType::kI16},   TypeName{"int8", DType::kI8},
                            TypeName{"uint8", DType::kU8},    TypeName{"uint16", DType::kU16},
                            TypeName{"uint32", DType::kU32},  TypeName{"bool_", DType::kBool},
                            TypeName{"bool", DType::kBool}};

constexpr int kDeepestData = 8;  // of lists in lists; one may hold itself

/// The element type that a dtype argument names: np.float32, "float32", float.
std::optional<DType> numpy_type(const Value& value) {
  if (const auto* found = as<TypeValue>(value)) return found->type;
  const auto* word = as<Text>(value);
  const auto* library = as<Library>(value);
  std::string name = word ? word->text : library ? library->path : "";
  if (name == "builtins.float" || name == "float") return DType::kF64;
  if (name == "builtins.int" || name == "int") return DType::kI64;
  if (name == "builtins.bool") return DType::kBool;
  if (name == "f4") return DType::kF32;
  const auto row = std::find_if(kTypes.begin(), kTypes.end(),
                                [&](const TypeName& each) { return each.name == name; });
  return row == kTypes.end() ? std::nullopt : std::optional(row->type);
}

TensorShape sizes(const Value& value) {
  if (const auto* several = as<Sequence>(value)) {
    if (several->open) return TensorShape::some();
    TensorShape shape{.dims = std::vector<Dim>{}};
    for (const Value& item : several->items) {
      const auto* extent = as<Number>(item);
      shape.dims->push_back(
          extent && extent->value
              ? Dim{.extent = static_cast<std::int64_t>(*extent->value), .place = extent->place}
              : Dim{});
    }
    return shape;
  }
  return as<Number>(value) ? TensorShape::of_rank(1) : TensorShape::some();
}

Value array(std::optional<DType> type, TensorShape shape) {
  return std::make_shared<Array>(type, std::move(shape));
}

std::optional<DType> type_of_items(const Value& value, int depth = 0) {
  if (depth > kDeepestData) return std::nullopt;
  if (const auto* digits = as<Number>(value))
    return digits->boolean ? DType::kBool : digits->integer ? DType::kI64 : DType::kF64;
  if (const auto* given = as<Array>(value)) return given->type;
  if (const auto* several = as<Sequence>(value)) {
    for (const Value& item : several->items) {
      const auto type = type_of_items(item, depth + 1);
      if (type != DType::kI64) return type;
    }
    return several->items.empty() ? std::optional(DType::kF64) : DType::kI64;
  }
  return std::nullopt;
}

TensorShape shape_of_items(const Value& value, int depth = 0) {
  if (depth > kDeepestData) return TensorShape::some();
  if (as<Number>(value)) return TensorShape::scalar();
  if (const auto* given = as<Array>(value)) return given->shape;
  if (const auto* several = as<Sequence>(value)) {
    TensorShape inner = several->items.empty() ? TensorShape::scalar()
                                               : shape_of_items(several->items[0], depth + 1);
    if (!inner.dims) return TensorShape::some();
    Dim first;
    if (!several->open) first.extent = static_cast<std::int64_t>(several->items.size());
    inner.dims->insert(inner.dims->begin(), first);
    return inner;
  }
  return TensorShape::some();
}

/// np.array, np.asarray of whatever there is.
Value to_array(Interpreter& in, const Invocation& call) {
  const Value given = call.get(0, "object");
  const Value asked = call.get(1, "dtype");
  std::optional<DType> type = asked ? numpy_type(asked) : std::nullopt;
  if (const Facts* facts = facts_of(given)) {
    Invocation inner;
    inner.place = call.place;
    const Value made = tensor_method(in, given, "numpy", inner);
    if (asked) return array(type, facts->shape);
    return made;
  }
  if (const auto* image = as<Thing>(given); image && image->what == Thing::What::kImage) {
    TensorShape shape = TensorShape::some();
    if (image->mode == "RGB" || image->mode == "RGBA") {
      shape = TensorShape::of_rank(3);
      shape.dims->back().extent = image->mode == "RGB" ? 3 : 4;
    }
    if (image->mode == "L") shape = TensorShape::of_rank(2);
    return array(asked ? type : std::optional(DType::kU8), shape);
  }
  if (as<Sequence>(given)) {
    for (const Value& item : as<Sequence>(given)->items)
      if (const Facts* facts = facts_of(item); facts && facts->device.is_accelerator()) {
        Invocation inner;
        inner.place = call.place;
        tensor_method(in, item, "numpy", inner);
      }
  }
  if (as<Number>(given) || as<Sequence>(given) || as<Array>(given))
    return array(asked ? type : type_of_items(given), shape_of_items(given));
  return array(type, TensorShape::some());
}

std::optional<DType> combined(const Array& a, const Value& other, const std::string& op) {
  std::optional<DType> type = a.type;
  if (const auto* b = as<Array>(other)) {
    Facts fa{.device = {}, .type = a.type, .shape = TensorShape::some()};
    Facts fb{.device = {}, .type = b->type, .shape = TensorShape::some()};
    type = promote(fa, fb);
    // Integers of four bytes and more with float32 give float64.
    const bool mixed = a.type && b->type && is_floating(a.type) != is_floating(b->type);
    const std::optional<DType> whole =
        mixed ? (is_floating(a.type) ? b->type : a.type) : std::nullopt;
    if (mixed && type == DType::kF32 && dtype_bytes(*whole) >= 4) type = DType::kF64;
  } else if (const auto* digits = as<Number>(other)) {
    if (!digits->integer && type && !is_floating(type)) type = DType::kF64;
  } else if (!as<None>(other)) {
    type = std::nullopt;
  }
  if (op == "/" && type && !is_floating(type)) type = DType::kF64;
  if (op == "<" || op == ">" || op == "==" || op == "<=" || op == ">=" || op == "!=")
    type = DType::kBool;
  return type;
}

Value elementwise(const std::string& name, const Invocation& call) {
  const Value first = call.get(0, "x");
  const auto* a = as<Array>(first);
  if (a == nullptr) return nullptr;
  static constexpr std::array kFloat{"sqrt",  "exp",         "log",    "sin",    "cos",
                                     "tanh",  "mean",        "std",    "divide", "true_divide",
                                     "hypot", "linalg.norm", "average"};
  std::optional<DType> type = a->type;
  const bool makes_float = std::find(kFloat.begin(), kFloat.end(), name) != kFloat.end();
  if (makes_float && type && !is_floating(type)) type = DType::kF64;
  if (const Value asked = call.named("dtype"); asked && !as<None>(asked)) type = numpy_type(asked);
  if (name == "argmax" || name == "argsort" || name == "argmin" || name == "where" ||
      name == "nonzero")
    type = name == "where" ? std::nullopt : std::optional(DType::kI64);
  static constexpr std::array kSameShape{
      "clip", "sqrt", "exp",        "log",   "abs",   "ascontiguousarray",
      "copy", "flip", "nan_to_num", "round", "square"};
  const bool same = std::find(kSameShape.begin(), kSameShape.end(), name) != kSameShape.end();
  return array(type, same ? a->shape : TensorShape::some());
}

Value random_array(const std::string& name, const Invocation& call) {
  if (name == "default_rng" || name == "RandomState") {
    auto made = std::make_shared<Library>("numpy.random.Generator");
    return made;
  }
  const bool whole = name == "randint" || name == "integers" || name == "permutation";
  std::optional<DType> type = whole ? DType::kI64 : DType::kF64;
  if (const Value asked = call.named("dtype")) type = numpy_type(asked);
  if (name == "seed" || name == "shuffle") return none();
  if (call.arguments.empty()) return number(std::nullopt, false);
  TensorShape shape = TensorShape::some();
  if (name == "randn" || name == "rand") {
    shape = TensorShape{.dims = std::vector<Dim>{}};
    for (const Argument& argument : call.arguments) {
      const TensorShape one = sizes(tuple({argument.value}));
      shape.dims->push_back(one.dims ? one.dims->front() : Dim{});
    }
  } else if (const Value size = call.named("size") ? call.named("size") : call.get(0, "size");
             as<Sequence>(size)) {
    shape = sizes(size);
  }
  return array(type, shape);
}

Value filled(const std::string& name, const Invocation& call) {
  static constexpr std::array kFilled{"zeros",      "ones",      "empty",      "full",
                                      "eye",        "identity",  "linspace",   "arange",
                                      "zeros_like", "ones_like", "empty_like", "full_like",
                                      "logspace",   "meshgrid",  "tri"};
  if (std::find(kFilled.begin(), kFilled.end(), name) == kFilled.end()) return nullptr;
  std::optional<DType> type = DType::kF64;
  TensorShape shape = sizes(call.get(0, "shape"));
  if (name.ends_with("_like")) {
    const auto* like = as<Array>(call.get(0, "a"));
    type = like ? like->type : std::nullopt;
    shape = like ? like->shape : TensorShape::some();
  }
  if (name == "linspace" || name == "arange" || name == "logspace") shape = TensorShape::of_rank(1);
  if (name == "eye" || name == "identity") shape = TensorShape::of_rank(2);
  if (name == "arange") {
    type = DType::kI64;
    for (const Argument& argument : call.arguments)
      if (const auto* digits = as<Number>(argument.value); digits && !digits->integer)
        type = DType::kF64;
  }
  if (name == "full") type = type_of_items(call.get(1, "fill_value"));
  const std::size_t at = name == "full" ? 2
                         : name == "zeros" || name == "ones" || name == "empty"
                             ? 1
                             : Invocation::kNowhere;
  if (const Value asked = call.get(at, "dtype"); asked && !as<None>(asked))
    type = numpy_type(asked);
  return array(type, shape);
}

Value joined(const std::string& name, const Invocation& call) {
  if (name != "stack" && name != "concatenate" && name != "vstack" && name != "hstack" &&
      name != "dstack")
    return nullptr;
  const auto* several = as<Sequence>(call.get(0, "arrays"));
  if (several == nullptr || several->items.empty()) return array(std::nullopt, TensorShape::some());
  const auto* first = as<Array>(several->items[0]);
  std::optional<DType> type = first ? first->type : std::nullopt;
  for (const Value& item : several->items) {
    const auto* each = as<Array>(item);
    if (!each || each->type != type) type = std::nullopt;
  }
  TensorShape shape = TensorShape::some();
  if (name == "stack" && first && first->shape.rank())
    shape = TensorShape::of_rank(*first->shape.rank() + 1);
  return array(type, shape);
}

Value pictures(Interpreter& in, const std::string& path, const Invocation& call) {
  const std::string name = path.substr(path.find('.') + 1);
  if (name == "imread") return array(DType::kU8, TensorShape::of_rank(3));
  if (name == "imwrite") {
    check_output_path(in, call.get(0, "filename"), call.place);
    return boolean(true);
  }
  if (name == "Canny" || name == "threshold") return array(DType::kU8, TensorShape::of_rank(2));
  if (name == "cvtColor" || name == "resize" || name == "GaussianBlur" || name == "blur" ||
      name == "dilate" || name == "erode" || name == "flip" || name == "medianBlur" ||
      name == "bilateralFilter" || name == "warpAffine") {
    const auto* given = as<Array>(call.get(0, "src"));
    return array(given ? given->type : std::nullopt, TensorShape::some());
  }
  if (name.starts_with("COLOR_") || name.starts_with("INTER_")) return number(std::nullopt);
  return nullptr;
}

}  // namespace

Value array_binary(const std::string& op, const Value& left, const Value& right) {
  const auto* a = as<Array>(left);
  const Array& one = a ? *a : *as<Array>(right);
  const Value& other = a ? right : left;
  TensorShape shape = one.shape;
  if (const auto* b = as<Array>(other)) shape = broadcast(one.shape, b->shape);
  auto made = std::make_shared<Array>(combined(one, other, op), shape);
  made->from_file =
      !made->type && (one.from_file || (as<Array>(other) && as<Array>(other)->from_file));
  return made;
}

Value index_array(const Array& given, const Value& index) {
  TensorShape shape = index_shape(given.shape, index);
  auto made = std::make_shared<Array>(given.type, shape);
  made->from_file = given.from_file;
  return made;
}

Value array_attribute(const Array& given, const Value& self, const std::string& name) {
  if (name == "dtype") return type_value(given.type);
  if (name == "shape") {
    Facts facts{.device = {}, .type = {}, .shape = given.shape};
    auto made = std::make_shared<Sequence>(Sequence::Type::kTuple);
    made->open = !given.shape.dims;
    if (!given.shape.dims) {
      made->items.push_back(number(std::nullopt));
      return made;
    }
    for (const Dim& dim : *given.shape.dims)
      made->items.push_back(
          number(dim.extent ? std::optional(static_cast<double>(*dim.extent)) : std::nullopt));
    return made;
  }
  if (name == "ndim")
    return number(given.shape.rank() ? std::optional(static_cast<double>(*given.shape.rank()))
                                     : std::nullopt);
  if (name == "T")
    return array(given.type,
                 given.shape.rank() ? TensorShape::of_rank(*given.shape.rank()) : given.shape);
  if (name == "size" || name == "nbytes") return number(std::nullopt);
  return std::make_shared<Bound>(self, name);
}

Value array_method(Interpreter& in, const Array& given, const std::string& name,
                   const Invocation& call) {
  (void)in;
  if (name == "astype") return array(numpy_type(call.get(0, "dtype")), given.shape);
  static constexpr std::array kSame{"copy", "clip", "round", "byteswap"};
  if (std::find(kSame.begin(), kSame.end(), name) != kSame.end()) {
    auto made = std::make_shared<Array>(given.type, given.shape);
    made->from_file = given.from_file;
    return made;
  }
  if (name == "transpose" || name == "swapaxes")
    return array(given.type,
                 given.shape.rank() ? TensorShape::of_rank(*given.shape.rank()) : given.shape);
  if (name == "tolist") {
    auto made = std::make_shared<Sequence>(Sequence::Type::kList);
    made->open = true;
    return made;
  }
  if (name == "item") return number(std::nullopt, false);
  if (name == "mean" || name == "std" || name == "sum" || name == "max" || name == "min" ||
      name == "any" || name == "all") {
    if (call.arguments.empty()) return number(std::nullopt, false);
    return array(given.type, TensorShape::some());
  }
  if (name == "random" || name == "standard_normal") return array(DType::kF64, TensorShape::some());
  if (name == "save" || name == "tofile") return none();
  return array(given.type, TensorShape::some());
}

std::optional<DType> numpy_type_name(std::string_view name) {
  const auto row = std::find_if(kTypes.begin(), kTypes.end(),
                                [&](const TypeName& each) { return each.name == name; });
  return row == kTypes.end() ? std::nullopt : std::optional(row->type);
}

Value call_numpy(Interpreter& in, const std::string& path, const Invocation& call) {
  if (path.starts_with("cv2.")) return pictures(in, path, call);
  if (!path.starts_with("numpy.")) return nullptr;
  const std::string name = path.substr(6);
  if (name == "array" || name == "asarray" || name == "asanyarray" || name == "ascontiguousarray")
    return to_array(in, call);
  if (name.starts_with("random.")) {
    std::string last = name.substr(7);
    if (last.starts_with("Generator.")) last = last.substr(10);
    return random_array(last, call);
  }
  if (name == "load") {
    auto made = std::make_shared<Array>(std::nullopt, TensorShape::some());
    made->from_file = true;
    return made;
  }
  if (name == "save" || name == "savez" || name == "savetxt" || name == "savez_compressed") {
    check_output_path(in, call.get(0, "file"), call.place);
    for (const Argument& argument : call.arguments) {
      if (!facts_of(argument.value)) continue;
      Invocation inner;
      inner.place = call.place;
      tensor_method(in, argument.value, "numpy", inner);
    }
    return none();
  }
  if (name == "dtype") return type_value(numpy_type(call.get(0, "dtype")));
  if (Value made = filled(name, call)) return made;
  if (Value made = joined(name, call)) return made;
  if (Value made = elementwise(name, call)) return made;
  for (const Argument& argument : call.arguments) {
    const Facts* facts = facts_of(argument.value);
    if (facts == nullptr || !facts->device.is_accelerator()) continue;
    // numpy makes an array of its argument first.
    Invocation inner;
    inner.place = call.place;
    tensor_method(in, argument.value, "numpy", inner);
  }
  for (const Argument& argument : call.arguments)
    if (facts_of(argument.value)) return array(std::nullopt, TensorShape::some());
  return nullptr;
}

}  // namespace sinter::lint
