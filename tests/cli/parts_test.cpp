// Autoencoders and embeddings that are put to a checkpoint, through the program.
#include <fmt/format.h>

#include <filesystem>

#include "sinter/base/file.h"
#include "sinter/base/tensor.h"
#include "sinter/weights/safetensors_writer.h"
#include "tests/cli/generate_test.h"
#include "tools/synth/synth.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

class Parts : public Generate {
 protected:
  /// An embedding for the stand-in of Stable Diffusion 1, with numbers that count.
  void write_embedding(const std::string& file, std::int64_t vectors, const char* key,
                       std::int64_t width = 64) const {
    fs::create_directories((folder() / file).parent_path());
    Tensor tensor(DType::kF32, {vectors, width});
    float value = 0;
    for (float& element : tensor.floats()) element = (value = value > 2 ? -2 : value + 0.37f);
    weights::SafetensorsWriter writer(folder() / file, {{key, DType::kF32, {vectors, width}}});
    writer.write(tensor.bytes());
    writer.commit();
  }

  /// Conversions in the cache.
  std::size_t cached() const {
    std::size_t count = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder() / "cache/sinter"))
      count += entry.is_directory() ? 1u : 0u;
    return count;
  }

  std::string picture(std::vector<std::string> more) const {
    more.insert(more.end(), {"-o", "p.png"});
    const Ended ended = draw("sd1.safetensors", std::move(more));
    EXPECT_EQ(ended.status, 0) << ended.err;
    return ended.status == 0 ? bytes("p.png") : ended.err;
  }
};

TEST_F(Parts, AnEmbeddingIsUsedByItsName) {
  stand_in("sd1");
  write_embedding("thing.safetensors", 2, "emb_params");
  const std::string plain = picture({"-p", "a thing"});
  const std::string used = picture({"-p", "a thing", "--embedding", "thing.safetensors"});
  EXPECT_NE(used, plain);
  EXPECT_EQ(picture({"-p", "a cat", "--embedding", "thing.safetensors"}), picture({"-p", "a cat"}));
  EXPECT_EQ(cached(), 2u) << "one conversion without, one with it";

  const Ended named = draw("sd1.safetensors", {"-p", "a xyz", "--embedding",
                                               "thing.safetensors:xyz", "-o", "named.png"});
  ASSERT_EQ(named.status, 0) << named.err;
  EXPECT_EQ(sinter({"convert", "sd1.safetensors", "out", "--precision", "fp32", "--embedding",
                    "thing.safetensors"})
                .status,
            0);
  ASSERT_EQ(draw("out", {"-p", "a thing", "-o", "converted.png"}).status, 0);
  EXPECT_EQ(bytes("converted.png"), used);
  expect_error(draw("out", {"-p", "a thing", "--embedding", "thing.safetensors"}), 2,
               "error: --embedding is for a checkpoint's conversion, and out is converted already\n"
               "hint: sinter convert CHECKPOINT OUT --embedding thing.safetensors makes such a "
               "folder\n");
}

TEST_F(Parts, EmbeddingsOfAFolderAreUsedWhereAPromptNamesThem) {
  stand_in("sd1");
  write_embedding("dir/below/Thing.safetensors", 2, "emb_params");
  write_embedding("dir/other.safetensors", 1, "<own>");
  const std::string thing =
      picture({"-p", "a thing", "--embedding", "dir/below/Thing.safetensors"});
  EXPECT_EQ(picture({"-p", "a thing", "--embedding-dir", "dir"}), thing);
  EXPECT_EQ(picture({"-p", "a something", "--embedding-dir", "dir"}),
            picture({"-p", "a something"}));
  EXPECT_EQ(picture({"-p", "a cat", "-n", "<own>", "--embedding-dir", "dir"}),
            picture({"-p", "a cat", "-n", "<own>", "--embedding", "dir/other.safetensors"}));
  expect_error(draw("sd1.safetensors", {"-p", "a", "--embedding-dir", "none"}), 3,
               "error: --embedding-dir: there is no folder none\n");
}

TEST_F(Parts, OfAnotherFamilyAreRefused) {
  stand_in("sd1");
  write_embedding("sd2.safetensors", 1, "emb_params", 1024);
  expect_error(sinter({"convert", "sd1.safetensors", "out", "--embedding", "sd2.safetensors"}), 3,
               "error: the embedding sd2.safetensors is 1024 wide, the text encoder is 64 wide\n"
               "  while taking the embedding sd2.safetensors\n"
               "  while converting sd1.safetensors as sd15\n"
               "hint: vectors 1024 wide are for Stable Diffusion 2.x; the checkpoint is sd15\n");
  EXPECT_FALSE(fs::exists(folder() / "out"));
}

TEST_F(Parts, ATinyAutoencoderDraws) {
  stand_in("sd1");
  synth::write_stand_in(fs::path(SINTER_TEST_DATA) / "manifests/tiny/taesd.json",
                        folder() / "taesd.safetensors",
                        {.dtype = DType::kF16, .prefix = {}, .threads = 1, .progress = {}});
  const std::string tiny = picture({"-p", "a", "--taesd", "taesd.safetensors"});
  EXPECT_NE(tiny, picture({"-p", "a"}));
  EXPECT_EQ(picture({"-p", "a", "--vae", "taesd.safetensors"}), tiny);
  expect_error(draw("sd1.safetensors",
                    {"-p", "a", "--taesd", "taesd.safetensors", "--vae", "taesd.safetensors"}),
               2, "error: --vae and --taesd both name an autoencoder, expected one\n");
  expect_error(draw("sd1.safetensors", {"-p", "a", "--taesd", "sd1.safetensors"}), 4,
               "error: sd1.safetensors is an autoencoder, expected a tiny one (TAESD)\n"
               "  while taking the autoencoder of sd1.safetensors\n"
               "hint: --vae takes it\n");
}

TEST_F(Parts, ATinyAutoencoderIsInspectedAndVerified) {
  synth::write_stand_in(fs::path(SINTER_TEST_DATA) / "manifests/diffusers/taesd.json",
                        folder() / "taesd.safetensors",
                        {.dtype = DType::kF16, .prefix = {}, .threads = 1, .progress = {}});
  const nlohmann::json found = json({"inspect", "taesd.safetensors"});
  EXPECT_EQ(found["architecture"], "taesd");
  EXPECT_EQ(found["convertible"], true);
  EXPECT_EQ(found["next"], "sinter convert CHECKPOINT OUT --taesd taesd.safetensors");
  ASSERT_EQ(sinter({"convert", "taesd.safetensors", "out", "--precision", "fp32"}).status, 0);
  const Ended verified =
      sinter({"verify", "out", "--engine", "onnxruntime", "--reference",
              (fs::path(SINTER_TEST_DATA) / "cases/taesd-vae.safetensors").string()});
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
}

TEST_F(Parts, AnEmbeddingIsInspected) {
  write_embedding("thing.safetensors", 3, "emb_params", 768);
  const nlohmann::json found = json({"inspect", "thing.safetensors"});
  EXPECT_EQ(found["vectors"], 3);
  EXPECT_EQ(found["what"],
            "a textual inversion embedding for Stable Diffusion 1.x, 3 vectors 768 wide");
  EXPECT_EQ(found["next"], "sinter convert CHECKPOINT OUT --embedding thing.safetensors");
  expect_documented("inspect", found);
}

}  // namespace
}  // namespace sinter::cli
