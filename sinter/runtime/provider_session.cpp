#include "sinter/runtime/provider_session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>
#include <stdexcept>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/runtime/provider_files.h"

namespace sinter::runtime {
namespace {

// Options as the C interface takes them; refers to what it is made of.
struct Keyed {
  explicit Keyed(const ProviderOptions& options) {
    for (const auto& [key, value] : options) {
      keys.push_back(key.c_str());
      values.push_back(value.c_str());
    }
  }
  std::vector<const char*> keys;
  std::vector<const char*> values;
};

// A provider that comes with ONNX Runtime.
void append_built_in(const OnnxRuntimeLibrary& library, const Provider& provider,
                     const ProviderOptions& given, OrtSessionOptions* options) {
  const OrtApi& api = library.api();
  const Keyed keyed(given);
  if (provider.engine == Engine::kCuda) {
    OrtCUDAProviderOptionsV2* raw = nullptr;
    library.check(api.CreateCUDAProviderOptions(&raw));
    const Handle<OrtCUDAProviderOptionsV2> owned(raw, api.ReleaseCUDAProviderOptions);
    library.check(api.UpdateCUDAProviderOptions(raw, keyed.keys.data(), keyed.values.data(),
                                                keyed.keys.size()));
    library.check(api.SessionOptionsAppendExecutionProvider_CUDA_V2(options, raw));
  } else if (provider.engine == Engine::kTensorRt) {
    OrtTensorRTProviderOptionsV2* raw = nullptr;
    library.check(api.CreateTensorRTProviderOptions(&raw));
    const Handle<OrtTensorRTProviderOptionsV2> owned(raw, api.ReleaseTensorRTProviderOptions);
    library.check(api.UpdateTensorRTProviderOptions(raw, keyed.keys.data(), keyed.values.data(),
                                                    keyed.keys.size()));
    library.check(api.SessionOptionsAppendExecutionProvider_TensorRT_V2(options, raw));
  } else {
    library.check(api.SessionOptionsAppendExecutionProvider(
        options, "NvTensorRtRtx", keyed.keys.data(), keyed.values.data(), keyed.keys.size()));
  }
}

[[noreturn]] void no_device(const Provider* provider, const OnnxRuntimeLibrary& library,
                            const SessionOptions& wanted) {
  std::string message =
      fmt::format("{} offers no device on this machine", wanted.provider_library.string());
  if (provider != nullptr) {
    for (const std::string& sentence :
         missing_for(*provider, library.path(), library.version(), wanted.provider_library))
      message += "; " + sentence;
  }
  throw Error(ErrorCode::kRuntime, std::move(message));
}

// A provider of a library of its own. Returns its name.
std::string append_from_library(const OnnxRuntimeLibrary& library, const Provider* provider,
                                const ProviderOptions& given, const SessionOptions& wanted,
                                OrtSessionOptions* options) {
  const std::vector<const EpDevice*> devices = library.devices_of(wanted.provider_library);
  if (devices.empty()) no_device(provider, library, wanted);
  const auto name_of = [&](const EpDevice* device) {
    return std::string(library.later().device_provider(device));
  };
  const auto found = std::ranges::find_if(devices, [&](const EpDevice* device) {
    return provider == nullptr || is_provider(*provider, name_of(device));
  });
  if (found == devices.end()) {
    std::set<std::string> names;
    for (const EpDevice* device : devices) names.insert(name_of(device));
    throw Error(ErrorCode::kUsage,
                fmt::format("{} provides {}, expected {}", wanted.provider_library.string(),
                            fmt::join(names, ", "), provider->name),
                "--engine onnxruntime takes the provider of any library");
  }
  const Keyed keyed(given);
  library.check(library.later().append_provider(options, library.environment(), &*found, 1,
                                                keyed.keys.data(), keyed.values.data(),
                                                keyed.keys.size()));
  return name_of(*found);
}

// Tells one provider library from the next.
std::string stamp_of(const SessionOptions& wanted) {
  if (wanted.provider_library.empty() || !std::filesystem::exists(wanted.provider_library))
    return {};
  const FileStamp stamp = file_stamp(wanted.provider_library);
  return fmt::format("{} {} {}", wanted.provider_library.filename().string(), stamp.bytes,
                     stamp.modified_ns);
}

// Everything that is missing, and what the engine said.
[[noreturn]] void cannot_run(const Provider& provider, const OnnxRuntimeLibrary& library,
                             const SessionOptions& wanted, std::string_view words) {
  const std::vector<std::string> missing =
      missing_for(provider, library.path(), library.version(), wanted.provider_library);
  throw Error(
      ErrorCode::kRuntime,
      fmt::format(
          "{} cannot run here: {}", provider.title,
          missing.empty() ? std::string(words) : fmt::format("{}", fmt::join(missing, "; "))),
      fmt::format("the package {} has the libraries ({}), beside an NVIDIA driver; --engine "
                  "openvino runs on the CPU",
                  provider.package,
                  provider.engine == Engine::kTensorRtRtx ? "--provider-library names them"
                                                          : "--onnxruntime names them"));
}

}  // namespace

std::string append_provider(const OnnxRuntimeLibrary& library, const Provider* provider,
                            const graph::OnnxModel& model, const SessionOptions& wanted,
                            OrtSessionOptions* options) {
  if (provider == nullptr && wanted.provider_library.empty()) return {};
  SessionOptions own = wanted;
  if (provider != nullptr && !wanted.engine_cache.empty()) {
    own.engine_cache =
        cache_folder(model, wanted,
                     fmt::format("{} {} {}", provider->name, library.version(), stamp_of(wanted)));
    std::filesystem::create_directories(own.engine_cache);
  }
  const ProviderOptions given =
      provider == nullptr ? ProviderOptions{} : provider_options(*provider, model, own);
  try {
    if (!wanted.provider_library.empty())
      return append_from_library(library, provider, given, wanted, options);
    append_built_in(library, *provider, given, options);
    // What TensorRT does not take goes to CUDA before it goes to the CPU.
    if (provider->engine == Engine::kTensorRt) {
      const Provider& cuda = *provider_of(Engine::kCuda);
      append_built_in(library, cuda, provider_options(cuda, model, wanted), options);
    }
    return std::string(provider->name);
  } catch (const Error& error) {
    // A library that cannot be loaded is one of the things that are missing.
    if (error.code() == ErrorCode::kUsage || provider == nullptr) throw;
    cannot_run(*provider, library, wanted, error.message());
  } catch (const std::runtime_error& problem) {
    if (provider == nullptr) throw;
    cannot_run(*provider, library, wanted, problem.what());
  }
}

std::vector<PlacedNode> placed_nodes(const OnnxRuntimeLibrary& library, const OrtSession& session) {
  const LaterApi& api = library.later();
  const AssignedSubgraph* const* subgraphs = nullptr;
  std::size_t subgraph_count = 0;
  library.check(api.get_assignment(&session, &subgraphs, &subgraph_count));
  std::vector<PlacedNode> result;
  for (const AssignedSubgraph* subgraph : std::span(subgraphs, subgraph_count)) {
    const char* provider = nullptr;
    library.check(api.subgraph_provider(subgraph, &provider));
    const AssignedNode* const* nodes = nullptr;
    std::size_t count = 0;
    library.check(api.subgraph_nodes(subgraph, &nodes, &count));
    for (const AssignedNode* node : std::span(nodes, count)) {
      const char* name = nullptr;
      const char* op = nullptr;
      library.check(api.node_name(node, &name));
      library.check(api.node_operator(node, &op));
      result.push_back({provider, name, op});
    }
  }
  return result;
}

}  // namespace sinter::runtime
