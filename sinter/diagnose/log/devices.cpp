#include "sinter/diagnose/log/devices.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "sinter/diagnose/log/component.h"

namespace sinter::diagnose::log {
namespace {

struct OperatorRow {
  std::string_view method;  // of PyTorch, without its wrapper
  std::string_view name;
};

constexpr std::array kOperators{
    OperatorRow{"slow_conv2d_forward", "conv2d"},
    OperatorRow{"thnn_conv2d_forward", "conv2d"},
    OperatorRow{"thnn_conv2d", "conv2d"},
    OperatorRow{"cudnn_convolution", "convolution"},
    OperatorRow{"convolution", "convolution"},
    OperatorRow{"slow_conv3d_forward", "conv3d"},
    OperatorRow{"native_layer_norm", "layer_norm"},
    OperatorRow{"layer_norm", "layer_norm"},
    OperatorRow{"native_group_norm", "group_norm"},
    OperatorRow{"native_batch_norm", "batch_norm"},
    OperatorRow{"cudnn_batch_norm", "batch_norm"},
    OperatorRow{"index_select", "index_select"},
    OperatorRow{"th_index_select", "index_select"},
    OperatorRow{"embedding", "embedding"},
    OperatorRow{"th_addmm", "addmm"},
    OperatorRow{"th_mm", "mm"},
    OperatorRow{"th_cat", "cat"},
    OperatorRow{"addmm_", "addmm"},
    OperatorRow{"sgemm", "mm"},
    OperatorRow{"index_Tensor", "index"},
    OperatorRow{"scaled_dot_product_efficient_attention", "scaled_dot_product_attention"},
};

struct ArgumentRow {
  std::string_view operation;  // empty for any
  std::string_view argument;
  Side side;
};

// What an argument of an operator is in a network; the first row that fits.
constexpr std::array kArguments{
    ArgumentRow{"cat", "", Side::kData},
    ArgumentRow{"stack", "", Side::kData},
    ArgumentRow{"bmm", "", Side::kData},
    ArgumentRow{"baddbmm", "", Side::kData},
    ArgumentRow{"where", "", Side::kData},
    ArgumentRow{"gather", "", Side::kData},
    ArgumentRow{"scaled_dot_product_attention", "", Side::kData},
    ArgumentRow{"index_select", "self", Side::kModel},
    ArgumentRow{"addmm", "self", Side::kModel},
    ArgumentRow{"addmm", "input", Side::kModel},  // the bias
    ArgumentRow{"addmv", "mat", Side::kModel},
    ArgumentRow{"addmv", "vec", Side::kData},
    ArgumentRow{"", "weight", Side::kModel},
    ArgumentRow{"", "bias", Side::kModel},
    ArgumentRow{"", "running_mean", Side::kModel},
    ArgumentRow{"", "running_var", Side::kModel},
    ArgumentRow{"", "mat2", Side::kModel},
    ArgumentRow{"", "mat1", Side::kData},
    ArgumentRow{"", "index", Side::kData},
    ArgumentRow{"", "indices", Side::kData},
    ArgumentRow{"", "tensors", Side::kData},
    ArgumentRow{"", "input", Side::kData},
    ArgumentRow{"", "mask", Side::kData},
    ArgumentRow{"", "condition", Side::kData},
    ArgumentRow{"", "src", Side::kData},
    ArgumentRow{"", "source", Side::kData},
    ArgumentRow{"", "grid", Side::kData},
    ArgumentRow{"", "batch1", Side::kData},
    ArgumentRow{"", "batch2", Side::kData},
    ArgumentRow{"conv2d", "self", Side::kData},
    ArgumentRow{"convolution", "self", Side::kData},
    ArgumentRow{"layer_norm", "self", Side::kData},
    ArgumentRow{"group_norm", "self", Side::kData},
};

// Operators whose tensors are all data: whichever is wrong, it is no parameter.
bool only_data(std::string_view operation) {
  return std::any_of(kArguments.begin(), kArguments.end(), [&](const ArgumentRow& row) {
    return row.argument.empty() && row.operation == operation;
  });
}

Side side_of(std::string_view operation, std::string_view argument) {
  for (const ArgumentRow& row : kArguments) {
    if ((row.operation.empty() || row.operation == operation) &&
        (row.argument.empty() || row.argument == argument))
      return row.side;
  }
  return Side::kUnknown;
}

Side opposite(Side side) {
  return side == Side::kModel ? Side::kData : side == Side::kData ? Side::kModel : Side::kUnknown;
}

enum class Kind { kUnknown, kCpu, kGpu, kMeta };

struct Place {
  Kind kind = Kind::kUnknown;
  int number = -1;
};

Place place_of(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  Place place;
  if (lower.empty()) return place;
  if (lower.starts_with("cpu")) return {Kind::kCpu, -1};
  if (lower.starts_with("meta")) return {Kind::kMeta, -1};
  place.kind = Kind::kGpu;
  const std::size_t colon = lower.find(':');
  const std::string_view digits =
      colon == lower.npos ? std::string_view(lower) : std::string_view(lower).substr(colon + 1);
  if (!digits.empty() && digits.front() >= '0' && digits.front() <= '9')
    place.number = digits.front() - '0';
  return place;
}

/// torch.cuda.HalfTensor, CUDABFloat16Type, MPSFloatType, torch.FloatTensor, c10::Half, float.
Kind place_of_type(std::string_view type) {
  static const RE2 kAccelerator(R"((?i)cuda|mps|xpu|npu|hip|xla|hpu|privateuse)");
  const re2::StringPiece text(type.data(), type.size());
  if (RE2::PartialMatch(text, kAccelerator)) return Kind::kGpu;
  if (type.starts_with("torch.") || type.starts_with("CPU") || type.starts_with("Variable[CPU"))
    return Kind::kCpu;
  return Kind::kUnknown;
}

void use_cause(std::string_view id, Fault& fault) {
  const Cause& cause = cause_of(id);
  fault.cause = cause.id;
  fault.domain = cause.domain;
  fault.meaning = {std::string(cause.meaning.english), std::string(cause.meaning.chinese)};
  fault.fixes.clear();
  for (const Text& fix : cause.fixes)
    if (!fix.english.empty()) fault.fixes.push_back(fix);
  fault.confirm = cause.confirm;
}

const Exception* stack_of(const LogParts& parts, const Finding& finding) {
  if (finding.exception < 0) return nullptr;
  return &parts.exceptions[static_cast<std::size_t>(finding.exception)];
}

/// The source line where the tensors met: the innermost quoted one that is not a library's.
std::string meeting_line(const Exception* stack) {
  if (stack == nullptr) return {};
  for (auto frame = stack->frames.rbegin(); frame != stack->frames.rend(); ++frame)
    if (!frame->source.empty()) return frame->source;
  return {};
}

bool in_export(const Exception* stack) {
  if (stack == nullptr) return false;
  return std::any_of(stack->frames.begin(), stack->frames.end(), [](const Frame& frame) {
    return frame.path.find("torch/onnx") != std::string::npos ||
           frame.path.find("torch\\onnx") != std::string::npos ||
           frame.source.find("onnx.export") != std::string::npos ||
           frame.source.find("onnx_export") != std::string::npos;
  });
}

bool in_folding(const Exception* stack) {
  if (stack == nullptr || stack->frames.empty()) return false;
  const Frame& last = stack->frames.back();
  return last.source.find("constant_fold") != std::string::npos ||
         last.function.find("constant_fold") != std::string::npos;
}

void note(Fault& fault, std::string english, std::string chinese) {
  fault.notes.push_back({std::move(english), std::move(chinese)});
}

/// The wording of the message tells the PyTorch that wrote it.
void date_wording(const Finding& finding, Fault& fault) {
  struct Wording {
    std::string_view fragment;
    std::string_view english;
    std::string_view chinese;
  };
  static constexpr std::array kWordings{
      Wording{", different from other tensors on", "The wording is that of PyTorch 2.8 or newer.",
              "这种措辞出自 PyTorch 2.8 或更新版本。"},
      Wording{"wrapper_CUDA_", "The method name wrapper_CUDA_... is that of PyTorch 2.0 or newer.",
              "wrapper_CUDA_... 这样的方法名出自 PyTorch 2.0 或更新版本。"},
      Wording{"in method wrapper_",
              "The method name wrapper_... without CUDA is that of PyTorch 1.9 to 1.13.",
              "不带 CUDA 的 wrapper_... 方法名出自 PyTorch 1.9 到 1.13。"},
      Wording{"while checking arguments for",
              "The wording is that of PyTorch 1.5 to 1.8 (or of cuDNN's wrapper).",
              "这种措辞出自 PyTorch 1.5 到 1.8（或 cuDNN 封装）。"},
      Wording{"object of device type", "The wording is that of PyTorch 1.3 to 1.6.",
              "这种措辞出自 PyTorch 1.3 到 1.6。"},
      Wording{"object of backend", "The wording is that of PyTorch 1.0 to 1.2.",
              "这种措辞出自 PyTorch 1.0 到 1.2。"},
      Wording{"object of type torch.", "The wording is that of PyTorch 0.4 or older.",
              "这种措辞出自 PyTorch 0.4 或更早。"},
  };
  for (const Wording& row : kWordings) {
    if (finding.text.find(row.fragment) == std::string::npos) continue;
    note(fault, std::string(row.english), std::string(row.chinese));
    return;
  }
}

void say_side(const Place& named, const Place& other, Fault& fault) {
  const auto word = [](const Place& place) -> std::string {
    switch (place.kind) {
      case Kind::kCpu:
        return "cpu";
      case Kind::kMeta:
        return "meta";
      case Kind::kGpu:
        return place.number >= 0 ? fmt::format("cuda:{}", place.number) : "gpu";
      default:
        return "";
    }
  };
  if (fault.argument.empty() || word(named).empty() || word(other).empty()) return;
  note(fault,
       fmt::format(
           "Of the two devices the second belongs to the argument: '{}' is on {}, the rest on {}.",
           fault.argument, word(named), word(other)),
       fmt::format("两个设备中，后一个属于所写的参数：“{}”在 {} 上，其余的在 {} 上。",
                   fault.argument, word(named), word(other)));
}

/// Which of the two is where it should not be: the one that stayed on the CPU; between two GPUs the
/// one on cuda:0, which is what a bare 'cuda' means.
bool named_is_wrong(const Place& named, const Place& other) {
  if (named.kind == Kind::kGpu && other.kind == Kind::kGpu) return named.number == 0;
  if (named.kind == Kind::kMeta) return true;
  return named.kind == Kind::kCpu || other.kind == Kind::kUnknown;
}

void read_types(const Finding& finding, Fault& fault) {
  const std::string first(finding.match.capture("input").empty() ? finding.match.capture("xtype")
                                                                 : finding.match.capture("input"));
  const std::string second(finding.match.capture("weight").empty()
                               ? finding.match.capture("ytype")
                               : finding.match.capture("weight"));
  const Kind input = place_of_type(first);
  const Kind weight = place_of_type(second);
  if (input == weight) {
    use_cause("precision-mixed", fault);
    fault.side = Side::kUnknown;
    return;
  }
  const bool conv = !finding.match.capture("input").empty();
  const Side named = conv ? Side::kModel : side_of(fault.operation, fault.argument);
  const bool named_wrong = weight == Kind::kCpu;
  fault.side = named_wrong ? named : opposite(named);
  if (conv && !named_wrong) fault.argument = "input";
  use_cause(fault.side == Side::kModel  ? "device-weights-left"
            : fault.side == Side::kData ? "device-input-left"
                                        : "device-mixed",
            fault);
}

struct SignRow {
  std::string_view sign;
  std::string_view name;
};
constexpr std::array kSigns{SignRow{"+", "add"}, SignRow{"-", "sub"}, SignRow{"*", "mul"},
                            SignRow{"/", "div"}, SignRow{"@", "matmul"}};

/// An elementwise operation prints neither operator nor argument; its source line has both. The
/// first device of the message is the left operand's (in "a += b", a's).
void read_expression(const std::string& line, const Place& left, const Place& right, Fault& fault) {
  static const RE2 kFunction(
      R"((?:torch|F)\.(cat|stack|where|lerp|matmul|bmm|mul|add|sub|div|index_select|gather|embedding|layer_norm|group_norm)\()");
  std::string name;
  if (RE2::PartialMatch(line, kFunction, &name)) {
    fault.operation = name;
    if (only_data(name)) {
      fault.side = Side::kData;
      fault.argument = name == "cat" || name == "stack" ? "tensors" : fault.argument;
    }
    return;
  }
  static const RE2 kInPlace(R"(^\s*(.+?)\s*([-+*/@])=\s*(.+)$)");
  static const RE2 kBinary(R"(^\s*(?:return\s+|[\w., \[\]]+\s=\s)?(.+?)\s([-+*/@])\s(.+)$)");
  std::string first;
  std::string sign;
  std::string second;
  if (!RE2::FullMatch(line, kInPlace, &first, &sign, &second) &&
      !RE2::FullMatch(line, kBinary, &first, &sign, &second))
    return;
  for (const SignRow& row : kSigns)
    if (sign == row.sign) fault.operation = row.name;
  if (left.kind == Kind::kUnknown || right.kind == Kind::kUnknown) return;
  const bool right_wrong = named_is_wrong(right, left);
  const std::string& wrong = right_wrong ? second : first;
  static const RE2 kParameter(
      R"(weight|state_dict|_sd\b|\bsd\[|lora|param|bias|\bself\.[a-z_]+\b[^(]|\bself\.[a-z_]+$|sigmas|alphas|betas|freqs|logvar|running_)");
  fault.side = RE2::PartialMatch(wrong, kParameter) ? Side::kModel : Side::kData;
}

void choose_cause(const LogParts& parts, const Finding& finding, const Place& named,
                  const Place& other, Fault& fault) {
  const Exception* stack = stack_of(parts, finding);
  const std::string line = meeting_line(stack);
  static const RE2 kAttribute(
      R"(\bself\.\w+\s*\[|\bself\.(?:sigmas|alphas_cumprod|betas|logvar|timesteps|freqs|\w*pos\w*)\b)");
  const bool two_gpus = named.kind == Kind::kGpu && other.kind == Kind::kGpu;
  const bool adapter = stack != nullptr && component_in_stack(*stack).name == "lora";
  if (fault.domain == Domain::kOnnxExport) return;  // the folding pass says so itself
  if (two_gpus) {
    use_cause("device-two-gpus", fault);
  } else if (in_folding(stack)) {
    use_cause("device-folding", fault);
  } else if (adapter) {
    use_cause("device-adapter", fault);
  } else if (fault.operation == "index" ||
             (fault.side == Side::kUnknown && RE2::PartialMatch(line, kAttribute))) {
    use_cause("device-unregistered", fault);
  } else if (fault.side == Side::kData &&
             (fault.operation == "index_select" || fault.operation == "embedding")) {
    use_cause("device-ids-left", fault);
  } else if (fault.side == Side::kData) {
    use_cause("device-input-left", fault);
  } else if (fault.side == Side::kModel) {
    use_cause("device-weights-left", fault);
  }
  if (in_export(stack) && fault.domain == Domain::kDeviceMismatch) {
    note(fault,
         "It appears during the export because that runs the model outside the program's own "
         "device management, on inputs made for "
         "it; TensorRT has not been reached and is not at fault.",
         "只在导出时出现，是因为导出绕过了程序自身的设备管理，用临时构造的输入去跑模型；此时还没轮"
         "到 TensorRT，与它无关。");
  }
}

}  // namespace

std::string operator_name(std::string_view method) {
  std::string name(method);
  const bool wrapped = name.starts_with("wrapper");
  if (!wrapped && (name.find("::") != name.npos || name.starts_with("memory_efficient_")))
    return name;
  for (const std::string_view prefix :
       {"wrapper_CUDA_", "wrapper_CompositeExplicitAutograd_", "wrapper_MPS_", "wrapper_XPU_",
        "wrapper_PrivateUse1_", "wrapper_"})
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  while (name.starts_with('_')) name.erase(0, 1);
  if (const std::size_t dot = name.find('.'); dot != name.npos) name.resize(dot);
  for (const OperatorRow& row : kOperators)
    if (name == row.method) return std::string(row.name);
  static const RE2 kKernel(
      R"((?:_impl_cpu_|_out_frame|_kernel_impl|_cuda_impl|_out_cpu|_out_cuda|_out_mps|_cpu|_cuda|_mps|_with_gemm|KernelImpl)$)");
  if (RE2::Replace(&name, kKernel, "")) {
    static constexpr std::array kKernels{
        OperatorRow{"LayerNorm", "layer_norm"}, OperatorRow{"GroupNorm", "group_norm"},
        OperatorRow{"slow_conv2d", "conv2d"}, OperatorRow{"thnn_conv2d", "conv2d"},
        OperatorRow{"softmax_lastdim", "softmax"}};
    for (const OperatorRow& row : kKernels)
      if (name == row.method) return std::string(row.name);
  }
  static const RE2 kOverload(R"(_(?:out|Tensor|Scalar|out_cuda|cuda|forward)$)");
  RE2::Replace(&name, kOverload, "");
  return name;
}

void read_devices(const LogParts& parts, const Finding& finding, Fault& fault) {
  if (finding.match.pattern->reading == Reading::kTypes) {
    read_types(finding, fault);
    date_wording(finding, fault);
    return;
  }
  const auto either = [&](std::string_view name, std::string_view second) {
    const std::string_view text = finding.match.capture(name);
    return text.empty() ? finding.match.capture(second) : text;
  };
  Place named = place_of(either("y", "y2"));
  Place other = place_of(either("x", "x2"));
  if (!finding.match.capture("xtype").empty() && named.kind == other.kind &&
      named.number == other.number) {
    use_cause("precision-mixed", fault);
    return;
  }
  if (finding.match.pattern->cause == "device-unregistered") {
    // "... as the indexed tensor (cpu)": the table is named, and indices on the CPU suit any table.
    named = Place{Kind::kGpu, -1};
    other = finding.match.capture("x").empty() ? Place{Kind::kCpu, -1} : other;
    fault.side = other.kind == Kind::kCpu ? Side::kModel : Side::kData;
    choose_cause(parts, finding, Place{Kind::kCpu, -1}, Place{Kind::kGpu, -1}, fault);
    return;
  }
  if (fault.operation.empty() && fault.argument.empty())
    read_expression(meeting_line(stack_of(parts, finding)), other, named, fault);
  if (fault.side == Side::kUnknown && !fault.argument.empty()) {
    const Side role = side_of(fault.operation, fault.argument);
    fault.side = only_data(fault.operation) || named_is_wrong(named, other) ? role : opposite(role);
  } else if (only_data(fault.operation)) {
    fault.side = Side::kData;
  }
  if (fault.argument == "weight" && finding.text.find("input(device=") != std::string::npos &&
      other.kind == Kind::kCpu)
    fault.argument = "input";
  choose_cause(parts, finding, named, other, fault);
  say_side(named, other, fault);
  date_wording(finding, fault);
}

}  // namespace sinter::diagnose::log
