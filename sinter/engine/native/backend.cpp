#include <fmt/format.h>

#include "sinter/base/error.h"
#include "sinter/base/shared_library.h"
#include "sinter/engine/failure.h"
#include "sinter/engine/native/backends.h"
#include "sinter/engine/native/builder.h"
#include "sinter/engine/native/loaded_engine.h"

namespace sinter::engine::native {
namespace SINTER_BACKEND {
namespace {

Version version_of(const SharedLibrary& core) {
  const auto number = [&](const char* name) {
    return static_cast<int>(core.function<std::int32_t() noexcept>(name)());
  };
  return {number("getInferLibMajorVersion"), number("getInferLibMinorVersion"),
          number("getInferLibPatchVersion"), number("getInferLibBuildVersion")};
}

class NativeBackend final : public Backend {
 public:
  explicit NativeBackend(const LibraryFiles& files)
      : core_(files.core), parser_(files.parser), version_(version_of(core_)) {
    if (version_.major != NV_TENSORRT_MAJOR) {
      throw Error(ErrorCode::kRuntime,
                  fmt::format("{} is {} {}, this sinter was built for {}.x", files.core.string(),
                              flavour_info(kFlavour).name, version_.text(), NV_TENSORRT_MAJOR),
                  "other majors have other tables of functions: build sinter with the headers of "
                  "that version");
    }
  }

  Flavour flavour() const override { return kFlavour; }
  Version version() const override { return version_; }

  ParseReport parse(const std::filesystem::path& model) override {
    Log log;
    Network network = parse_network(core_, parser_, version_, model, log);
    return {.accepted = network.accepted,
            .errors = std::move(network.errors),
            .layers = network.definition->getNbLayers(),
            .warnings = log.take(),
            .weights = std::move(network.weights)};
  }

  BuildReport build(const BuildRequest& request, const EngineSink& sink) override {
    Log log;
    Network network = parse_network(core_, parser_, version_, request.model, log);
    if (!network.accepted)
      throw parser_failure(kFlavour, version_, request.model, network.errors, log.reason());
    return build_network(network, request, version_, log, sink);
  }

  void refit(std::span<const std::byte> engine, std::span<const RefitWeight> weights,
             const EngineSink& sink) override {
    Log log;
    LoadedEngine loaded(core_, engine, version_, log);
    loaded.refit(weights);
    loaded.serialize(sink);
  }

  std::string inspect(std::span<const std::byte> engine) override {
    Log log;
    return LoadedEngine(core_, engine, version_, log).inspect();
  }

 private:
  SharedLibrary core_;
  SharedLibrary parser_;
  Version version_;
};

}  // namespace
}  // namespace SINTER_BACKEND

std::unique_ptr<Backend> SINTER_BACKEND_OPEN(const LibraryFiles& files) {
  return std::make_unique<SINTER_BACKEND::NativeBackend>(files);
}

}  // namespace sinter::engine::native
