#include "sinter/runtime/session.h"

#include <array>
#include <system_error>

#include "sinter/base/process.h"
#include "sinter/runtime/onnxruntime_session.h"
#include "sinter/runtime/openvino_session.h"

namespace sinter::runtime {
namespace fs = std::filesystem;
namespace {

template <Engine engine>
std::unique_ptr<Session> open_provider(const graph::OnnxModel& model,
                                       const SessionOptions& options) {
  return open_onnxruntime_on(engine, model, options);
}

struct EngineRow {
  Engine engine;
  std::string_view name;
  std::unique_ptr<Session> (*open)(const graph::OnnxModel&, const SessionOptions&);
};

constexpr std::array kEngines{
    EngineRow{Engine::kOpenVino, "openvino", open_openvino},
    EngineRow{Engine::kOnnxRuntime, "onnxruntime", open_onnxruntime},
    EngineRow{Engine::kCuda, "cuda", open_provider<Engine::kCuda>},
    EngineRow{Engine::kTensorRt, "tensorrt", open_provider<Engine::kTensorRt>},
    EngineRow{Engine::kTensorRtRtx, "trt-rtx", open_provider<Engine::kTensorRtRtx>},
};

// The library carries its version in its name, so that the folder has to be read.
fs::path library_in(const fs::path& folder) {
  fs::path best;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("libonnxruntime.so") && entry.path() > best) best = entry.path();
  }
  return best;
}

}  // namespace

std::string_view engine_name(Engine engine) {
  for (const EngineRow& row : kEngines) {
    if (row.engine == engine) return row.name;
  }
  return "unknown";
}

std::optional<Engine> engine_from_name(std::string_view name) {
  for (const EngineRow& row : kEngines) {
    if (row.name == name) return row.engine;
  }
  return std::nullopt;
}

fs::path default_onnxruntime_library() {
  const fs::path program = executable_path().parent_path();
  const std::array folders{program, program / ".." / "lib" / "sinter",
                           fs::path(SINTER_BUILD_ONNXRUNTIME)};
  for (const fs::path& folder : folders) {
    if (fs::path found = library_in(folder); !found.empty()) return found;
  }
  return {};
}

std::unique_ptr<Session> open_session(Engine engine, const graph::OnnxModel& model,
                                      const SessionOptions& options) {
  for (const EngineRow& row : kEngines) {
    if (row.engine == engine) return row.open(model, options);
  }
  return nullptr;
}

}  // namespace sinter::runtime
