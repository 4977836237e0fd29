#include "sinter/runtime/onnxruntime_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "sinter/base/error.h"
#include "sinter/base/process.h"
#include "sinter/runtime/provider_files.h"
#include "sinter/runtime/session.h"

namespace sinter::runtime {
namespace fs = std::filesystem;
namespace {

// A graph of a few thousand nodes, each told of once or twice.
constexpr std::size_t kMostMessages = 20000;

// The library would collect events and a device id and send them to its makers; it reads the
// variable when it is loaded.
const fs::path& without_telemetry(const fs::path& path) {
  set_default_environment("ORT_DISABLE_TELEMETRY", "1");
  return path;
}

// "1.32.0" -> 32.
int minor_of(std::string_view version) {
  int minor = 0;
  if (version.starts_with("1."))
    std::from_chars(version.data() + 2, version.data() + version.size(), minor);
  return minor;
}

}  // namespace

struct OnnxRuntimeLibrary::State {
  std::mutex mutex;
  bool listening = false;
  std::vector<std::string> messages;
  std::map<fs::path, std::vector<const EpDevice*>> devices;  // by provider library

  static void ORT_API_CALL log(void* param, OrtLoggingLevel /*severity*/, const char* /*category*/,
                               const char* /*logid*/, const char* /*code_location*/,
                               const char* message) {
    auto& state = *static_cast<State*>(param);
    const std::lock_guard lock(state.mutex);
    if (state.listening && state.messages.size() < kMostMessages)
      state.messages.emplace_back(message);
  }
};

OnnxRuntimeLibrary::OnnxRuntimeLibrary(const fs::path& path)
    : path_(path),
      library_(without_telemetry(path)),
      state_(std::make_unique<State>()),
      environment_(nullptr, [](OrtEnv*) {}) {
  const OrtApiBase* base = library_.function<const OrtApiBase*()>("OrtGetApiBase")();
  version_ = base->GetVersionString();
  minor_ = minor_of(version_);
  // An older one would complain on standard error about a version that it does not have.
  if (minor_ >= ORT_API_VERSION)
    api_ = base->GetApi(static_cast<std::uint32_t>(std::min(minor_, kAssignmentSince)));
  if (api_ == nullptr) {
    throw Error(ErrorCode::kRuntime, fmt::format("{} is ONNX Runtime {}, expected 1.{} or later",
                                                 path.string(), version_, ORT_API_VERSION));
  }
  OrtEnv* environment = nullptr;
  // Fatal only: what the engine has to say comes back as a status, and the library never prints.
  check(api_->CreateEnvWithCustomLogger(&State::log, state_.get(), ORT_LOGGING_LEVEL_FATAL,
                                        "sinter", &environment));
  environment_ = Handle<OrtEnv>(environment, api_->ReleaseEnv);
  check(api_->DisableTelemetryEvents(environment));
}

OnnxRuntimeLibrary::~OnnxRuntimeLibrary() {
  // This is the end of the process. Provider libraries are called once more when an environment
  // goes, and some have taken their own things down by then.
  if (!state_->devices.empty()) static_cast<void>(environment_.release());
}

const LaterApi& OnnxRuntimeLibrary::later() const {
  return *static_cast<const LaterApi*>(static_cast<const void*>(api_));
}

void OnnxRuntimeLibrary::check(OrtStatus* status) const {
  if (status == nullptr) return;
  const Handle<OrtStatus> owned(status, api_->ReleaseStatus);
  throw std::runtime_error(api_->GetErrorMessage(owned.get()));
}

std::vector<const EpDevice*> OnnxRuntimeLibrary::devices_of(const fs::path& library) const {
  if (minor_ < kProviderLibrariesSince) {
    throw Error(ErrorCode::kRuntime,
                fmt::format("{} is ONNX Runtime {}; provider libraries need 1.{} or later",
                            path_.string(), version_, kProviderLibrariesSince));
  }
  if (const auto known = state_->devices.find(library); known != state_->devices.end())
    return known->second;
  const auto all = [&] {
    const EpDevice* const* devices = nullptr;
    std::size_t count = 0;
    check(later().get_devices(environment(), &devices, &count));
    return std::vector<const EpDevice*>(devices, devices + count);
  };
  load_with_neighbours(library);
  const std::vector<const EpDevice*> before = all();
  // Some call their provider by the name that they are registered with.
  std::string name = library.stem().string();
  if (name.starts_with("lib")) name.erase(0, 3);
  check(later().register_provider_library(environment(), name.c_str(), library.c_str()));
  std::vector<const EpDevice*> added = all();
  std::erase_if(added, [&](const EpDevice* device) {
    return std::ranges::find(before, device) != before.end();
  });
  return state_->devices.emplace(library, std::move(added)).first->second;
}

OnnxRuntimeLibrary::Listening::Listening(const OnnxRuntimeLibrary& library) : library_(library) {
  {
    const std::lock_guard lock(library_.state_->mutex);
    library_.state_->messages.clear();
    library_.state_->listening = true;
  }
  library_.check(
      library_.api().UpdateEnvWithCustomLogLevel(library_.environment(), ORT_LOGGING_LEVEL_INFO));
}

OnnxRuntimeLibrary::Listening::~Listening() {
  OrtStatus* status =
      library_.api().UpdateEnvWithCustomLogLevel(library_.environment(), ORT_LOGGING_LEVEL_FATAL);
  if (status != nullptr) library_.api().ReleaseStatus(status);
  const std::lock_guard lock(library_.state_->mutex);
  library_.state_->listening = false;
}

std::vector<std::string> OnnxRuntimeLibrary::Listening::messages() const {
  const std::lock_guard lock(library_.state_->mutex);
  return library_.state_->messages;
}

const OnnxRuntimeLibrary& onnxruntime_library(const fs::path& wanted) {
  const fs::path path = wanted.empty() ? default_onnxruntime_library() : wanted;
  if (path.empty()) {
    throw Error(ErrorCode::kRuntime, "there is no ONNX Runtime library beside sinter",
                "name one, or use --engine openvino");
  }
  static std::mutex mutex;
  static std::map<fs::path, OnnxRuntimeLibrary> loaded;
  const std::lock_guard lock(mutex);
  return loaded.try_emplace(path, path).first->second;
}

}  // namespace sinter::runtime
