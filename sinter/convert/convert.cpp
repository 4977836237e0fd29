#include "sinter/convert/convert.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/convert/added_controlnets.h"
#include "sinter/convert/config_files.h"
#include "sinter/convert/delta.h"
#include "sinter/convert/output_folder.h"
#include "sinter/convert/policy_record.h"

namespace sinter::convert {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

struct PrecisionRow {
  Precision precision;
  std::string_view name;
};

constexpr std::array kPrecisions{
    PrecisionRow{Precision::kF16, "fp16"}, PrecisionRow{Precision::kF32, "fp32"},
    PrecisionRow{Precision::kBF16, "bf16"}, PrecisionRow{Precision::kKeep, "keep"},
    PrecisionRow{Precision::kAuto, "auto"}};

/// The dtype that most of the component's bytes are stored in.
DType stored_dtype(const arch::Component& component) {
  std::map<DType, std::uint64_t> bytes;
  for (const auto& [name, source] : component.weights.all()) {
    if (is_floating(source.tensor->dtype)) bytes[source.tensor->dtype] += source.tensor->bytes;
  }
  const auto most =
      std::ranges::max_element(bytes, {}, [](const auto& entry) { return entry.second; });
  return most == bytes.end() ? DType::kF32 : most->first;
}

DType compute_dtype(Precision precision, const arch::Component& component) {
  switch (precision) {
    case Precision::kF16:
    case Precision::kAuto:
      return DType::kF16;
    case Precision::kBF16:
      return DType::kBF16;
    case Precision::kF32:
      return DType::kF32;
    case Precision::kKeep:
      break;
  }
  const DType stored = stored_dtype(component);
  return stored == DType::kF16 || stored == DType::kBF16 ? stored : DType::kF32;
}

void write_text(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  AtomicFile file(path, Durability::kProcess);
  file.write(text);
  file.commit();
}

std::vector<GraphPlan> chosen(const arch::Model& model,
                              const std::vector<std::string>& components) {
  std::vector<GraphPlan> plans = graph_plans(model);
  if (components.empty()) return plans;
  const auto means = [](std::string_view name, const GraphPlan& plan) {
    return name == plan.folder || name == plan.component->name;
  };
  for (const std::string& name : components) {
    if (std::ranges::any_of(plans, [&](const GraphPlan& plan) { return means(name, plan); }))
      continue;
    std::vector<std::string> there;
    for (const GraphPlan& plan : plans) there.push_back(plan.folder);
    throw Error(ErrorCode::kUsage, fmt::format("the checkpoint gives no '{}'; it gives {}", name,
                                               fmt::join(there, ", ")));
  }
  std::erase_if(plans, [&](const GraphPlan& plan) {
    return std::ranges::none_of(components,
                                [&](const std::string& name) { return means(name, plan); });
  });
  return plans;
}

std::int64_t latent_factor(const arch::Model& model) {
  for (const arch::Component& component : model.components) {
    if (const auto* vae = std::get_if<arch::VaeConfig>(&component.config)) return vae->factor();
    if (const auto* control = std::get_if<arch::ControlNetConfig>(&component.config))
      return control->factor();
  }
  return 8;
}

class Conversion {
 public:
  /// source: the checkpoint's path. out: an output_place that is replaceable. folder: its staging.
  Conversion(const fs::path& source, const Layered& layered, const fs::path& out,
             AtomicFolder& folder, const ConvertOptions& options)
      : source_(source),
        checkpoint_(layered.checkpoint),
        model_(layered.model),
        layered_(layered),
        out_(out),
        folder_(folder),
        options_(options),
        io_(io_profile(options.io)) {}

  std::vector<GraphReport> run() {
    std::vector<GraphReport> reports;
    std::vector<std::string> folders;
    for (const GraphPlan& plan : chosen(model_, options_.components)) {
      reports.push_back(write_graph(plan));
      folders.push_back(plan.folder);
      write_text(folder_.staging() / plan.folder / "config.json",
                 component_config(model_, *plan.component, latent_factor(model_)));
    }
    if (model_.find("unet") != nullptr)
      write_text(folder_.staging() / "scheduler" / "scheduler_config.json",
                 scheduler_config(model_, checkpoint_.configs()));
    if (options_.extra_files) {
      for (const ExtraFile& file : options_.extra_files(model_))
        write_text(folder_.staging() / file.path, file.text);
    }
    write_text(folder_.staging() / "model_index.json",
               model_index(model_, folders, checkpoint_.configs()));
    if (options_.weights == WeightStorage::kPack) fs::remove(folder_.staging() / kDeltaFile);
    write_text(folder_.staging() / "sinter.json", record(reports));
    require_replaceable(out_, source_);  // much may have happened while packing
    folder_.commit();
    return reports;
  }

 private:
  GraphReport write_graph(const GraphPlan& plan) {
    const bool vae = std::holds_alternative<arch::VaeConfig>(plan.component->config);
    const bool pack = options_.weights == WeightStorage::kPack;
    const Precision precision = vae ? options_.vae_precision : options_.precision;
    const GraphPolicy* policy = precision == Precision::kAuto ? &policy_of(plan) : nullptr;
    const GraphOptions graph_options{
        .compute = compute_dtype(precision, *plan.component),
        .exact = policy == nullptr ? graph::Places() : exact_places(*policy),
        .convert_weights = pack,
        .controlnet_inputs = takes_residuals(),
        .hidden_states = options_.hidden_states,
        .size = options_.size,
        .latent_factor = latent_factor(model_)};
    const std::unique_ptr<graph::Graph> graph = build_graph(plan, io_, graph_options);
    const fs::path staging = folder_.staging() / plan.folder;
    fs::create_directories(staging);
    StoredWeights stored =
        pack
            ? pack_weights(
                  *graph, checkpoint_, staging,
                  [&](std::uint64_t done, std::uint64_t total) { report(plan, done, total); })
            : link_weights(*graph, checkpoint_, folder_.staging(), plan.folder, fs::absolute(out_));
    stored.options.producer_version = options_.tool_version;
    write_text(staging / "model.onnx", to_onnx(*graph, stored.options));
    if (!pack) report(plan, stored.bytes, stored.bytes);
    return {.folder = plan.folder,
            .compute = graph_options.compute,
            .exact_modules = graph_options.exact.size(),
            .nodes = graph->nodes().size(),
            .initializers = graph->initializers().size(),
            .weight_bytes = stored.bytes,
            .link = stored.link};
  }

  const GraphPolicy& policy_of(const GraphPlan& plan) const {
    const auto found = options_.policy.find(plan.folder);
    if (found != options_.policy.end()) return found->second;
    throw Error(ErrorCode::kInternal,
                fmt::format("there is no precision policy for {}", plan.folder));
  }

  bool takes_residuals() const { return options_.controlnet_inputs || has_controlled_unet(model_); }

  void report(const GraphPlan& plan, std::uint64_t done, std::uint64_t total) const {
    if (options_.progress) options_.progress(plan.folder, done, total);
  }

  /// sinter.json: what the folder was made from and how.
  std::string record(const std::vector<GraphReport>& reports) const {
    Json sources = Json::array();
    for (const weights::SourceFile& file : checkpoint_.files()) {
      if (is_delta(file, folder_.staging())) continue;
      sources.push_back({{"path", fs::absolute(file.path).lexically_normal().generic_string()},
                         {"bytes", file.stamp.bytes},
                         {"modified_ns", file.stamp.modified_ns},
                         {"header_bytes", file.header_bytes},
                         {"header_sha256", file.header_sha256}});
    }
    Json graphs = Json::object();
    for (const GraphReport& report : reports) {
      graphs[report.folder] = {{"compute", dtype_info(report.compute).word},
                               {"nodes", report.nodes},
                               {"initializers", report.initializers},
                               {"weight_bytes", report.weight_bytes}};
      if (const auto policy = options_.policy.find(report.folder); policy != options_.policy.end())
        graphs[report.folder]["precision"] = policy_json(policy->second);
    }
    Json json{{"sinter", options_.tool_version},
              {"model", checkpoint_.files().front().path.stem().string()},
              {"family", model_.family},
              {"prediction",
               model_.prediction ? Json(prediction_name(*model_.prediction)) : Json(nullptr)},
              {"io", options_.io},
              {"weights", options_.weights == WeightStorage::kLink ? "link" : "pack"},
              {"sources", sources},
              {"graphs", graphs}};
    if (options_.size)
      json["static"] = {options_.size->batch, options_.size->height, options_.size->width};
    if (takes_residuals()) json["controlnet_inputs"] = true;
    for (const MergedFile& merged : options_.merged)
      json["adapters"].push_back(
          {{"path", fs::absolute(merged.file.path).lexically_normal().generic_string()},
           {"bytes", merged.file.stamp.bytes},
           {"modified_ns", merged.file.stamp.modified_ns},
           {"header_sha256", merged.file.header_sha256},
           {"weight", merged.weight},
           {"text_weight", merged.text_weight}});
    if (layered_.computed_tensors > 0)
      json["computed"] = {{"tensors", layered_.computed_tensors},
                          {"bytes", layered_.computed_bytes}};
    FolderContent content = content_of(folder_.staging());
    std::erase_if(content.links, [&](const std::string& link) {
      // The folder holds its first name too.
      return layered_.computed_tensors > 0 && options_.weights == WeightStorage::kLink &&
             fs::equivalent(folder_.staging() / link, folder_.staging() / kDeltaFile);
    });
    json["files"] = content.files;
    json["links"] = content.links;
    // File names may be any bytes; JSON is UTF-8.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }

  const fs::path& source_;
  const weights::Checkpoint& checkpoint_;
  const arch::Model& model_;
  const Layered& layered_;
  const fs::path& out_;
  AtomicFolder& folder_;
  const ConvertOptions& options_;
  const IoProfile& io_;
};

/// A prediction that no sampler here has would give a wrong picture.
void require_known_prediction(const arch::Model& model) {
  if (!model.foreign_prediction || model.find("unet") == nullptr) return;
  throw Error(ErrorCode::kUnsupported,
              fmt::format("the UNet predicts something that sinter does not have: {}",
                          model.prediction_evidence),
              "--prediction epsilon or v converts it as that");
}

constexpr const char* kOnlyAverages =
    "; its moving averages (model_ema.*) are there, but their names cannot be told without it";

std::vector<std::string> warnings_of(const arch::Model& model, const ConvertOptions& options) {
  std::vector<std::string> warnings;
  const bool averages = std::ranges::any_of(model.evidence, [](const std::string& sentence) {
    return sentence.find("model_ema.") != sentence.npos;
  });
  for (const std::string& component : model.missing_components)
    if (options.components.empty())
      warnings.push_back(fmt::format("the checkpoint has no {}, so the folder has none{}",
                                     component,
                                     component == "unet" && averages ? kOnlyAverages : ""));
  if (model.find("unet") != nullptr && !model.prediction)
    warnings.push_back(
        fmt::format("epsilon prediction is assumed: {}; --prediction v says otherwise",
                    model.prediction_evidence));
  return warnings;
}

/// Why graphs had to be written that point out of their folders.
struct LinkReason {
  HardLink link;
  std::string_view words;
};
constexpr std::array kLinkReasons{
    LinkReason{HardLink::kOtherDisk, "the output is on another disk than the checkpoint"},
    LinkReason{HardLink::kNotPermitted,
               "the checkpoint belongs to another user, and the system forbids to link it"},
    LinkReason{HardLink::kNotPossible, "the disk takes no hard links of the checkpoint"}};

std::vector<std::string> portability_of(const std::vector<GraphReport>& graphs) {
  std::vector<std::string> warnings;
  for (const LinkReason& reason : kLinkReasons) {
    if (std::ranges::find(graphs, reason.link, &GraphReport::link) == graphs.end()) continue;
    warnings.push_back(fmt::format(
        "{}, so its graphs point outside their folders: sinter runs them, other tools refuse that; "
        "--weights pack makes a folder for them",
        reason.words));
  }
  return warnings;
}

}  // namespace

std::string_view precision_name(Precision precision) {
  return kPrecisions[static_cast<std::size_t>(precision)].name;
}

Precision precision_from_name(std::string_view name) {
  for (const PrecisionRow& row : kPrecisions) {
    if (row.name == name) return row.precision;
  }
  throw Error(
      ErrorCode::kUsage,
      fmt::format("there is no precision '{}'; there are fp16, fp32, bf16, keep and auto", name));
}

ConvertReport convert(const fs::path& path, const fs::path& out, const ConvertOptions& asked) {
  const fs::path place = output_place(out);
  WithVae source{
      with_controlnets(weights::Checkpoint::open(path, asked.open), asked.controlnets), {}, {}, {}};
  require_replaceable(place, path);
  ConvertOptions options = asked;
  if (asked.vae) {
    source = with_vae(std::move(source.checkpoint), *asked.vae);
    options.detect.vae_scaling = source.scaling;
    for (const fs::path& file : asked.vae->files) require_replaceable(place, file);
  }
  ConvertReport report;
  report.model = arch::detect(source.checkpoint, options.detect);
  const std::string family = report.model.family;
  try {
    require_known_prediction(report.model);
    AtomicFolder folder(place);
    Layered layered = with_delta(std::move(source.checkpoint), std::move(report.model), options,
                                 folder.staging());
    report.graphs = Conversion(path, layered, place, folder, options).run();
    report.model = std::move(layered.model);
    report.warnings = layered.checkpoint.notes();
    report.computed_tensors = layered.computed_tensors;
    report.computed_bytes = layered.computed_bytes;
  } catch (Error& error) {
    error.add_context(fmt::format("converting {} as {}", path.string(), family));
    throw;
  }
  std::ranges::move(source.evidence, std::back_inserter(report.model.evidence));
  std::ranges::move(warnings_of(report.model, options), std::back_inserter(report.warnings));
  std::ranges::move(source.warnings, std::back_inserter(report.warnings));
  report.portability = portability_of(report.graphs);
  return report;
}

}  // namespace sinter::convert
