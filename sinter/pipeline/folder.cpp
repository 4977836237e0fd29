#include "sinter/pipeline/folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <optional>

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

// Layers, channels, cells, pixels: a number that is more than any model has is damage.
std::optional<int> count_of(const Json& value) {
  constexpr std::int64_t kMost = 1 << 16;
  const std::int64_t count = value.is_number_integer() ? value.get<std::int64_t>() : -1;
  if (count < 0 || count > kMost) return std::nullopt;
  return static_cast<int>(count);
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
  } else if constexpr (std::is_same_v<T, int>) {
    value = count_of(*found).value_or(value);
  } else {
    if (found->is_number()) value = found->get<T>();
  }
}

fs::path graph_in(const fs::path& root, const char* component) {
  return root / component / "model.onnx";
}

// The checkpoint's name without its ending. Files of a diffusers folder are all called the same:
// there it is the folder's.
std::string model_name(const fs::path& source) {
  const std::string stem = source.stem().string();
  const bool of_a_component =
      stem.starts_with("diffusion_pytorch_model") || stem == "model" || stem.starts_with("model.");
  const fs::path folder = source.parent_path().parent_path();
  return of_a_component && folder.has_filename() ? folder.filename().string() : stem;
}

void read_sources(const Json& record, PipelineFolder& folder) {
  const auto sources = record.find("sources");
  if (sources == record.end() || !sources->is_array() || sources->empty() ||
      !sources->front().is_object())
    return;
  std::string path;
  take(sources->front(), "path", path);
  folder.model = model_name(path);
  if (sources->size() == 1) folder.source = path;
}

void read_graphs(const Json& record, PipelineFolder& folder) {
  const auto graphs = record.find("graphs");
  if (graphs == record.end() || !graphs->is_object()) return;
  for (const auto& [component, graph] : graphs->items())
    if (graph.is_object()) take(graph, "compute", folder.compute[component]);
}

// "static": [batch, height, width].
void read_fixed_size(const Json& record, PipelineFolder& folder) {
  const auto size = record.find("static");
  if (size == record.end() || !size->is_array() || size->size() != 3) return;
  const std::optional<int> height = count_of((*size)[1]);
  const std::optional<int> width = count_of((*size)[2]);
  if (height && width) folder.fixed = {.height = *height, .width = *width};
}

// sinter.json: what the folder was made from and how.
void read_record(const fs::path& root, PipelineFolder& folder) {
  const Json record = read_object(root / "sinter.json");
  take(record, "family", folder.family);
  take(record, "model_hash", folder.model_hash);
  read_sources(record, folder);
  read_graphs(record, folder);
  read_fixed_size(record, folder);
  if (record.contains("sinter")) {
    folder.takes_residuals = false;
    if (const auto said = record.find("controlnet_inputs"); said != record.end())
      folder.takes_residuals = *said == true;
  }
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
  if (!fs::exists(graph_in(root, name))) return;
  int layers = 0;
  take(read_object(root / name / "config.json"), "num_hidden_layers", layers);
  folder.text_encoders.push_back(
      {name, graph_in(root, name), Tokenizer::open(root / tokenizer_name), layers});
}

UNetWidths read_widths(const fs::path& folder) {
  const Json config = read_object(folder / "config.json");
  UNetWidths widths;
  if (const auto context = config.find("cross_attention_dim"); context != config.end())
    widths.context = count_of(*context);
  const auto levels = config.find("block_out_channels");
  if (levels == config.end() || !levels->is_array()) return widths;
  for (const Json& level : *levels)
    if (const auto width = count_of(level)) widths.levels.push_back(*width);
  return widths;
}

void read_vae(const fs::path& root, PipelineFolder& folder) {
  const Json config = read_object(root / "vae_decoder" / "config.json");
  take(config, "scaling_factor", folder.scaling_factor);
  take(config, "latent_channels", folder.latent_channels);
  const auto widths = config.find("block_out_channels");
  if (widths != config.end() && widths->is_array() && !widths->empty() && widths->size() <= 8)
    folder.factor = 1 << (widths->size() - 1);
}

// Every graph that a picture needs. Of two text encoders one alone may do (SDXL's refiner).
void require_graphs(const PipelineFolder& folder) {
  std::vector<std::string> missing;
  const auto has = [&](const char* component) {
    return fs::exists(graph_in(folder.root, component));
  };
  if (!has("text_encoder") && !has("text_encoder_2"))
    missing.emplace_back("text_encoder/model.onnx");
  for (const char* component : {"unet", "vae_decoder"})
    if (!has(component)) missing.push_back(std::string(component) + "/model.onnx");
  if (missing.empty()) return;
  throw Error(ErrorCode::kIo,
              fmt::format("{} has no {}; a picture needs text encoder, unet and vae_decoder",
                          folder.root.string(), fmt::join(missing, " and no ")),
              fmt::format("{} makes them all", convert_again(folder)));
}

// Pixels when the user names none: the one size there is, or the size of the training.
void read_default_size(const fs::path& root, PipelineFolder& folder) {
  int cells = folder.default_width / folder.factor;
  take(read_object(root / "unet" / "config.json"), "sample_size", cells);
  folder.default_width = folder.fixed ? folder.fixed->width : cells * folder.factor;
  folder.default_height = folder.fixed ? folder.fixed->height : cells * folder.factor;
}

}  // namespace

std::vector<ControlNetPart> read_controlnets(const fs::path& root) {
  std::vector<ControlNetPart> parts;
  for (std::string name = "controlnet"; fs::exists(graph_in(root, name.c_str()));
       name = fmt::format("controlnet_{}", parts.size()))
    parts.push_back({name, graph_in(root, name.c_str()), read_widths(root / name)});
  return parts;
}

std::string convert_again(const PipelineFolder& folder) {
  return fmt::format("sinter convert '{}' '{}'",
                     folder.source.empty() ? "CHECKPOINT" : folder.source, folder.root.string());
}

PipelineFolder read_pipeline_folder(const fs::path& root) {
  if (!fs::is_directory(root)) {
    throw Error(ErrorCode::kIo, fmt::format("there is no folder {}", root.string()));
  }
  PipelineFolder folder;
  folder.root = root;
  read_record(root, folder);
  require_graphs(folder);

  try {
    folder.scheduler = read_scheduler_config(read_text(root / "scheduler/scheduler_config.json"));
  } catch (Error& error) {
    error.add_context(fmt::format("reading the scheduler of {}", root.string()));
    throw;
  }
  read_text_encoder(root, "text_encoder", "tokenizer", folder);
  read_text_encoder(root, "text_encoder_2", "tokenizer_2", folder);
  folder.unet = graph_in(root, "unet");
  folder.widths = read_widths(root / "unet");
  folder.controlnets = read_controlnets(root);
  folder.vae_decoder = graph_in(root, "vae_decoder");
  read_vae(root, folder);
  read_default_size(root, folder);
  // Where the folder does not say: the default of diffusers' class for two text encoders.
  folder.zeros_without_negative = folder.text_encoders.size() > 1;
  take(read_object(root / "model_index.json"), "force_zeros_for_empty_prompt",
       folder.zeros_without_negative);
  return folder;
}

}  // namespace sinter::pipeline
