// Every adapter of adapters/expected.json in the reference folders: what of it fits the checkpoint
// that it was made for, and, of each of its cases, the merged weights and what the network computes
// with them. References: diffusers with PEFT, LyCORIS' modules, and merges in float64.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "sinter/adapters/adaptation.h"
#include "sinter/arch/model.h"
#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/tensor.h"
#include "sinter/convert/convert.h"
#include "sinter/verify/verify.h"
#include "sinter/weights/checkpoint.h"
#include "tests/reference/folders.h"
#include "tools/synth/synth.h"

namespace sinter {
namespace {
namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr double kTolerance = 1e-3;  // of the scale

struct Entry {
  fs::path folder;
  std::string adapter;  // file name in adapters/
  Json expected;

  fs::path path() const { return folder / "adapters" / adapter; }
  adapters::Strength strength() const {
    const float multiplier = expected.at("multiplier");
    return {.unet = multiplier, .text = multiplier};
  }
};

std::ostream& operator<<(std::ostream& out, const Entry& entry) { return out << entry.adapter; }

std::vector<Entry> all_entries() {
  std::vector<Entry> entries;
  std::set<std::string> seen;
  for (const fs::path& folder : reference_folders()) {
    if (!fs::exists(folder / "adapters" / "expected.json")) continue;
    const Json json = Json::parse(read_text(folder / "adapters" / "expected.json"));
    for (const auto& [name, expected] : json.at("adapters").items()) {
      // Embeddings have no modules.
      if (!expected.contains("modules") || !fs::exists(folder / "adapters" / name)) continue;
      if (seen.insert(name).second) entries.push_back({folder, name, expected});
    }
  }
  std::ranges::stable_sort(entries, {}, [](const Entry& entry) {
    return entry.expected.at("manifest").get<std::string>();
  });
  return entries;
}

/// The stand-in checkpoint of an entry's manifest, made once for those that share it.
const fs::path& checkpoint_of(const Entry& entry) {
  static std::map<std::string, fs::path> made;
  const std::string manifest = entry.expected.at("manifest");
  fs::path& path = made[(entry.folder / manifest).string()];
  if (path.empty()) {
    path = fs::path(SINTER_TEST_SCRATCH) /
           fmt::format("{}-{}.safetensors", made.size(), fs::path(manifest).filename().string());
    fs::create_directories(path.parent_path());
    synth::write_stand_in(entry.folder / "manifests" / (manifest + ".json"), path);
  }
  return path;
}

class AdapterReference : public testing::TestWithParam<Entry> {
 protected:
  bool fits_nothing() const { return GetParam().expected.at("matched") == 0; }

  /// What is printed of a comparison, so that a miss can be read off the log.
  static void hold(const std::string& what, double error) {
    fmt::print("{} {}: {:.1e} of scale\n", GetParam().adapter, what, error);
    EXPECT_LE(error, kTolerance) << GetParam().adapter << " " << what;
  }
};

std::vector<std::string> unmatched(const adapters::MatchReport& report) {
  std::vector<std::string> names = report.unknown;
  for (const adapters::Misfit& misfit : report.wrong_shape) names.push_back(misfit.module);
  std::ranges::sort(names);
  return names;
}

/// A tensor as float32.
Tensor read(const weights::Checkpoint& file, const weights::TensorEntry& entry) {
  Tensor tensor(entry.dtype, entry.shape);
  std::ranges::copy(file.bytes(entry), tensor.bytes().begin());
  return to_dtype(tensor, DType::kF32);
}

double relative_error(const Tensor& found, const Tensor& expected) {
  double worst = 0;
  double scale = 0;
  for (std::size_t i = 0; i < expected.floats().size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(found.floats()[i]) -
                                     static_cast<double>(expected.floats()[i])));
    scale = std::max(scale, std::abs(static_cast<double>(expected.floats()[i])));
  }
  return worst / scale;
}

TEST_P(AdapterReference, ReportsWhatFits) {
  const weights::Checkpoint checkpoint = weights::Checkpoint::open(checkpoint_of(GetParam()));
  const arch::Model model = arch::detect(checkpoint);
  const Json& expected = GetParam().expected;
  adapters::Adaptation adaptation({{GetParam().path(), GetParam().strength()}});
  if (fits_nothing()) {
    EXPECT_THROW(adaptation.merge(checkpoint, model), Error);
  } else {
    EXPECT_FALSE(adaptation.merge(checkpoint, model).empty());
  }
  const adapters::MatchReport& report = adaptation.used().front().report;
  EXPECT_EQ(report.modules, expected.at("modules"));
  EXPECT_EQ(report.applied, expected.at("matched"));
  EXPECT_EQ(unmatched(report), expected.at("unmatched").get<std::vector<std::string>>());
  if (!expected.contains("matched_by_component")) return;
  EXPECT_EQ(Json(report.applied_by_component), expected.at("matched_by_component"));
}

TEST_P(AdapterReference, MergesTheWeights) {
  if (fits_nothing()) return;
  const weights::Checkpoint checkpoint = weights::Checkpoint::open(checkpoint_of(GetParam()));
  const arch::Model model = arch::detect(checkpoint);
  adapters::Adaptation adaptation({{GetParam().path(), GetParam().strength()}});
  const fs::path delta = fs::path(SINTER_TEST_SCRATCH) / "delta.safetensors";
  weights::write_safetensors(delta, adaptation.merge(checkpoint, model));
  const weights::Checkpoint merged = weights::Checkpoint::open(delta);
  for (const auto& name : GetParam().expected.at("cases")) {
    const weights::Checkpoint file =
        weights::Checkpoint::open(GetParam().folder / "cases" / name.get<std::string>());
    for (const weights::TensorEntry& entry : file.tensors()) {
      if (!entry.name.starts_with("merged.")) continue;
      const weights::TensorEntry* found = merged.find(entry.name.substr(7));
      ASSERT_NE(found, nullptr) << entry.name;
      hold(entry.name, relative_error(read(merged, *found), read(file, entry)));
    }
  }
}

TEST_P(AdapterReference, ComputesWhatTheReferenceDoes) {
  if (fits_nothing()) return;
  convert::ConvertOptions options;
  options.precision = convert::Precision::kF32;
  options.hidden_states = true;
  options.components.clear();
  for (const auto& [component, count] : GetParam().expected.at("matched_by_component").items())
    options.components.push_back(component);
  auto adaptation = std::make_shared<adapters::Adaptation>(
      std::vector<adapters::AdapterUse>{{GetParam().path(), GetParam().strength()}});
  options.computed.push_back([&](const weights::Checkpoint& checkpoint, const arch::Model& model) {
    return adaptation->merge(checkpoint, model);
  });
  const fs::path out = fs::path(SINTER_TEST_SCRATCH) / "converted";
  convert::convert(checkpoint_of(GetParam()), out, options);
  for (const auto& name : GetParam().expected.at("cases")) {
    const verify::ReferenceCase reference =
        verify::ReferenceCase::load(GetParam().folder / "cases" / name.get<std::string>());
    for (const verify::GraphResult& graph : verify::verify_folder(out, reference, {}))
      for (const verify::OutputResult& output : graph.outputs)
        hold(fmt::format("{} {}", name.get<std::string>(), output.output),
             output.comparison.max_relative);
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(AdapterReference);
INSTANTIATE_TEST_SUITE_P(
    All, AdapterReference, testing::ValuesIn(all_entries()), [](const auto& parameters) {
      std::string name = parameters.param.adapter;
      std::ranges::replace_if(
          name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
      return name;
    });

}  // namespace
}  // namespace sinter
