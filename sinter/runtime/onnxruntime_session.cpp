#include "sinter/runtime/onnxruntime_session.h"

#include <fmt/format.h>
#include <onnxruntime_c_api.h>

#include <cstring>

#include "sinter/base/error.h"
#include "sinter/runtime/engine_error.h"
#include "sinter/runtime/onnxruntime_library.h"
#include "sinter/runtime/placement.h"
#include "sinter/runtime/prepared_inputs.h"
#include "sinter/runtime/provider_session.h"

namespace sinter::runtime {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kEngineName = kOnnxRuntimeName;

// How the engine begins to say that it knows an operator, but not for these element types.
constexpr std::string_view kNoKernel = "Could not find an implementation for";

class OnnxRuntimeSession final : public Session {
 public:
  OnnxRuntimeSession(Engine engine, const graph::OnnxModel& model, const SessionOptions& options)
      : model_(model),
        library_(onnxruntime_library(options.onnxruntime_library)),
        provider_(provider_of(engine)),
        inputs_(model.inputs()),
        outputs_(model.outputs()),
        memory_(nullptr, library_.api().ReleaseMemoryInfo),
        session_(nullptr, library_.api().ReleaseSession) {
    try {
      open(options);
    } catch (const std::exception& problem) {
      rethrow("compiling", problem);
    }
  }

  const std::vector<graph::ValueDeclaration>& inputs() const override { return inputs_; }
  const std::vector<graph::ValueDeclaration>& outputs() const override { return outputs_; }

  EngineInfo info() const override {
    return {.name = appended_.empty() ? std::string(kEngineName)
                                      : fmt::format("{} with {}", kEngineName, appended_),
            .version = library_.version(),
            .device = appended_.empty() ? "CPU" : provider_ == nullptr ? appended_ : "GPU",
            .arithmetic = chooses_kernels() ? "TensorRT" : "float32"};
  }

  Placement placement() const override { return placement_; }

  TensorMap run(const TensorMap& given) override {
    const PreparedInputs prepared(inputs_, given);
    try {
      return run(prepared);
    } catch (const std::exception& problem) {
      rethrow("running", problem);
    }
  }

 private:
  const OrtApi& api() const { return library_.api(); }

  // TensorRT takes its own kernels and sums, whatever the graph's type.
  bool chooses_kernels() const {
    return provider_ != nullptr && provider_->engine != Engine::kCuda;
  }
  void check(OrtStatus* status) const { library_.check(status); }

  [[noreturn]] void rethrow(std::string_view doing, const std::exception& problem) const {
    if (const auto* ours = dynamic_cast<const Error*>(&problem)) throw *ours;
    const std::string_view words = problem.what();
    // Asked for only when it fails: another build may have them one day.
    if (words.starts_with(kNoKernel) && model_.compute_dtype() == DType::kBF16) {
      throw Error(ErrorCode::kUnsupported,
                  fmt::format("{} computes in bfloat16, and {}'s CPU provider has no kernels for "
                              "it",
                              model_.path().string(), kEngineName),
                  "use --engine openvino, or convert with --precision fp16 or fp32");
    }
    throw_engine_error(kEngineName, doing, model_, words);
  }

  void open(const SessionOptions& wanted) {
    OrtSessionOptions* raw = nullptr;
    check(api().CreateSessionOptions(&raw));
    const Handle<OrtSessionOptions> options(raw, api().ReleaseSessionOptions);
    check(api().SetSessionGraphOptimizationLevel(
        raw, wanted.as_written ? ORT_DISABLE_ALL : ORT_ENABLE_ALL));
    if (wanted.as_written) {
      // Packing would copy every weight, and compute otherwise for constants than for the same
      // values; an arena would keep what a node has done with.
      check(api().AddSessionConfigEntry(raw, "session.disable_prepacking", "1"));
      check(api().DisableMemPattern(raw));
      check(api().DisableCpuMemArena(raw));
    }
    check(api().SetIntraOpNumThreads(raw, wanted.threads));
    check(api().SetSessionLogSeverityLevel(raw, ORT_LOGGING_LEVEL_FATAL));
    OrtMemoryInfo* memory = nullptr;
    check(api().CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
    memory_.reset(memory);
    appended_ = append_provider(library_, provider_, model_, wanted, raw);
    const bool record = wanted.record_placement || !appended_.empty();
    if (record) check(api().AddSessionConfigEntry(raw, kRecordPlacement, "1"));
    const std::vector<graph::Weight> weights = model_.weights();
    const std::vector<Handle<OrtValue>> values = add_weights(raw, weights);

    const std::string bytes =
        model_.serialized(graph::WeightForm::kReferences, wanted.arithmetic == Arithmetic::kRounded
                                                              ? graph::Rounding::kDeclaredTypes
                                                              : graph::Rounding::kEngine);
    if (!record) {
      create(bytes, raw);
      return;
    }
    const OnnxRuntimeLibrary::Listening listening(library_);
    check(api().SetSessionLogSeverityLevel(raw, ORT_LOGGING_LEVEL_INFO));
    create(bytes, raw);
    if (library_.minor_version() < kAssignmentSince) return;
    placement_ = placement_of(placed_nodes(library_, *session_), model_, listening.messages());
    // On the CPU by choice, nothing has fallen there.
    if (appended_.empty()) placement_.fallen.clear();
  }

  void create(const std::string& bytes, const OrtSessionOptions* options) {
    OrtSession* session = nullptr;
    check(api().CreateSessionFromArray(library_.environment(), bytes.data(), bytes.size(), options,
                                       &session));
    session_.reset(session);
  }

  // The weights, mapped by us: the engine itself opens no file outside the model's folder. The
  // values have to live until the session is made.
  std::vector<Handle<OrtValue>> add_weights(OrtSessionOptions* options,
                                            const std::vector<graph::Weight>& weights) const {
    std::vector<const char*> names;
    std::vector<Handle<OrtValue>> owned;
    std::vector<const OrtValue*> values;
    for (const graph::Weight& weight : weights) {
      names.push_back(weight.name.c_str());
      values.push_back(owned.emplace_back(over(weight.dtype, weight.shape, weight.bytes)).get());
    }
    if (!names.empty()) {
      check(api().AddExternalInitializers(options, names.data(), values.data(), names.size()));
    }
    return owned;
  }

  // The interface takes no pointer to const, and only reads.
  static void* writable(const std::byte* bytes) { return const_cast<std::byte*>(bytes); }

  Handle<OrtValue> over(DType dtype, const Shape& shape, std::span<const std::byte> bytes) const {
    OrtValue* value = nullptr;
    check(api().CreateTensorWithDataAsOrtValue(
        memory_.get(), writable(bytes.data()), bytes.size(), shape.data(), shape.size(),
        // The engine's enumeration numbers the types as TensorProto does.
        static_cast<ONNXTensorElementDataType>(dtype_info(dtype).onnx), &value));
    return Handle<OrtValue>(value, api().ReleaseValue);
  }

  Tensor copied(OrtValue* value) const {
    OrtTensorTypeAndShapeInfo* raw = nullptr;
    check(api().GetTensorTypeAndShape(value, &raw));
    const Handle<OrtTensorTypeAndShapeInfo> info(raw, api().ReleaseTensorTypeAndShapeInfo);
    ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    std::size_t rank = 0;
    check(api().GetTensorElementType(raw, &type));
    check(api().GetDimensionsCount(raw, &rank));
    Shape shape(rank);
    check(api().GetDimensions(raw, shape.data(), rank));
    const std::optional<DType> dtype = dtype_from_onnx(static_cast<int>(type));
    if (!dtype) {
      throw Error(ErrorCode::kUnsupported,
                  fmt::format("an output of element type {}", static_cast<int>(type)));
    }
    Tensor result(*dtype, std::move(shape));
    void* data = nullptr;
    check(api().GetTensorMutableData(value, &data));
    if (!result.bytes().empty()) std::memcpy(result.bytes().data(), data, result.bytes().size());
    return result;
  }

  TensorMap run(const PreparedInputs& prepared) {
    std::vector<const char*> input_names;
    std::vector<Handle<OrtValue>> owned;
    std::vector<const OrtValue*> values;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Tensor& tensor = *prepared.tensors()[i];
      input_names.push_back(inputs_[i].name.c_str());
      values.push_back(
          owned.emplace_back(over(tensor.dtype(), tensor.shape(), tensor.bytes())).get());
    }
    std::vector<const char*> output_names;
    for (const graph::ValueDeclaration& output : outputs_) {
      output_names.push_back(output.name.c_str());
    }
    std::vector<OrtValue*> outputs(outputs_.size());
    check(api().Run(session_.get(), nullptr, input_names.data(), values.data(), values.size(),
                    output_names.data(), output_names.size(), outputs.data()));
    for (OrtValue* output : outputs) owned.emplace_back(output, api().ReleaseValue);
    TensorMap results;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      results.insert_or_assign(outputs_[i].name, copied(outputs[i]));
    }
    return results;
  }

  const graph::OnnxModel& model_;
  const OnnxRuntimeLibrary& library_;
  const Provider* provider_;  // null: the CPU, or what a provider library brings
  std::string appended_;      // name of the provider in use; empty: the CPU
  Placement placement_;
  std::vector<graph::ValueDeclaration> inputs_;
  std::vector<graph::ValueDeclaration> outputs_;
  Handle<OrtMemoryInfo> memory_;
  Handle<OrtSession> session_;
};

}  // namespace

std::unique_ptr<Session> open_onnxruntime(const graph::OnnxModel& model,
                                          const SessionOptions& options) {
  return std::make_unique<OnnxRuntimeSession>(Engine::kOnnxRuntime, model, options);
}

std::unique_ptr<Session> open_onnxruntime_on(Engine engine, const graph::OnnxModel& model,
                                             const SessionOptions& options) {
  return std::make_unique<OnnxRuntimeSession>(engine, model, options);
}

}  // namespace sinter::runtime
