#include "sinter/engine/build_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/hash.h"
#include "sinter/engine/engine_file.h"
#include "sinter/engine/refit_weights.h"
#include "sinter/graph/onnx_model.h"

namespace sinter::engine {
namespace {

namespace fs = std::filesystem;

/// A folder for engines; removed again if nothing has come to be in it.
class EnginesFolder {
 public:
  explicit EnginesFolder(const fs::path& converted) : path_(converted / kEnginesFolder) {
    std::error_code error;
    fs::create_directory(path_, error);
    if (error)
      throw Error(ErrorCode::kIo,
                  fmt::format("cannot make {}: {}", path_.string(), error.message()));
  }
  ~EnginesFolder() {
    std::error_code ignored;  // one that holds something is not removed
    fs::remove(path_, ignored);
  }
  EnginesFolder(const EnginesFolder&) = delete;
  EnginesFolder& operator=(const EnginesFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Writes an engine, hashes it, and keeps its header.
class EngineWriter {
 public:
  explicit EngineWriter(const fs::path& path) : file_(path) {}

  void write(std::span<const std::byte> bytes) {
    if (header_.size() < kEngineHeaderBytes) {
      const std::size_t want = std::min(kEngineHeaderBytes - header_.size(), bytes.size());
      header_.insert(header_.end(), bytes.begin(),
                     bytes.begin() + static_cast<std::ptrdiff_t>(want));
    }
    file_.write(bytes);
    hash_.update(bytes);
  }

  void commit(EngineRecord& record) {
    const EngineHeader header = read_engine_header(header_, file_.written());
    record.version = header.version;
    if (record.architectures.empty()) record.architectures = header.architectures;
    record.bytes = file_.written();
    record.sha256 = hash_.hex();
    file_.commit();
  }

 private:
  AtomicFile file_;
  Sha256 hash_;
  std::vector<std::byte> header_;
};

SourceFile hashed(const fs::path& file, std::string path) {
  const MappedFile mapped(file);
  return {std::move(path), mapped.bytes().size(), sha256_hex(mapped.bytes())};
}

constexpr const char* kTimingCache = "timing.cache";

std::string earlier_timing_cache(Flavour flavour, const fs::path& folder) {
  std::error_code ignored;
  const fs::path path = folder / kTimingCache;
  return flavour == Flavour::kTensorRt && fs::exists(path, ignored) ? read_text(path) : "";
}

void keep_timing_cache(const std::string& bytes, const fs::path& folder) {
  if (bytes.empty()) return;
  AtomicFile file(folder / kTimingCache);
  file.write(bytes);
  file.commit();
}

}  // namespace

std::pair<EngineRecord, std::vector<std::string>> build_engine(Backend& backend,
                                                               const EngineOrder& order) {
  EngineRecord record = order.record;
  const fs::path model = order.folder / record.graph / "model.onnx";
  {
    const graph::OnnxModel checked = graph::OnnxModel::load(model);
    plan::require_covers(record.profile, checked.inputs());
  }
  record.onnx = hashed(model, record.graph + "/model.onnx");
  record.flavour = backend.flavour();
  record.file = engine_file_name(record.graph, record.profile, record.sizes, record.architectures,
                                 record.flavour, record.refit, record.stripped);
  const EnginesFolder engines(order.folder);
  const double start = order.now();
  EngineWriter writer(engines.path() / record.file);
  const BuildRequest request{.model = model,
                             .profile = record.profile,
                             .architectures = record.architectures,
                             .refit = record.refit,
                             .strip = record.stripped,
                             .workspace_bytes = order.workspace_bytes,
                             .timing_cache = earlier_timing_cache(record.flavour, engines.path()),
                             .progress = order.progress};
  BuildReport report =
      backend.build(request, [&](std::span<const std::byte> bytes) { writer.write(bytes); });
  writer.commit(record);
  keep_timing_cache(report.timing_cache, engines.path());
  record.seconds = order.now() - start;
  record.layers = report.layers;
  record.joined_norms = report.joined_norms;
  record.memory = report.memory;
  add_to_manifest(engines.path(), record);
  return {std::move(record), std::move(report.warnings)};
}

EngineRecord refit_engine(Backend& backend, const fs::path& folder, const EngineRecord& engine,
                          const EngineOrder& order) {
  if (engine.refit == Refit::kNone) {
    throw Error(ErrorCode::kUsage, fmt::format("the weights of {} cannot be replaced", engine.file),
                "build it with --refittable or --strip");
  }
  const graph::OnnxModel built = graph::OnnxModel::load(folder / engine.onnx.path);
  const graph::OnnxModel other = graph::OnnxModel::load(order.folder / engine.onnx.path);
  const std::vector<RefitWeight> weights = refit_weights(other);
  require_same_weights(refit_weights(built), weights);
  if (engine.refit == Refit::kIdentical && order.record.checkpoints != engine.checkpoints) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{} takes only the weights that it was built with", engine.file),
                "build it with --strip --refittable for others");
  }
  EngineRecord record = order.record;
  record.graph = engine.graph;
  record.onnx = hashed(order.folder / engine.onnx.path, engine.onnx.path);
  record.profile = engine.profile;
  record.sizes = engine.sizes;
  record.flavour = engine.flavour;
  record.architectures = engine.architectures;
  record.refit = engine.refit;
  record.stripped = false;
  record.layers = engine.layers;
  record.joined_norms = engine.joined_norms;
  record.memory = engine.memory;
  record.file = engine_file_name(record.graph, record.profile, record.sizes, record.architectures,
                                 record.flavour, record.refit, record.stripped);
  const MappedFile source(folder / kEnginesFolder / engine.file);
  const EnginesFolder engines(order.folder);
  const double start = order.now();
  EngineWriter writer(engines.path() / record.file);
  backend.refit(source.bytes(), weights,
                [&](std::span<const std::byte> bytes) { writer.write(bytes); });
  writer.commit(record);
  record.seconds = order.now() - start;
  add_to_manifest(engines.path(), record);
  return record;
}

}  // namespace sinter::engine
