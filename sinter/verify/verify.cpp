#include "sinter/verify/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/verify/case_binding.h"
#include "sinter/verify/controlled_case.h"
#include "sinter/verify/engine_run.h"

namespace sinter::verify {
namespace fs = std::filesystem;
using runtime::TensorMap;

namespace {

struct ComponentRow {
  std::string_view component;
  std::string_view folder;
};

// A component of one name may have become two graphs.
constexpr std::array kFolders{
    ComponentRow{"text_encoder", "text_encoder"},
    ComponentRow{"text_encoder_2", "text_encoder_2"},
    ComponentRow{"unet", "unet"},
    ComponentRow{"vae", "vae_decoder"},
    ComponentRow{"vae", "vae_encoder"},
    ComponentRow{"controlnet", "controlnet"},
};

std::optional<fs::path> model_in(const fs::path& folder) {
  if (!fs::is_directory(folder)) return std::nullopt;
  if (fs::exists(folder / "model.onnx")) return folder / "model.onnx";
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".onnx") found.push_back(entry.path());
  }
  if (found.size() != 1) return std::nullopt;
  return found.front();
}

std::vector<std::string> names(const std::vector<graph::ValueDeclaration>& values) {
  std::vector<std::string> result;
  for (const graph::ValueDeclaration& value : values) result.push_back(value.name);
  return result;
}

void require_outputs(const CaseBinding& binding, const ReferenceCase& reference,
                     const graph::OnnxModel& model) {
  if (!binding.outputs.empty()) return;
  throw Error(ErrorCode::kUsage,
              fmt::format("{} gives {}, and {} has {}: there is nothing to compare",
                          model.path().string(), fmt::join(names(model.outputs()), ", "),
                          reference.path.string(), fmt::join(binding.not_compared, ", ")),
              reference.component.empty()
                  ? std::string()
                  : fmt::format("the case is about a {}", reference.component));
}

struct CaseRun {
  GraphResult result;
  TensorMap outputs;  // of the graph
};

CaseRun run_case(const fs::path& path, const ReferenceCase& reference,
                 const VerifyOptions& options) {
  report(options, path, "loading");
  const graph::OnnxModel model = graph::OnnxModel::load(path);
  const CaseBinding binding = bind_case(reference, model, text_states(path));
  require_outputs(binding, reference, model);
  const EngineRun ran = run(options.engine, model, binding.runs, options);
  CaseRun done{.result = empty_result(model, ran, options), .outputs = joined_outputs(model, ran)};
  compare_with_case(binding, reference, done.outputs, done.result);
  return done;
}

/// The UNet of the folder that a ControlNet's graph stands in, where it takes residuals.
std::optional<fs::path> controlled_unet(const fs::path& controlnet) {
  const auto unet = model_in(fs::absolute(controlnet).parent_path().parent_path() / "unet");
  if (!unet) return std::nullopt;
  const auto inputs = graph::OnnxModel::load(*unet).inputs();
  const bool takes = std::ranges::any_of(inputs, [](const graph::ValueDeclaration& input) {
    return input.name == residual_input("mid_block_res_sample");
  });
  return takes ? unet : std::nullopt;
}

}  // namespace

bool GraphResult::passed() const {
  if (no_cpu_fallback && (!placement.known || !placement.fallen.empty())) return false;
  return std::ranges::all_of(outputs, &OutputResult::passed);
}

std::vector<fs::path> models_in(const fs::path& folder) {
  std::vector<fs::path> models;
  if (fs::is_directory(folder)) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (const auto model = model_in(entry.path())) models.push_back(*model);
    }
  }
  std::ranges::sort(models);
  return models;
}

std::vector<fs::path> models_for(const fs::path& folder, const ReferenceCase& reference) {
  std::vector<fs::path> models;
  for (const ComponentRow& row : kFolders) {
    if (row.component != reference.component) continue;
    if (const auto model = model_in(folder / row.folder)) models.push_back(*model);
  }
  if (!models.empty()) return models;
  std::vector<std::string> there;
  for (const fs::path& model : models_in(folder)) {
    there.push_back(model.parent_path().filename().string());
  }
  const std::string about = reference.component.empty()
                                ? "does not say which component it is about"
                                : fmt::format("is about '{}'", reference.component);
  throw Error(
      ErrorCode::kUsage,
      fmt::format("{} {}, and {} has {}", reference.path.string(), about, folder.string(),
                  there.empty() ? "no graphs" : fmt::format("{}", fmt::join(there, ", "))),
      reference.component.empty() && !there.empty()
          ? fmt::format("name the graph that it is of: {}", models_in(folder).front().string())
          : std::string());
}

GraphResult verify_model(const fs::path& path, const ReferenceCase& reference,
                         const VerifyOptions& options) {
  return run_case(path, reference, options).result;
}

std::vector<GraphResult> verify_case(const fs::path& path, const ReferenceCase& reference,
                                     const VerifyOptions& options) {
  CaseRun ran = run_case(path, reference, options);
  std::vector<GraphResult> results{std::move(ran.result)};
  const auto controlled = controlled_case(reference, ran.outputs);
  const auto unet = controlled ? controlled_unet(path) : std::nullopt;
  if (!unet) return results;
  GraphResult result = verify_model(*unet, *controlled, options);
  const std::string name = fmt::format("out.{}", kControlledOutput);
  for (OutputResult& output : result.outputs) output.reference = name;
  std::erase(results.front().not_compared, name);
  results.push_back(std::move(result));
  return results;
}

std::vector<GraphResult> verify_folder(const fs::path& folder, const ReferenceCase& reference,
                                       const VerifyOptions& options) {
  std::vector<GraphResult> results;
  for (const fs::path& model : models_for(folder, reference)) {
    std::ranges::move(verify_case(model, reference, options), std::back_inserter(results));
  }
  // What one graph of a component does not give, another may: only the rest is not compared.
  for (GraphResult& result : results) {
    std::erase_if(result.not_compared, [&](const std::string& name) {
      return std::ranges::any_of(results, [&](const GraphResult& other) {
        return std::ranges::find(other.outputs, name, &OutputResult::reference) !=
               other.outputs.end();
      });
    });
  }
  return results;
}

}  // namespace sinter::verify
