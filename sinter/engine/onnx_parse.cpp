#include "sinter/engine/onnx_parse.h"

#include <fmt/format.h>

#include <memory>
#include <string_view>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/shared_library.h"

#ifdef SINTER_HAVE_TENSORRT

#include <NvInfer.h>
#include <NvOnnxParser.h>

namespace sinter::engine {
namespace {

/// Keeps what the library says instead of printing it.
class CollectingLogger final : public nvinfer1::ILogger {
 public:
  void log(Severity severity, const char* message) noexcept override {
    if (severity > Severity::kWARNING) return;
    try {
      lines_.emplace_back(message);
    } catch (const std::bad_alloc&) {
      // A lost log line; the library must not see an exception.
    }
  }

  std::vector<std::string> take() { return std::move(lines_); }

  /// The last line, which says why a call returned null.
  std::string_view last() const {
    return lines_.empty() ? "no reason given" : std::string_view(lines_.back());
  }

 private:
  std::vector<std::string> lines_;
};

/// The object behind a factory function of the library, which returns null on failure.
template <typename Object>
std::unique_ptr<Object> owned(void* object, std::string_view what, const CollectingLogger& logger) {
  if (object == nullptr) {
    throw Error(ErrorCode::kRuntime,
                fmt::format("TensorRT-RTX made no {}: {}", what, logger.last()));
  }
  return std::unique_ptr<Object>(static_cast<Object*>(object));
}

std::string text(const char* words) {
  return words == nullptr ? std::string() : std::string(words);
}

std::vector<ParserError> collect_errors(const nvonnxparser::IParser& parser) {
  std::vector<ParserError> errors;
  for (int i = 0; i < parser.getNbErrors(); ++i) {
    const nvonnxparser::IParserError& error = *parser.getError(i);
    errors.push_back({.node = text(error.nodeName()),
                      .op = text(error.nodeOperator()),
                      .message = text(error.desc())});
  }
  return errors;
}

}  // namespace

bool tensorrt_compiled_in() { return true; }

ParseReport parse_onnx(const std::filesystem::path& model,
                       const std::filesystem::path& library_dir) {
  file_stamp(model);  // the parser's own message for an absent file names no reason

  // Declared before what they create: destruction goes upwards.
  const SharedLibrary core(library_dir / "libtensorrt_rtx.so.1");
  const SharedLibrary onnx(library_dir / "libtensorrt_onnxparser_rtx.so.1");
  CollectingLogger logger;

  const auto create_builder =
      core.function<decltype(createInferBuilder_INTERNAL)>("createInferBuilder_INTERNAL");
  const auto builder =
      owned<nvinfer1::IBuilder>(create_builder(&logger, NV_TENSORRT_VERSION), "builder", logger);
  constexpr nvinfer1::NetworkDefinitionCreationFlags kNone = 0;  // always strongly typed since 1.2
  const auto network =
      owned<nvinfer1::INetworkDefinition>(builder->createNetworkV2(kNone), "network", logger);
  const auto create_parser =
      onnx.function<decltype(createNvOnnxParser_INTERNAL)>("createNvOnnxParser_INTERNAL");
  const auto parser = owned<nvonnxparser::IParser>(
      create_parser(network.get(), &logger, NV_ONNX_PARSER_VERSION), "parser", logger);

  ParseReport report;
  report.accepted =
      parser->parseFromFile(model.c_str(), static_cast<int>(nvinfer1::ILogger::Severity::kWARNING));
  report.errors = collect_errors(*parser);
  report.layers = network->getNbLayers();
  report.warnings = logger.take();
  return report;
}

}  // namespace sinter::engine

#else

namespace sinter::engine {

bool tensorrt_compiled_in() { return false; }

ParseReport parse_onnx(const std::filesystem::path& model, const std::filesystem::path&) {
  throw Error(ErrorCode::kUnsupported,
              fmt::format("cannot parse {}: built without TensorRT-RTX's headers", model.string()),
              "scripts/setup --retry says how to get them");
}

}  // namespace sinter::engine

#endif
