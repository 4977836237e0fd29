#include "sinter/diagnose/log/unknown.h"

#include <re2/re2.h>

#include <array>

namespace sinter::diagnose::log {
namespace {

struct ClassRow {
  std::string_view ending;  // of the class name
  std::string_view cause;
};

constexpr std::array kClasses{
    ClassRow{"ModuleNotFoundError", "library-missing"},
    ClassRow{"ImportError", "library-api"},
    ClassRow{"DllNotFoundException", "dependency-dll"},
    ClassRow{"BadImageFormatException", "dependency-dll-procedure"},
    ClassRow{"EntryPointNotFoundException", "dependency-symbol"},
    ClassRow{"OutOfMemoryError", "vram-full"},
    ClassRow{"OutOfMemoryException", "host-memory"},
    ClassRow{"MemoryError", "host-memory"},
    ClassRow{"UnpicklingError", "model-damaged"},
    ClassRow{"SafetensorError", "model-damaged"},
    ClassRow{"BadZipFile", "model-damaged"},
    ClassRow{"EOFError", "model-damaged"},
    ClassRow{"InvalidProtobuf", "model-damaged"},
    ClassRow{"FileNotFoundError", "filesystem-missing"},
    ClassRow{"FileNotFoundException", "filesystem-missing"},
    ClassRow{"DirectoryNotFoundException", "filesystem-missing"},
    ClassRow{"NotADirectoryError", "filesystem-missing"},
    ClassRow{"IsADirectoryError", "filesystem-missing"},
    ClassRow{"FileExistsError", "filesystem-missing"},
    ClassRow{"PermissionError", "filesystem-permission"},
    ClassRow{"UnauthorizedAccessException", "filesystem-permission"},
    ClassRow{"UnicodeDecodeError", "filesystem-encoding"},
    ClassRow{"UnicodeEncodeError", "filesystem-encoding"},
    ClassRow{"UnidentifiedImageError", "filesystem-picture"},
    ClassRow{"JSONDecodeError", "config-json"},
    ClassRow{"ScannerError", "config-json"},
    ClassRow{"ParserError", "config-json"},
    ClassRow{"LocalEntryNotFoundError", "config-offline"},
    ClassRow{"EntryNotFoundError", "config-missing-file"},
    ClassRow{"RepositoryNotFoundError", "config-access"},
    ClassRow{"GatedRepoError", "config-access"},
    ClassRow{"HFValidationError", "config-repo-id"},
    ClassRow{"HTTPError", "config-network"},
    ClassRow{"HfHubHTTPError", "config-network"},
    ClassRow{"URLError", "config-network"},
    ClassRow{"SSLError", "config-network"},
    ClassRow{"ConnectionError", "config-network"},
    ClassRow{"ConnectTimeout", "config-network"},
    ClassRow{"ReadTimeout", "config-network"},
    ClassRow{"ProxyError", "config-network"},
    ClassRow{"gaierror", "config-network"},
    ClassRow{"MaxRetryError", "config-network"},
    ClassRow{"NansException", "precision-nan-unet"},
    ClassRow{"InvalidGraph", "export-invalid-graph"},
    ClassRow{"ValidationError", "code-value"},
    ClassRow{"UnsupportedOperatorError", "export-operator"},
    ClassRow{"SymbolicValueError", "export-operator"},
    ClassRow{"OnnxExporterError", "export-failed"},
    ClassRow{"ConversionError", "export-failed"},
    ClassRow{"TorchExportError", "export-failed"},
    ClassRow{"OnnxRuntimeException", "ort-failed"},
    ClassRow{"EPFail", "ort-failed"},
    ClassRow{"InvalidArgument", "ort-input-shape"},
    ClassRow{"RuntimeException", "ort-failed"},
    ClassRow{"VersionConflict", "library-api"},
    ClassRow{"DistributionNotFound", "library-missing"},
    ClassRow{"SyntaxError", "code-syntax"},
    ClassRow{"KeyboardInterrupt", "code-interrupted"},
};

struct PlaceRow {
  std::string_view pattern;  // of the path or source of a call
  std::string_view cause;
};

constexpr std::array kPlaces{
    PlaceRow{
        R"(torch[/\\]onnx[/\\]|torch\.onnx\.export|onnxsim|onnxconverter_common|onnx_graphsurgeon)",
        "export-failed"},
    PlaceRow{R"(onnxruntime[/\\]capi|InferenceSession)", "ort-failed"},
    PlaceRow{R"(polygraphy[/\\]backend[/\\]trt|build_serialized_network|tensorrt[/\\])",
             "trt-build-failed"},
    PlaceRow{
        R"((?i)tensorrt[^/\\]*[/\\](?:\w+[/\\])*(?:trt|utilities|engine|tensorrt_\w+|trt_utilities)\.py$)",
        "trt-execute"},
    PlaceRow{R"(transformers[/\\]tokenization|tokenization_utils|AutoTokenizer|CLIPTokenizer)",
             "config-tokenizer"},
};

struct WordRow {
  std::string_view pattern;  // of the message
  std::string_view cause;
};

// What messages of a domain speak of, whatever their words; the first row that fits.
constexpr std::array kWords{
    WordRow{
        R"((?i)out of memory|not enough memory|insufficient memory|OUT_OF_(?:MEMORY|RESOURCES)|failed to allocate|allocation failed)",
        "vram-full"},
    WordRow{R"((?i)tensorrt|\btrt\b|\.engine\b|\.plan\b|nvinfer)", "trt-execute"},
    WordRow{
        R"((?i)opset|onnx(?:_| )?export|to onnx|symbolic function|torch\.export|tracer|traced|\.onnx\b.{0,40}(?:export|convert))",
        "export-failed"},
    WordRow{R"((?i)ExecutionProvider|onnxruntime|inference ?session)", "ort-failed"},
    WordRow{
        R"((?i)same device|different devices?|on (?:the )?cpu\b.{0,80}(?:cuda|gpu)|(?:cuda|gpu)\b.{0,80}on (?:the )?cpu\b|\bdevice mismatch|is on device|expected device)",
        "device-mixed"},
    WordRow{
        R"((?i)\bnans?\b|\binf\b|non-finite|overflow|\bdtypes?\b|float16|bfloat16|\bhalf\b|\bfp16\b|\bbf16\b|float64|scalar ?type|precision)",
        "precision-other"},
    WordRow{
        R"((?i)tokenizer|vocab|hugging ?face|\bhub\b|\brepo(?:sitory)?\b|config(?:uration)? file|config\.json|\.ya?ml\b|model_index|connection|\bssl\b|proxy|timed out)",
        "config-other"},
    WordRow{
        R"((?i)install(?:ed)?\b|not installed|version|incompatible|deprecated|upgrade|downgrade|compiled with|not compiled|built with|not built|unavailable|cuda (?:toolkit|version|driver|installation)|driver|\.dll\b|\.so\b|triton|xformers|flash.?attn|bitsandbytes|cudnn|cublas|nccl|\bgpu\b.{0,40}(?:required|support)|requires? (?:a )?(?:gpu|cuda))",
        "dependency-other"},
    WordRow{
        R"((?i)state_dict|checkpoint|safetensors|\.ckpt\b|\.pth?\b|\bweights?\b|\blora\b|\bembeddings?\b|pretrained|torch\.Size|\bgguf\b|corrupt|controlnet|model (?:file|type|is not)|load(?:ing)? (?:the )?model)",
        "model-other"},
    WordRow{R"((?i)\bfile\b|\bdirectory\b|\bfolder\b|\bpath\b|\bdisk\b|permission|\bdrive\b)",
            "filesystem-other"},
};

/// An installed package that fails before it does anything does not suit the others.
bool fails_while_imported(const Frame& innermost) {
  return innermost.function == "<module>" && innermost.path.find("-packages") != std::string::npos;
}

}  // namespace

std::string_view cause_of_words(const std::string& message) {
  for (const WordRow& row : kWords) {
    const RE2 pattern(re2::StringPiece(row.pattern.data(), row.pattern.size()));
    if (RE2::PartialMatch(message, pattern)) return row.cause;
  }
  return {};
}

std::string_view cause_of_unknown(const Exception& exception) {
  const std::string_view name = class_name(exception.type);
  for (const ClassRow& row : kClasses)
    if (name == row.ending) return row.cause;
  if (exception.type == "error" || name == "error") return "code-unknown";
  if (!exception.frames.empty() && fails_while_imported(exception.frames.back()))
    return "dependency-other";
  // The innermost call that belongs to a tool with a domain of its own.
  std::size_t looked = 0;
  for (auto frame = exception.frames.rbegin(); frame != exception.frames.rend() && looked < 6;
       ++frame, ++looked) {
    for (const PlaceRow& row : kPlaces) {
      const RE2 pattern(re2::StringPiece(row.pattern.data(), row.pattern.size()));
      if (RE2::PartialMatch(frame->path, pattern) || RE2::PartialMatch(frame->source, pattern))
        return row.cause;
    }
  }
  // A wrong value is the code's, whatever it speaks of.
  const bool code = name == "TypeError" || name == "IndexError" || name == "NameError" ||
                    name == "UnboundLocalError" || name == "ZeroDivisionError" ||
                    name == "KeyError" || name == "AttributeError";
  if (!code) {
    if (const auto cause = cause_of_words(exception.message); !cause.empty()) return cause;
  }
  if (name == "OSError" || name == "IOError" || name == "Error") return "filesystem-other";
  return name == "ValidationError" || name == "ValueError" || name == "TypeError" ||
                 is_control_flow(name)
             ? "code-value"
             : "code-unknown";
}

}  // namespace sinter::diagnose::log
