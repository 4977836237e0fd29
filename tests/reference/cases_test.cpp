// Every case of cases/ in the reference folders: the checkpoint is made from its manifest,
// converted and compared, on both engines in float32 and in float16. Cases called "full-..." are
// gigabytes each and run when SINTER_FULL=1.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/base/file.h"
#include "sinter/convert/convert.h"
#include "sinter/verify/tolerance.h"
#include "sinter/verify/verify.h"
#include "sinter/weights/checkpoint.h"
#include "tests/reference/folders.h"
#include "tools/synth/synth.h"

namespace sinter {
namespace {
namespace fs = std::filesystem;

struct Case {
  fs::path folder;
  fs::path file;
  std::string manifest;  // "tiny/sd1"
  std::string component;
  std::string unet_manifest;  // of a ControlNet's case: of the UNet that takes its residuals
  bool full;
};

std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.file.string(); }

/// What is tested elsewhere, or not of this release.
bool belongs_here(const std::map<std::string, std::string>& metadata) {
  static const std::set<std::string> kComponents{"unet", "vae", "text_encoder", "text_encoder_2",
                                                 "controlnet"};
  const auto component = metadata.find("component");
  return component != metadata.end() && kComponents.contains(component->second) &&
         metadata.contains("manifest") && !metadata.contains("adapter") &&
         !metadata.contains("embedding");
}

bool full_wanted() {
  const char* value = std::getenv("SINTER_FULL");
  return value != nullptr && std::string_view(value) == "1";
}

/// Sorted by manifest, so that a large checkpoint is made once and deleted before the next.
std::vector<Case> all_cases() {
  std::vector<Case> cases;
  std::set<std::string> seen;  // a copy in tests/data stands for the shared one
  for (const fs::path& folder : reference_folders()) {
    if (!fs::exists(folder / "cases")) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / "cases")) {
      if (entry.path().extension() != ".safetensors") continue;
      const std::string name = entry.path().filename().string();
      const bool full = name.starts_with("full-");
      if ((full && !full_wanted()) || !seen.insert(name).second) continue;
      const weights::Checkpoint file = weights::Checkpoint::open(entry.path());
      if (!belongs_here(file.metadata())) continue;
      const auto unet = file.metadata().find("unet_manifest");
      cases.push_back({folder, entry.path(), file.metadata().at("manifest"),
                       file.metadata().at("component"),
                       unet == file.metadata().end() ? std::string() : unet->second, full});
    }
  }
  std::ranges::sort(cases, {}, [](const Case& one) { return std::pair(one.manifest, one.file); });
  return cases;
}

/// The stand-in checkpoint of the last manifest that was asked for.
class StandIn {
 public:
  static const fs::path& of(const Case& one) { return current(one).path_; }

  /// The checkpoint whose UNet a ControlNet's case is about; empty for other cases.
  static const fs::path& unet_of(const Case& one) { return current(one).unet_; }

 private:
  StandIn() : folder_(fs::path(SINTER_TEST_SCRATCH) / "reference") {
    // The scratch folder of the build: room for gigabytes, and one disk with the converted folders,
    // so that links work.
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~StandIn() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  static const StandIn& current(const Case& one) {
    static StandIn current;
    const std::string key = (one.folder / one.manifest).string();
    if (current.key_ != key) current.make(one, key);
    return current;
  }

  void make(const Case& one, const std::string& key) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    path_ = write(one, one.manifest);
    unet_ = one.unet_manifest.empty() ? fs::path() : write(one, one.unet_manifest);
    key_ = key;
  }

  fs::path write(const Case& one, const std::string& manifest) const {
    const fs::path path = folder_ / (fs::path(manifest).filename().string() + ".safetensors");
    synth::write_stand_in(one.folder / "manifests" / (manifest + ".json"), path);
    return path;
  }

  fs::path folder_;
  fs::path path_;
  fs::path unet_;
  std::string key_;
};

class ReferenceCases : public testing::TestWithParam<Case> {
 protected:
  /// Converts in a precision and compares on an engine; every comparison is printed.
  void check(convert::Precision precision, runtime::Engine engine) {
    const fs::path& checkpoint = StandIn::of(GetParam());
    const fs::path out = folder(precision);
    convert::ConvertOptions options;
    options.precision = precision;
    options.vae_precision = precision;
    options.hidden_states = true;
    options.components = {GetParam().component};
    // Engines keep a second copy of weights that they have to convert: 20 GB for SDXL's UNet.
    // Packed float32 ones stay mapped.
    if (GetParam().full && precision == convert::Precision::kF32)
      options.weights = convert::WeightStorage::kPack;
    const verify::ReferenceCase reference = verify::ReferenceCase::load(GetParam().file);
    const fs::path& unet = StandIn::unet_of(GetParam());
    if (!unet.empty()) {
      options.controlnets = {checkpoint};
      options.components.emplace_back("unet");
    }
    if (!fs::exists(out)) convert::convert(unet.empty() ? checkpoint : unet, out, options);
    std::size_t compared = 0;
    for (const verify::GraphResult& graph :
         verify::verify_folder(out, reference, {.engine = engine})) {
      compared += graph.outputs.size();
      for (const verify::OutputResult& output : graph.outputs) {
        const verify::Comparison& c = output.comparison;
        const std::string line = fmt::format(
            "{} {} {} {}: max {:.1e}, mean {:.1e} of scale {:.3g}; worst at {}: {}, expected {}",
            GetParam().file.stem().string(), convert::precision_name(precision), graph.engine.name,
            output.output, c.max_relative, c.mean_relative, c.scale, to_string(c.worst_index),
            c.worst_found, c.worst_reference);
        fmt::print("{}\n", line);
        EXPECT_TRUE(output.passed) << line << " (at most " << graph.tolerance.max << ", mean "
                                   << graph.tolerance.mean << ")";
      }
    }
    // Of a ControlNet every residual, and the UNet that was given them.
    if (!unet.empty()) {
      EXPECT_EQ(compared, reference.outputs.size());
    }
  }

  void TearDown() override {
    if (!GetParam().full) return;
    for (const convert::Precision precision : {convert::Precision::kF32, convert::Precision::kF16})
      fs::remove_all(folder(precision));
  }

  static fs::path folder(convert::Precision precision) {
    return StandIn::of(GetParam()).parent_path() /
           fmt::format("out-{}-{}", GetParam().component, convert::precision_name(precision));
  }
};

TEST_P(ReferenceCases, HoldInFloat32) {
  for (const runtime::Engine engine : {runtime::Engine::kOpenVino, runtime::Engine::kOnnxRuntime})
    check(convert::Precision::kF32, engine);
}

TEST_P(ReferenceCases, HoldInFloat16) {
  check(convert::Precision::kF16, runtime::Engine::kOnnxRuntime);
  // OpenVINO computes float16 graphs in float32 on CPUs and holds the weights twice: too much for
  // this at SDXL's size.
  const bool fits = fs::file_size(StandIn::of(GetParam())) < std::uintmax_t{4'000'000'000};
  if (fits) check(convert::Precision::kF16, runtime::Engine::kOpenVino);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ReferenceCases);
INSTANTIATE_TEST_SUITE_P(
    All, ReferenceCases, testing::ValuesIn(all_cases()), [](const auto& parameters) {
      std::string name =
          parameters.param.file.stem().string() + "_" + std::to_string(parameters.index);
      std::ranges::replace_if(
          name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
      return name;
    });

TEST(ReferenceFolders, HoldCasesThatBelongHere) {
  EXPECT_FALSE(all_cases().empty())
      << "SINTER_REFERENCE names no folder with cases/*.safetensors of a unet, vae or text encoder";
}

}  // namespace
}  // namespace sinter
