#include "sinter/pipeline/folder.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sinter/base/error.h"
#include "sinter/base/file.h"

namespace sinter::pipeline {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// The object in a JSON file; empty where there is no such file.
Json read_object(const fs::path& path) {
  if (!fs::exists(path)) return Json::object();
  Json root;
  try {
    root = Json::parse(read_text(path));
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("{} is damaged JSON: {}", path.string(), error.what()));
  }
  if (!root.is_object()) {
    throw Error(ErrorCode::kBadFile, fmt::format("{} holds a JSON {}, expected an object",
                                                 path.string(), root.type_name()));
  }
  return root;
}

// The value of a key when it is there and of the type, else what stands in `value` already.
template <typename T>
void take(const Json& object, const char* key, T& value) {
  const auto found = object.find(key);
  if (found == object.end()) return;
  if constexpr (std::is_same_v<T, std::string>) {
    if (found->is_string()) value = found->get<std::string>();
  } else if constexpr (std::is_same_v<T, bool>) {
    if (found->is_boolean()) value = found->get<bool>();
  } else {
    if (found->is_number()) value = found->get<T>();
  }
}

fs::path graph_in(const fs::path& root, const char* component) {
  const fs::path path = root / component / "model.onnx";
  if (!fs::exists(path)) {
    throw Error(ErrorCode::kIo, fmt::format("{} has no {}/model.onnx", root.string(), component),
                "a folder written by sinter convert with all its components is needed");
  }
  return path;
}

// sinter.json: what the folder was made from and how.
void read_record(const fs::path& root, PipelineFolder& folder) {
  const Json record = read_object(root / "sinter.json");
  take(record, "family", folder.family);
  take(record, "model_hash", folder.model_hash);
  std::string source;
  const auto sources = record.find("sources");
  if (sources != record.end() && sources->is_array() && !sources->empty() &&
      sources->front().is_object())
    take(sources->front(), "path", source);
  folder.model = fs::path(source).stem().string();
  std::string names = "optimum";
  take(record, "io", names);
  if (names != "optimum") {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("the graphs of {} have the names of '{}', expected those of 'optimum'",
                            root.string(), names),
                "convert without --io to draw with sinter");
  }
}

void read_text_encoder(const fs::path& root, const char* name, const char* tokenizer_name,
                       PipelineFolder& folder) {
  if (!fs::exists(root / name)) return;
  int layers = 0;
  take(read_object(root / name / "config.json"), "num_hidden_layers", layers);
  folder.text_encoders.push_back(
      {name, graph_in(root, name), Tokenizer::open(root / tokenizer_name), layers});
}

void read_vae(const fs::path& root, PipelineFolder& folder) {
  const Json config = read_object(root / "vae_decoder" / "config.json");
  take(config, "scaling_factor", folder.scaling_factor);
  take(config, "latent_channels", folder.latent_channels);
  const auto widths = config.find("block_out_channels");
  if (widths != config.end() && widths->is_array() && !widths->empty() && widths->size() <= 8)
    folder.factor = 1 << (widths->size() - 1);
}

}  // namespace

PipelineFolder read_pipeline_folder(const fs::path& root) {
  if (!fs::is_directory(root)) {
    throw Error(ErrorCode::kIo, fmt::format("there is no folder {}", root.string()));
  }
  PipelineFolder folder;
  folder.root = root;
  read_record(root, folder);
  const Json index = read_object(root / "model_index.json");
  take(index, "force_zeros_for_empty_prompt", folder.zeros_for_empty_negative);

  try {
    folder.scheduler = read_scheduler_config(read_text(root / "scheduler/scheduler_config.json"));
  } catch (Error& error) {
    error.add_context(fmt::format("reading the scheduler of {}", root.string()));
    throw;
  }
  read_text_encoder(root, "text_encoder", "tokenizer", folder);
  read_text_encoder(root, "text_encoder_2", "tokenizer_2", folder);
  if (folder.text_encoders.empty()) graph_in(root, "text_encoder");  // says what is missing
  folder.unet = graph_in(root, "unet");
  folder.vae_decoder = graph_in(root, "vae_decoder");
  read_vae(root, folder);
  int cells = folder.default_size / folder.factor;
  take(read_object(root / "unet" / "config.json"), "sample_size", cells);
  folder.default_size = cells * folder.factor;
  return folder;
}

}  // namespace sinter::pipeline
