#include <algorithm>
#include <array>

#include "sinter/lint/library/library.h"

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

}  // namespace sinter::lint
