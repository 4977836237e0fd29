#include "sinter/runtime/onnxruntime_session.h"

#include <fmt/format.h>
#include <onnxruntime_c_api.h>

#include <cstring>
#include <map>
#include <mutex>

#include "sinter/base/error.h"
#include "sinter/base/process.h"
#include "sinter/base/shared_library.h"
#include "sinter/runtime/engine_error.h"
#include "sinter/runtime/prepared_inputs.h"

namespace sinter::runtime {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kEngineName = "ONNX Runtime";

// How the engine begins to say that it knows an operator, but not for these element types.
constexpr std::string_view kNoKernel = "Could not find an implementation for";

// An object of the C interface, released by the function that its library names.
template <typename T>
using Handle = std::unique_ptr<T, void (*)(T*)>;

// A loaded ONNX Runtime with its one environment.
class Library {
 public:
  explicit Library(const fs::path& path)
      : library_(without_telemetry(path)), environment_(nullptr, [](OrtEnv*) {}) {
    const OrtApiBase* base = library_.function<const OrtApiBase*()>("OrtGetApiBase")();
    version_ = base->GetVersionString();
    api_ = base->GetApi(ORT_API_VERSION);
    if (api_ == nullptr) {
      throw Error(ErrorCode::kRuntime, fmt::format("{} is ONNX Runtime {}, expected 1.{} or later",
                                                   path.string(), version_, ORT_API_VERSION));
    }
    OrtEnv* environment = nullptr;
    // Fatal only: what the engine has to say comes back as a status, and the library never prints.
    check(api_->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "sinter", &environment));
    environment_ = Handle<OrtEnv>(environment, api_->ReleaseEnv);
    check(api_->DisableTelemetryEvents(environment));
  }

  // The library would collect events and a device id and send them to its makers; it reads the
  // variable when it is loaded.
  static const fs::path& without_telemetry(const fs::path& path) {
    set_default_environment("ORT_DISABLE_TELEMETRY", "1");
    return path;
  }

  const OrtApi& api() const { return *api_; }
  const OrtEnv* environment() const { return environment_.get(); }
  const std::string& version() const { return version_; }

  // Throws the words of a failed status.
  void check(OrtStatus* status) const {
    if (status == nullptr) return;
    const Handle<OrtStatus> owned(status, api_->ReleaseStatus);
    throw std::runtime_error(api_->GetErrorMessage(owned.get()));
  }

 private:
  SharedLibrary library_;
  const OrtApi* api_ = nullptr;
  std::string version_;
  Handle<OrtEnv> environment_;
};

// A library is loaded once and stays: its thread pools and its environment belong to the process.
const Library& library_at(const fs::path& wanted) {
  const fs::path path = wanted.empty() ? default_onnxruntime_library() : wanted;
  if (path.empty()) {
    throw Error(ErrorCode::kRuntime, "there is no ONNX Runtime library beside sinter",
                "name one, or use --engine openvino");
  }
  static std::mutex mutex;
  static std::map<fs::path, Library> loaded;
  const std::lock_guard lock(mutex);
  return loaded.try_emplace(path, path).first->second;
}

class OnnxRuntimeSession final : public Session {
 public:
  OnnxRuntimeSession(const graph::OnnxModel& model, const SessionOptions& options)
      : model_(model),
        library_(library_at(options.onnxruntime_library)),
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
    return {.name = std::string(kEngineName),
            .version = library_.version(),
            .device = "CPU",
            .arithmetic = "float32"};
  }

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
    check(api().SetSessionGraphOptimizationLevel(raw, ORT_ENABLE_ALL));
    check(api().SetIntraOpNumThreads(raw, wanted.threads));
    check(api().SetSessionLogSeverityLevel(raw, ORT_LOGGING_LEVEL_FATAL));
    OrtMemoryInfo* memory = nullptr;
    check(api().CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
    memory_.reset(memory);
    const std::vector<graph::Weight> weights = model_.weights();
    const std::vector<Handle<OrtValue>> values = add_weights(raw, weights);

    const std::string bytes = model_.serialized(graph::WeightForm::kReferences,
                                                wanted.arithmetic == Arithmetic::kRounded
                                                    ? graph::Rounding::kDeclaredTypes
                                                    : graph::Rounding::kEngine);
    OrtSession* session = nullptr;
    check(api().CreateSessionFromArray(library_.environment(), bytes.data(), bytes.size(), raw,
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
  const Library& library_;
  std::vector<graph::ValueDeclaration> inputs_;
  std::vector<graph::ValueDeclaration> outputs_;
  Handle<OrtMemoryInfo> memory_;
  Handle<OrtSession> session_;
};

}  // namespace

std::unique_ptr<Session> open_onnxruntime(const graph::OnnxModel& model,
                                          const SessionOptions& options) {
  return std::make_unique<OnnxRuntimeSession>(model, options);
}

}  // namespace sinter::runtime
