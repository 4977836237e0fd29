#include "sinter/deploy/triton.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <system_error>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/deploy/bls_model.h"
#include "sinter/deploy/model_config.h"
#include "sinter/deploy/pipeline_roles.h"
#include "sinter/deploy/plans.h"
#include "sinter/graph/onnx_edit.h"
#include "sinter/graph/onnx_model.h"

namespace sinter::deploy {
namespace fs = std::filesystem;
using graph::Outline;
using graph::OutlineValue;
using Json = nlohmann::ordered_json;
namespace {

constexpr const char* kPipeline = "stable_diffusion";
constexpr const char* kVersion = "1";  // Triton serves the highest number

fs::path usable(const fs::path& out) {
  std::error_code ignored;
  if (fs::exists(out, ignored) && !(fs::is_directory(out, ignored) && fs::is_empty(out, ignored))) {
    throw Error(ErrorCode::kUsage, fmt::format("{} is there already", out.string()),
                "name a folder that does not exist yet");
  }
  return out;
}

void write(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  AtomicFile file(path, Durability::kProcess);
  file.write(text);
  file.commit();
}

void place(const fs::path& source, const fs::path& target) {
  fs::create_directories(target.parent_path());
  if (hard_link(fs::canonical(source), target) == HardLink::kMade) return;
  const MappedFile from(source);
  AtomicFile file(target, Durability::kProcess);
  file.copy_from(from, 0, from.bytes().size());
  file.commit();
}

std::vector<NamedGraph> graphs_of(const fs::path& folder) {
  std::set<fs::path> files;
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (fs::exists(entry.path() / "model.onnx", ignored)) files.insert(entry.path());
    }
  }
  if (files.empty()) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("{} has no folders with a model.onnx", folder.string()),
                "name a folder that sinter convert wrote");
  }
  std::vector<NamedGraph> graphs;
  for (const fs::path& file : files) {
    graphs.push_back({file.filename().string(), graph::read_outline(file / "model.onnx")});
  }
  return graphs;
}

// Whether Triton may join requests along the first dimension.
bool takes_batches(const Outline& file) {
  const auto free = [](const OutlineValue& value) {
    return !value.dims.empty() && value.dims.front() == -1;
  };
  return std::ranges::all_of(file.graph.inputs, free) &&
         std::ranges::all_of(file.graph.outputs, free);
}

ConfigTensor tensor(const OutlineValue& value, bool batched) {
  ConfigTensor result{.name = value.name, .type = triton_type(value.type), .dims = value.dims};
  if (batched) result.dims.erase(result.dims.begin());
  result.scalar = result.dims.empty();
  return result;
}

const char* numpy_type(int onnx_type) {
  switch (onnx_type) {
    case 6:
      return "int32";
    case 7:
      return "int64";
    case 10:
      return "float16";
    default:
      return "float32";
  }
}

class Repository {
 public:
  Repository(const fs::path& folder, const fs::path& out, const TritonOptions& options)
      : folder_(folder), options_(options), out_(usable(out)), graphs_(graphs_of(folder)) {}

  TritonReport write_all() {
    if (options_.tensorrt) plans_ = plans_in(options_.engines);
    for (const NamedGraph& graph : graphs_) {
      if (options_.tensorrt) {
        add_plans(graph);
      } else {
        add_graph(graph);
      }
    }
    add_pipeline();
    out_.commit();
    return std::move(report_);
  }

 private:
  fs::path version_of(const std::string& model) const { return out_.staging() / model / kVersion; }

  ModelConfig config_of(const NamedGraph& graph) const {
    const bool batched = options_.max_batch > 0 && takes_batches(graph.file);
    ModelConfig config{.name = graph.name,
                       .backend = options_.tensorrt ? "tensorrt" : "onnxruntime",
                       .platform = options_.tensorrt ? "tensorrt_plan" : "onnxruntime_onnx",
                       .max_batch_size = batched ? options_.max_batch : 0,
                       .inputs = {},
                       .outputs = {},
                       .instance_kind = options_.tensorrt ? "KIND_GPU" : options_.kind,
                       .instances = options_.instances,
                       .queue_delay_us = options_.queue_delay_us,
                       .default_file = {},
                       .plans = {},
                       .parameters = {}};
    for (const OutlineValue& input : graph.file.graph.inputs) {
      config.inputs.push_back(tensor(input, batched));
    }
    for (const OutlineValue& output : graph.file.graph.outputs) {
      config.outputs.push_back(tensor(output, batched));
    }
    return config;
  }

  void finish(const ModelConfig& config, std::uint64_t bytes) {
    write(out_.staging() / config.name / "config.pbtxt", to_pbtxt(config));
    TritonModel model{.name = config.name,
                      .backend = config.backend,
                      .max_batch = config.max_batch_size,
                      .bytes = bytes,
                      .files = {}};
    std::set<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(out_.staging() / config.name)) {
      if (entry.is_regular_file()) {
        files.insert(entry.path().lexically_relative(out_.staging()).generic_string());
      }
    }
    model.files.assign(files.begin(), files.end());
    report_.models.push_back(std::move(model));
  }

  // A folder model.onnx with the graph and its weights: the form that the backend reads where a
  // model is more than one file.
  void add_graph(const NamedGraph& graph) {
    const fs::path inner = version_of(graph.name) / "model.onnx";
    const graph::OnnxModel model = graph::OnnxModel::load(graph.file.path);
    graph::OnnxEdit edit(graph.file.path);
    std::map<std::string, std::string> names;
    std::set<std::string> taken{"model.onnx"};
    std::uint64_t bytes = graph.file.bytes;
    for (const graph::ExternalFile& file : model.files()) {
      std::string name = fs::path(file.location).filename().string();
      while (!taken.insert(name).second) name = "_" + name;
      place(fs::absolute(graph.file.path).parent_path() / file.location, inner / name);
      names.emplace(file.location, name);
      bytes += file.bytes.size();
    }
    edit.relocate([&](const graph::Placement& from, std::uint64_t) {
      return graph::Placement{names.at(from.location), from.offset};
    });
    edit.relocate_links([&](const std::string& location) {
      const auto found = names.find(location);
      return found == names.end() ? location : found->second;
    });
    write(inner / "model.onnx", edit.bytes());
    report_.linked |= graph.file.linked;
    finish(config_of(graph), bytes);
  }

  void add_plans(const NamedGraph& graph) {
    const auto plans = plans_.find(graph.name);
    if (plans == plans_.end()) {
      throw Error(
          ErrorCode::kMissingTensor,
          fmt::format("there is no engine of {} in {}", graph.name, options_.engines.string()),
          fmt::format("build it: sinter build {} --engine tensorrt", folder_.string()));
    }
    ModelConfig config = config_of(graph);
    std::uint64_t bytes = 0;
    for (const auto& [capability, file] : plans->second) {
      std::string name = fmt::format("model_{}.plan", capability);
      std::ranges::replace(name, '.', '_');
      name.replace(name.size() - 5, 1, ".");
      place(file, version_of(graph.name) / name);
      bytes += fs::file_size(file);
      config.plans.emplace(capability, name);
    }
    config.default_file = config.plans.begin()->second;
    finish(config, bytes);
  }

  void add_pipeline() {
    const std::optional<PipelineRoles> roles = pipeline_roles(graphs_, report_.no_pipeline);
    if (!roles) return;
    const fs::path folder = version_of(kPipeline);
    const Json vae = config("vae_decoder/config.json");
    const double scaling = vae.is_object() ? vae.value("scaling_factor", 0.18215) : 0.18215;
    write(folder / "model.py", bls_model());
    write(folder / "pipeline.json", to_json(*roles, scaling));
    for (const char* file : {"scheduler/scheduler_config.json", "model_index.json"}) {
      write(folder / fs::path(file).filename(), read_text(folder_ / file));
    }
    for (const char* name : {"tokenizer", "tokenizer_2"}) {
      for (const char* file : {"vocab.json", "merges.txt", "special_tokens_map.json"}) {
        const fs::path source = folder_ / name / file;
        if (fs::exists(source)) write(folder / name / file, read_text(source));
      }
    }
    report_.pipeline = kPipeline;
    finish(pipeline_config(), 0);
  }

  Json config(const char* file) const {
    if (!fs::exists(folder_ / file)) return {};
    return Json::parse(read_text(folder_ / file), nullptr, false);
  }

  ModelConfig pipeline_config() const {
    Json types = Json::object();
    for (const NamedGraph& graph : graphs_) {
      for (const OutlineValue& input : graph.file.graph.inputs) {
        types[graph.name][input.name] = numpy_type(input.type);
      }
    }
    const auto optional = [](const char* name, const char* type) {
      return ConfigTensor{
          .name = name, .type = type, .dims = {1}, .scalar = false, .optional = true};
    };
    return {.name = kPipeline,
            .backend = "python",
            .platform = {},
            .max_batch_size = 0,
            .inputs = {{.name = "PROMPT", .type = "TYPE_STRING", .dims = {1}},
                       optional("NEGATIVE_PROMPT", "TYPE_STRING"),
                       optional("STEPS", "TYPE_INT32"),
                       optional("GUIDANCE", "TYPE_FP32"),
                       optional("SEED", "TYPE_INT64"),
                       optional("HEIGHT", "TYPE_INT32"),
                       optional("WIDTH", "TYPE_INT32")},
            .outputs = {{.name = "IMAGE", .type = "TYPE_UINT8", .dims = {-1, -1, 3}}},
            .instance_kind = "KIND_CPU",
            .instances = options_.instances,
            .queue_delay_us = 0,
            .default_file = {},
            .plans = {},
            .parameters = {{"input_types", types.dump()}}};
  }

  fs::path folder_;
  const TritonOptions& options_;
  AtomicFolder out_;
  std::vector<NamedGraph> graphs_;
  std::map<std::string, Plans> plans_;
  TritonReport report_;
};

}  // namespace

TritonReport export_triton(const fs::path& folder, const fs::path& out,
                           const TritonOptions& options) {
  return Repository(folder, out, options).write_all();
}

}  // namespace sinter::deploy
