// Every case of cases/ in the reference folders that is about an embedding of adapters/: the narrow
// checkpoint is made from its manifest, converted with the embedding and compared.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "sinter/adapters/embedding/textual_inversion.h"
#include "sinter/base/file.h"
#include "sinter/convert/convert.h"
#include "sinter/verify/verify.h"
#include "sinter/weights/checkpoint.h"
#include "tests/reference/folders.h"
#include "tools/synth/synth.h"

namespace sinter::adapters {
namespace {
namespace fs = std::filesystem;

constexpr std::int64_t kEndToken = 49407;  // of CLIP's tokenizer, which the cases use

struct Case {
  fs::path folder;
  fs::path file;
  std::string adapter;  // of adapters/
};

std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << one.file.string() << " with " << one.adapter;
}

/// Files that hold the same vectors as the case's own, as expected.json says in words.
std::vector<std::string> others(const fs::path& folder, const std::string& name) {
  std::vector<std::string> files;
  const fs::path index = folder / "adapters/expected.json";
  if (!fs::exists(index)) return files;
  const nlohmann::json expected = nlohmann::json::parse(read_text(index));
  for (const auto& [file, entry] : expected["adapters"].items()) {
    const std::string note = entry.value("note", "");
    if (note.starts_with("the vectors of ") && note.ends_with("case " + name))
      files.push_back(file);
  }
  return files;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  std::set<std::string> seen;  // a copy in tests/data stands for the shared one
  for (const fs::path& folder : reference_folders()) {
    if (!fs::exists(folder / "cases")) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / "cases")) {
      const std::string name = entry.path().stem().string();
      if (!name.starts_with("embedding-") || !seen.insert(name).second) continue;
      const weights::Checkpoint file = weights::Checkpoint::open(entry.path());
      std::vector<std::string> adapters = others(folder, name);
      adapters.push_back(file.metadata().at("adapter"));
      for (const std::string& adapter : adapters) cases.push_back({folder, entry.path(), adapter});
    }
  }
  std::ranges::sort(cases, {}, [](const Case& one) { return std::pair(one.file, one.adapter); });
  return cases;
}

class EmbeddingCases : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    fs::remove_all(scratch_);
    fs::create_directories(scratch_);
  }
  void TearDown() override { fs::remove_all(scratch_); }

  fs::path scratch_ = fs::path(SINTER_TEST_SCRATCH) / "embedding_cases";
};

TEST_P(EmbeddingCases, Hold) {
  const verify::ReferenceCase reference = verify::ReferenceCase::load(GetParam().file);
  const weights::Checkpoint metadata = weights::Checkpoint::open(GetParam().file);
  const std::string manifest = metadata.metadata().at("manifest");
  synth::write_stand_in(GetParam().folder / "manifests" / (manifest + ".json"),
                        scratch_ / "checkpoint.safetensors");
  std::vector<EmbeddingFile> files;
  files.push_back(
      {"<thing>", weights::Checkpoint::open(GetParam().folder / "adapters" / GetParam().adapter)});
  convert::ConvertOptions options;
  options.precision = convert::Precision::kF32;
  options.hidden_states = true;
  options.components = {reference.component};
  options.detect.end_token = kEndToken;
  options.computed.emplace_back(
      [&](const weights::Checkpoint& checkpoint, const arch::Model& model) {
        return extend_token_tables(checkpoint, model, files).tables;
      });
  convert::convert(scratch_ / "checkpoint.safetensors", scratch_ / "out", options);
  for (const runtime::Engine engine : {runtime::Engine::kOpenVino, runtime::Engine::kOnnxRuntime}) {
    for (const verify::GraphResult& graph :
         verify::verify_folder(scratch_ / "out", reference, {.engine = engine})) {
      EXPECT_FALSE(graph.outputs.empty());
      for (const verify::OutputResult& output : graph.outputs) {
        const std::string line =
            fmt::format("{} with {} {} {}: max {:.1e} of scale {:.3g}",
                        GetParam().file.stem().string(), GetParam().adapter, graph.engine.name,
                        output.output, output.comparison.max_relative, output.comparison.scale);
        fmt::print("{}\n", line);
        EXPECT_TRUE(output.passed) << line;
      }
    }
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EmbeddingCases);
INSTANTIATE_TEST_SUITE_P(All, EmbeddingCases, testing::ValuesIn(all_cases()));

}  // namespace
}  // namespace sinter::adapters
