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

}  // namespace

std::string_view cause_of_unknown(const Exception& exception) {
  const std::string_view name = class_name(exception.type);
  for (const ClassRow& row : kClasses)
    if (name == row.ending) return row.cause;
  if (exception.type == "error" || name == "error") return "code-unknown";
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
  return name == "ValidationError" || name == "ValueError" || name == "TypeError" ||
                 is_control_flow(name)
             ? "code-value"
             : "code-unknown";
}

}  // namespace sinter::diagnose::log
