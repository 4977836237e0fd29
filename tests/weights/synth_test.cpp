#include "tools/synth/synth.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/half.h"
#include "sinter/base/hash.h"
#include "sinter/weights/checkpoint.h"
#include "tests/weights/temporary_folder.h"
#include "tools/synth/formula.h"

namespace sinter::synth {
namespace {
namespace fs = std::filesystem;

const fs::path kData = fs::path(SINTER_TEST_DATA) / "weights";
const fs::path kManifest = kData / "synth_manifest.json";
const std::map<std::string, DType> kTypes{
    {"fp16", DType::kF16}, {"fp32", DType::kF32}, {"bf16", DType::kBF16}};

nlohmann::json golden() { return nlohmann::json::parse(read_text(kData / "synth_golden.json")); }

class SynthTest : public weights::FolderTest {
 protected:
  std::string written_sha256(const Options& options) const {
    const fs::path out = folder_ / "m.safetensors";
    write_stand_in(kManifest, out, options);
    return sha256_hex(MappedFile(out).bytes());
  }
};

TEST_F(SynthTest, ValuesHaveTheBitsOfTheReferenceFormula) {
  std::map<std::string, ManifestTensor> tensors;
  for (const ManifestTensor& tensor : load_manifest(kManifest).tensors)
    tensors[tensor.key] = tensor;
  std::size_t compared = 0;
  const nlohmann::json rows = golden().at("tensors");
  for (const nlohmann::json& row : rows) {
    const ManifestTensor& tensor = tensors.at(row.at("key").get<std::string>());
    const DType dtype = stored_dtype(tensor, kTypes.at(row.at("dtype").get<std::string>()));
    const std::vector<float> values = stand_in_values(tensor, dtype);
    ASSERT_EQ(values.size(), static_cast<std::size_t>(element_count(tensor.shape)));
    for (std::size_t i = 0; i < row.at("index").size(); ++i) {
      const auto index = row.at("index")[i].get<std::size_t>();
      const auto expected = static_cast<std::uint32_t>(
          std::stoul(row.at("float32_bits")[i].get<std::string>(), nullptr, 16));
      EXPECT_EQ(std::bit_cast<std::uint32_t>(values.at(index)), expected)
          << tensor.key << " " << row.at("dtype") << " [" << index << "]";
      ++compared;
    }
  }
  EXPECT_GT(compared, 200u);
}

TEST_F(SynthTest, FilesAreByteForByteThoseOfTheReferenceWriter) {
  const nlohmann::json files = golden().at("files");
  for (const auto& [name, dtype] : kTypes) {
    EXPECT_EQ(written_sha256({.dtype = dtype}), files.at(name).at("sha256").get<std::string>())
        << name;
  }
}

TEST_F(SynthTest, APrefixKeepsTheKeysThatBeginWithItUnchanged) {
  EXPECT_EQ(written_sha256({.prefix = "cond_stage_model."}),
            golden().at("files").at("fp16 cond_stage_model.").at("sha256").get<std::string>());
  try {
    written_sha256({.prefix = "nowhere."});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
  }
}

TEST_F(SynthTest, TheNumberOfThreadsChangesNothing) {
  // More than one block of four megabytes, with a tensor across the border.
  std::ofstream(folder_ / "big.json")
      << R"({"tensors":[["m.a","float32",[3,1000001]],["m.b","float32",[700,1001]]]})";
  std::set<std::string> digests;
  for (const int threads : {1, 2, 5}) {
    write_stand_in(folder_ / "big.json", folder_ / "m.safetensors", {.threads = threads});
    digests.insert(sha256_hex(MappedFile(folder_ / "m.safetensors").bytes()));
  }
  EXPECT_EQ(digests.size(), 1u);

  const weights::Checkpoint checkpoint = weights::Checkpoint::open(folder_ / "m.safetensors");
  for (const ManifestTensor& tensor : load_manifest(folder_ / "big.json").tensors) {
    const weights::TensorEntry* entry = checkpoint.find(tensor.key);
    ASSERT_NE(entry, nullptr);
    const std::vector<float> wanted = stand_in_values(tensor, DType::kF16);
    std::vector<std::uint16_t> bits(wanted.size());
    std::memcpy(bits.data(), checkpoint.bytes(*entry).data(), entry->bytes);
    std::vector<float> found(bits.size());
    half_to_float(bits, found);
    EXPECT_EQ(found, wanted) << tensor.key;
  }
}

TEST_F(SynthTest, ReportsProgressUpToTheTotal) {
  std::uint64_t last = 0;
  std::uint64_t all = 0;
  Options options;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_GT(done, last);
    last = done;
    all = total;
  };
  write_stand_in(kManifest, folder_ / "m.safetensors", options);
  EXPECT_GT(all, 0u);
  EXPECT_EQ(last, all);
}

TEST_F(SynthTest, ValuesDoNotDependOnWhereARunBegins) {
  const Formula formula = formula_of("a.weight", {10, 10});
  std::vector<float> whole(100);
  fill_random(formula, 0, whole);
  for (std::size_t first = 0; first < whole.size(); ++first) {
    std::vector<float> rest(whole.size() - first);
    fill_random(formula, first, rest);
    EXPECT_EQ(rest,
              std::vector<float>(whole.begin() + static_cast<std::ptrdiff_t>(first), whole.end()));
  }
}

TEST_F(SynthTest, ABrokenManifestIsNamed) {
  const auto refusal = [&](std::string_view text) -> std::string {
    try {
      load_manifest(put("m.json", text));
      return "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadFile);
      return error.what();
    }
  };
  EXPECT_NE(refusal("{").find("is no manifest, at tensor 0"), std::string::npos);
  EXPECT_NE(refusal(R"({"tensors":[["a","float32",[1]],["b"]]})").find("at tensor 1"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"tensors":[["a","complex",[1]]]})").find("unknown element type 'complex'"),
            std::string::npos);
}

}  // namespace
}  // namespace sinter::synth
