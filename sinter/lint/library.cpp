#include "sinter/lint/library.h"

#include <algorithm>
#include <array>

#include "sinter/lint/objects.h"
#include "sinter/lint/tensors.h"

namespace sinter::lint {
namespace {

struct Alias {
  std::string_view from;
  std::string_view to;
};
// Where libraries offer one thing under several names.
constexpr std::array kAliases{
    Alias{"torch.cuda.amp.autocast", "torch.autocast"},
    Alias{"torch.amp.autocast", "torch.autocast"},
    Alias{"torch.amp.autocast_mode.autocast", "torch.autocast"},
    Alias{"torch.cpu.amp.autocast", "torch.autocast"},
    Alias{"torch.autograd.no_grad", "torch.no_grad"},
    Alias{"torch.autograd.grad_mode.no_grad", "torch.no_grad"},
    Alias{"torch.autograd.inference_mode", "torch.inference_mode"},
    Alias{"torch.nn.parallel.DataParallel", "torch.nn.DataParallel"},
    Alias{"torch.nn.parallel.DistributedDataParallel", "torch.nn.DistributedDataParallel"},
    Alias{"torch.nn.parameter.Parameter", "torch.nn.Parameter"},
    Alias{"torch.nn.parameter.Buffer", "torch.nn.Buffer"},
    Alias{"torch.nn.modules.module.Module", "torch.nn.Module"},
    Alias{"torch.random.manual_seed", "torch.manual_seed"},
    Alias{"torch.serialization.load", "torch.load"},
    Alias{"torch.onnx.utils.export", "torch.onnx.export"},
    Alias{"torch.types.Device", "torch.device"},
    Alias{"torch.cuda.FloatTensor", "torch.cuda.FloatTensor"},
    Alias{"torch.functional.F", "torch.nn.functional"},
    Alias{"safetensors.torch.safe_open", "safetensors.safe_open"},
    Alias{"Image", "PIL.Image"},
};

struct Word {
  std::string_view name;
  DType type;
};
constexpr std::array kTorchTypes{
    Word{"float32", DType::kF32}, Word{"float", DType::kF32},     Word{"float16", DType::kF16},
    Word{"half", DType::kF16},    Word{"bfloat16", DType::kBF16}, Word{"float64", DType::kF64},
    Word{"double", DType::kF64},  Word{"int64", DType::kI64},     Word{"long", DType::kI64},
    Word{"int32", DType::kI32},   Word{"int", DType::kI32},       Word{"int16", DType::kI16},
    Word{"short", DType::kI16},   Word{"int8", DType::kI8},       Word{"uint8", DType::kU8},
    Word{"bool", DType::kBool}};

Value other_method(Interpreter& in, const Value& receiver, const std::string& name,
                   const Invocation& call) {
  if (const auto* word = as<Text>(receiver)) return text_method(in, *word, name, call);
  if (as<Sequence>(receiver)) return sequence_method(in, receiver, name, call);
  if (as<Dict>(receiver)) return dict_method(in, receiver, name, call);
  if (const auto* digits = as<Number>(receiver)) {
    (void)digits;
    return number(std::nullopt, name == "bit_length");
  }
  if (as<Instance>(receiver)) {
    if (name == "__enter__") return receiver;
    if (name == "super.__init__" || name == "super.__post_init__") return none();
  }
  if (const auto* partial = as<Partial>(receiver)) {
    (void)partial;
    return nullptr;
  }
  return nullptr;
}

void lose(const Value& value, int depth) {
  if (depth > 3) return;
  if (auto* module = as<Module>(value)) {
    module->device = Device{};
    module->spread = true;
    module->dtype = std::nullopt;
    for (auto& [name, member] : module->members.all())
      if (as<Module>(member) || as<Tensor>(member)) lose(member, depth + 1);
  } else if (auto* held = as<Tensor>(value)) {
    if (held->parameter) held->facts.device = Device{};
  } else if (auto* several = as<Sequence>(value)) {
    several->joined = true;  // what becomes of it is not known
    for (const Value& item : several->items) lose(item, depth + 1);
  } else if (auto* dict = as<Dict>(value)) {
    for (auto& [name, item] : dict->entries.all()) lose(item, depth + 1);
  } else if (auto* thing = as<Thing>(value); thing && thing->what == Thing::What::kPipeline) {
    thing->device = Device{};
    thing->flag = true;
    for (auto& [name, item] : thing->attributes.all()) lose(item, depth + 1);
  } else if (auto* instance = as<Instance>(value)) {
    for (auto& [name, item] : instance->attributes.all()) lose(item, depth + 1);
  }
}

}  // namespace

std::string canonical_path(std::string path) {
  for (const Alias& alias : kAliases)
    if (path == alias.from) return std::string(alias.to);
  if (path.starts_with("torch.nn.modules.")) {
    const std::string last = path.substr(path.rfind('.') + 1);
    if (!last.empty() && last[0] >= 'A' && last[0] <= 'Z') return "torch.nn." + last;
  }
  return path;
}

Value library_constant(const std::string& path) {
  if (path.starts_with("torch.")) {
    const std::string name = path.substr(6);
    for (const Word& word : kTorchTypes)
      if (word.name == name) return type_value(word.type);
  }
  if (path.starts_with("numpy.")) {
    const std::string name = path.substr(6);
    if (const auto type = numpy_type_name(name)) return type_value(type);
    if (name == "newaxis") return none();
    if (name == "pi" || name == "e" || name == "inf") return number(std::nullopt, false);
  }
  if (path == "os.environ") return std::make_shared<Thing>(Thing::What::kEnvironment);
  if (path == "math.pi" || path == "math.e" || path == "math.inf") return number(3.25, false);
  if (path == "sys.argv") return unknown("argv");
  if (path == "sys.platform" || path == "os.name" || path == "torch.__version__" ||
      path == "sys.version_info" || path == "torch.version.cuda")
    return unknown(path);
  return nullptr;
}

void let_go(Interpreter& in, const Invocation& call) {
  for (const Argument& argument : call.arguments) {
    lose(argument.value, 0);
    std::vector<Facts*> all;
    gather_facts(argument.value, all);
    for (const Facts* facts : all) in.use_load(*facts);
  }
}

Value call_library(Interpreter& in, const std::string& path, const Invocation& call) {
  if (path.starts_with("builtins.")) return call_builtin(in, path.substr(9), call);
  if (Value made = call_torch(in, path, call)) return made;
  if (Value made = call_numpy(in, path, call)) return made;
  if (Value made = call_models(in, path, call)) return made;
  if (Value made = call_images(in, path, call)) return made;
  if (Value made = call_standard(in, path, call)) return made;
  static constexpr std::array kHarmless{
      "torch.",       "numpy.",      "os.",          "sys.",          "math.",       "json.",
      "re.",          "time.",       "random.",      "pathlib.",      "logging.",    "warnings.",
      "onnxruntime.", "onnx.",       "tqdm.",        "cv2.",          "matplotlib.", "collections.",
      "typing.",      "subprocess.", "safetensors.", "transformers.", "diffusers."};
  const bool harmless = std::any_of(kHarmless.begin(), kHarmless.end(),
                                    [&](std::string_view root) { return path.starts_with(root); });
  if (!harmless) let_go(in, call);
  return nullptr;
}

Value call_method(Interpreter& in, const Value& receiver, const std::string& name,
                  const Invocation& call) {
  if (as<Tensor>(receiver)) return tensor_method(in, receiver, name, call);
  if (as<Bundle>(receiver)) return bundle_method(in, receiver, name, call);
  if (as<Module>(receiver)) {
    Value made = module_method(in, receiver, name, call);
    return made;
  }
  if (const auto* array = as<Array>(receiver)) return array_method(in, *array, name, call);
  if (as<Thing>(receiver)) {
    if (as<Thing>(receiver)->what == Thing::What::kSuper)
      return call_method(in, as<Thing>(receiver)->held, name, call);
    return thing_method(in, receiver, name, call);
  }
  if (const auto* library = as<Library>(receiver))
    return call_library(in, library->path + "." + name, call);
  return other_method(in, receiver, name, call);
}

Value Interpreter::binary(const std::string& op, const Value& left, const Value& right,
                          const Place& place) {
  if (facts_of(left) || facts_of(right)) return tensor_binary(*this, op, left, right, place);
  if (as<Array>(left) || as<Array>(right)) return array_binary(op, left, right);
  if (const auto* a = as<Number>(left)) {
    if (const auto* b = as<Number>(right)) return number_binary(op, *a, *b);
    if (as<Sequence>(right) && op == "*") return binary(op, right, left, place);
  }
  if (const auto* a = as<Text>(left)) return text_binary(op, *a, right);
  if (const auto* b = as<Text>(right); b && b->path && op == "/") {
    auto made = std::make_shared<Text>("\x01/" + b->text);
    made->place = b->place;
    made->path = true;
    return made;
  }
  if (auto* a = as<Sequence>(left)) {
    auto made = std::make_shared<Sequence>(*a);
    const auto* times = as<Number>(right);
    if (op == "*" && times) {
      if (!times->value || *times->value > 16) made->open = true;
      for (double i = 1; times->value && i < std::min(*times->value, 16.0); ++i)
        made->items.insert(made->items.end(), a->items.begin(), a->items.end());
    } else if (const auto* b = as<Sequence>(right)) {
      made->items.insert(made->items.end(), b->items.begin(), b->items.end());
      made->open = made->open || b->open;
    } else {
      made->open = true;
    }
    return made;
  }
  if (auto* a = as<Dict>(left); a && op == "|") {
    auto made = std::make_shared<Dict>(*a);
    if (auto* b = as<Dict>(right))
      for (auto& [name, value] : b->entries.all()) made->entries.set(name, value);
    return made;
  }
  if (const auto* instance = as<Instance>(left)) {
    const char* name = op == "+"   ? "__add__"
                       : op == "*" ? "__mul__"
                       : op == "@" ? "__matmul__"
                                   : "";
    if (class_member(instance->type, name))
      return call(attribute(left, name, place), {right}, place);
  }
  return unknown();
}

}  // namespace sinter::lint
