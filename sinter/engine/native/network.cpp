#include "sinter/engine/native/network.h"

#include <algorithm>
#include <map>
#include <set>

#include "sinter/base/file.h"

namespace sinter::engine::native::SINTER_BACKEND {
namespace {

std::string text(const char* words) { return words == nullptr ? std::string() : words; }

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

#if SINTER_BACKEND_OBSERVES_WEIGHTS
/// Notes the name of every weight that the parser makes.
class WeightNames final : public nvonnxparser::IRefitterObserver {
 public:
  void onRefittableWeight(const nvonnxparser::RefitRecord& record) noexcept override {
    try {
      names_.insert(text(record.trtName));
    } catch (const std::bad_alloc&) {
      // One name less in a report; the library must not see an exception.
    }
  }
  std::vector<std::string> sorted() const { return {names_.begin(), names_.end()}; }

 private:
  std::set<std::string> names_;
};
#endif

}  // namespace

Network parse_network(const SharedLibrary& core, const SharedLibrary& parser, Version version,
                      const std::filesystem::path& model, Log& log) {
  file_stamp(model);  // the parser's own message for an absent file names no reason
  Network network;
  const auto create_builder =
      core.function<decltype(createInferBuilder_INTERNAL)>("createInferBuilder_INTERNAL");
  network.builder =
      owned<nvinfer1::IBuilder>(create_builder(&log, NV_TENSORRT_VERSION), "builder", log);
  // Bit 0 asks TensorRT 10 for a strongly typed network; later ones have no other.
  network.definition =
      owned<nvinfer1::INetworkDefinition>(network.builder->createNetworkV2(1), "network", log);
  network.config = owned<nvinfer1::IBuilderConfig>(network.builder->createBuilderConfig(),
                                                   "builder configuration", log);
  const auto create_parser =
      parser.function<decltype(createNvOnnxParser_INTERNAL)>("createNvOnnxParser_INTERNAL");
  network.parser = owned<nvonnxparser::IParser>(
      create_parser(network.definition.get(), &log, NV_ONNX_PARSER_VERSION), "parser", log);
#if SINTER_BACKEND_OBSERVES_WEIGHTS
  WeightNames names;
  // The function stands at the end of the parser's table, which an older library's does not have.
  const bool observed = version >= kFirstObserver;
  if (observed) network.parser->setRefitObserver(&names);
#endif
  network.accepted = network.parser->parseFromFile(
      model.c_str(), static_cast<int>(nvinfer1::ILogger::Severity::kWARNING));
#if SINTER_BACKEND_OBSERVES_WEIGHTS
  if (observed) network.parser->setRefitObserver(nullptr);
  network.weights = names.sorted();
#else
  static_cast<void>(version);
#endif
  network.errors = collect_errors(*network.parser);
  return network;
}

namespace {

using nvinfer1::DataType;
using nvinfer1::ILayer;
using nvinfer1::ITensor;
using nvinfer1::LayerType;

/// Which layer writes a tensor and which read it.
class Wiring {
 public:
  explicit Wiring(nvinfer1::INetworkDefinition& network) {
    for (int i = 0; i < network.getNbLayers(); ++i) {
      ILayer* layer = network.getLayer(i);
      for (int j = 0; j < layer->getNbOutputs(); ++j) writers_[layer->getOutput(j)] = layer;
      for (int j = 0; j < layer->getNbInputs(); ++j)
        if (layer->getInput(j) != nullptr) readers_[layer->getInput(j)].push_back({layer, j});
    }
  }

  struct Reader {
    ILayer* layer;
    int input;
  };

  ILayer* writer(ITensor* tensor) const {
    const auto found = writers_.find(tensor);
    return found == writers_.end() ? nullptr : found->second;
  }
  std::vector<Reader> readers(ITensor* tensor) const {
    const auto found = readers_.find(tensor);
    return found == readers_.end() ? std::vector<Reader>() : found->second;
  }

 private:
  std::map<ITensor*, ILayer*> writers_;
  std::map<ITensor*, std::vector<Reader>> readers_;
};

/// Whether a tensor is a float32 constant of that value throughout, seen through reshapes.
bool is_constant(const Wiring& wiring, ITensor* tensor, float value) {
  ILayer* layer = wiring.writer(tensor);
  while (layer != nullptr &&
         (layer->getType() == LayerType::kSHUFFLE || layer->getType() == LayerType::kUNSQUEEZE))
    layer = wiring.writer(layer->getInput(0));
  if (layer == nullptr || layer->getType() != LayerType::kCONSTANT) return false;
  const nvinfer1::Weights weights = static_cast<nvinfer1::IConstantLayer*>(layer)->getWeights();
  if (weights.type != DataType::kFLOAT || weights.values == nullptr) return false;
  const auto* values = static_cast<const float*>(weights.values);
  return std::all_of(values, values + weights.count, [&](float v) { return v == value; });
}

bool casts(ILayer* layer, DataType from, DataType to) {
  return layer != nullptr && layer->getType() == LayerType::kCAST &&
         layer->getInput(0)->getType() == from && layer->getOutput(0)->getType() == to;
}

}  // namespace

int join_norms(nvinfer1::INetworkDefinition& network) {
  const Wiring wiring(network);
  int joined = 0;
  const int layers = network.getNbLayers();  // those of the model; casts are added behind
  for (int i = 0; i < layers; ++i) {
    ILayer* norm = network.getLayer(i);
    if (norm->getType() != LayerType::kNORMALIZATION || norm->getNbInputs() != 3) continue;
    ILayer* widen = wiring.writer(norm->getInput(0));
    const std::vector<Wiring::Reader> readers = wiring.readers(norm->getOutput(0));
    if (!casts(widen, DataType::kHALF, DataType::kFLOAT) || readers.empty() ||
        !std::ranges::all_of(readers,
                             [](const Wiring::Reader& reader) {
                               return casts(reader.layer, DataType::kFLOAT, DataType::kHALF);
                             }) ||
        !is_constant(wiring, norm->getInput(1), 1) || !is_constant(wiring, norm->getInput(2), 0))
      continue;
    norm->setInput(0, *widen->getInput(0));
    for (const int side : {1, 2})
      norm->setInput(side, *network.addCast(*norm->getInput(side), DataType::kHALF)->getOutput(0));
    for (const Wiring::Reader& narrow : readers) {
      for (const Wiring::Reader& user : wiring.readers(narrow.layer->getOutput(0)))
        user.layer->setInput(user.input, *norm->getOutput(0));
    }
    ++joined;
  }
  return joined;
}

}  // namespace sinter::engine::native::SINTER_BACKEND
