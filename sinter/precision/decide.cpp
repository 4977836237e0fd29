#include "sinter/precision/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/precision/judge.h"
#include "sinter/precision/rounded_check.h"
#include "sinter/verify/bisect.h"
#include "sinter/verify/tolerance.h"
#include "sinter/verify/verify.h"

namespace sinter::precision {
namespace fs = std::filesystem;
using convert::ConvertOptions;
using convert::GraphPolicy;
using convert::Precision;

namespace {

constexpr std::string_view kExactFolder = "float32";
constexpr std::string_view kHalfFolder = "float16";
constexpr std::string_view kDecidedFolder = "decided";

class Deciding {
 public:
  Deciding(const fs::path& checkpoint, const fs::path& scratch, const RequestMaker& make_request,
           const Calibration& calibration)
      : checkpoint_(checkpoint),
        scratch_(scratch),
        make_request_(make_request),
        calibration_(calibration) {}

  Decision run() {
    convert(kExactFolder, Precision::kF32, {});
    Calibrated calibrated = calibrate(scratch_ / kExactFolder, calibration_);
    convert(kHalfFolder, Precision::kF16, {});
    for (auto& [folder, watch] : calibrated.watches) {
      if (!is_asked_for(folder)) continue;
      const graph::OnnxModel half = graph::OnnxModel::load(model(kHalfFolder, folder));
      const LargestValue largest = largest_half(half, watch.extremes);
      decision_.policy.emplace(folder, GraphPolicy{.exact = judge(half, watch.extremes),
                                                   .inputs = calibrated.inputs[folder],
                                                   .runs = watch.runs,
                                                   .largest_value = largest.value,
                                                   .largest = largest.largest,
                                                   .plain = {},
                                                   .decided = {}});
    }
    for (auto& [folder, policy] : decision_.policy)
      prove(folder, policy, calibrated.watches[folder]);
    return std::move(decision_);
  }

 private:
  void say(const std::string& what) const {
    if (calibration_.progress) calibration_.progress(what);
  }

  fs::path model(std::string_view variant, const std::string& folder) const {
    return scratch_ / variant / folder / "model.onnx";
  }

  // Everything is converted, so that prompts go through the whole pipeline, with names and sizes
  // that it knows.
  void convert(std::string_view variant, Precision precision,
               std::map<std::string, GraphPolicy> policy) {
    ConvertOptions options = make_request_();
    options.components.clear();
    options.precision = precision;
    options.vae_precision = precision;
    options.policy = std::move(policy);
    options.weights = convert::WeightStorage::kLink;
    options.io = "optimum";
    options.size.reset();
    options.progress = {};
    say(fmt::format("converting in {}", variant));
    convert::convert(checkpoint_, scratch_ / variant, options);
  }

  bool is_asked_for(const std::string& folder) const {
    const bool vae = folder.starts_with("vae_");
    return (vae ? asked_.vae_precision : asked_.precision) == Precision::kAuto;
  }

  void prove(const std::string& folder, GraphPolicy& policy, const Watch& watch) {
    say(fmt::format("{}: in float16, every value rounded", folder));
    const convert::RoundedRun plain =
        rounded_run(model(kHalfFolder, folder), watch, calibration_.session);
    if (!policy.exact.empty()) policy.plain = plain;
    policy.decided = policy.exact.empty() ? plain : decided_run(folder, watch);
    if (policy.decided->within) return;
    const GraphPolicy judged = policy;
    for (int corrections = 0; corrections < kMostCorrections; ++corrections) {
      if (!correct(folder, policy, watch)) break;
      policy.plain = plain;
      policy.decided = decided_run(folder, watch);
      if (policy.decided->within) return;
    }
    // Small errors of the whole network: no few modules are to blame.
    policy = judged;
    warn(folder, *policy.decided);
  }

  convert::RoundedRun decided_run(const std::string& folder, const Watch& watch) {
    convert(kDecidedFolder, Precision::kAuto, all_policies());
    say(fmt::format("{}: as decided, every value rounded", folder));
    return rounded_run(model(kDecidedFolder, folder), watch, calibration_.session);
  }

  void warn(const std::string& folder, const convert::RoundedRun& run) {
    const verify::Tolerance& tolerance = verify::tolerance_for(DType::kF16);
    decision_.warnings.push_back(fmt::format(
        "{} in float16 strays from float32 by {:.1e} of its scale, {:.1e} in the mean; {:.0e} and "
        "{:.0e} are usual: --precision fp32 keeps it all",
        folder, run.max, run.mean, tolerance.max, tolerance.mean));
  }

  // Adds the first module at which the rounded graph leaves the tolerance.
  bool correct(const std::string& folder, GraphPolicy& policy, const Watch& watch) {
    const std::string_view variant = policy.exact.empty() ? kHalfFolder : kDecidedFolder;
    say(fmt::format("{}: looking for the module that strays", folder));
    graph::OnnxModel exact = graph::OnnxModel::load(model(kExactFolder, folder));
    graph::OnnxModel rounded = graph::OnnxModel::load(model(variant, folder));
    runtime::SessionOptions rounding = calibration_.session;
    rounding.arithmetic = runtime::Arithmetic::kRounded;
    const std::optional<verify::BisectFinding> finding =
        verify::bisect({exact, runtime::Engine::kOnnxRuntime, calibration_.session},
                       {rounded, runtime::Engine::kOnnxRuntime, rounding}, watch.inputs,
                       verify::tolerance_for(DType::kF16));
    if (!finding) return false;
    const verify::BisectValue& fault = finding->fault;
    const bool known = std::ranges::any_of(policy.exact, [&](const convert::ExactModule& module) {
      return module.module == fault.module;
    });
    if (known) return false;
    policy.exact.push_back({fault.module, convert::ExactReason::kError, fault.value,
                            fault.comparison ? fault.comparison->max_relative : 0});
    return true;
  }

  // Graphs that are not decided yet, or not asked for, are converted along.
  std::map<std::string, GraphPolicy> all_policies() const {
    std::map<std::string, GraphPolicy> all = decision_.policy;
    for (const fs::path& path : verify::models_in(scratch_ / kHalfFolder))
      all.try_emplace(path.parent_path().filename().string());
    return all;
  }

  const fs::path& checkpoint_;
  const fs::path& scratch_;
  const RequestMaker& make_request_;
  const ConvertOptions asked_ = make_request_();
  const Calibration& calibration_;
  Decision decision_;
};

}  // namespace

Decision decide(const fs::path& checkpoint, const fs::path& scratch,
                const RequestMaker& make_request, const Calibration& calibration) {
  return Deciding(checkpoint, scratch, make_request, calibration).run();
}

}  // namespace sinter::precision
