#include "sinter/weights/checkpoint.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sinter/base/error.h"
#include "sinter/base/hash.h"
#include "tests/weights/safetensors_bytes.h"
#include "tests/weights/temporary_folder.h"

namespace sinter::weights {
namespace {

class CheckpointTest : public FolderTest {
 protected:
  /// A file of byte tensors, each one byte long.
  std::filesystem::path put_model(std::string_view name,
                                  const std::vector<std::string>& tensors) const {
    std::string json;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      json += fmt::format(R"({}"{}":{{"dtype":"U8","shape":[1],"data_offsets":[{},{}]}})",
                          i == 0 ? "{" : ",", tensors[i], i, i + 1);
    }
    return put(name, safetensors_bytes(json + "}", tensors.size()));
  }

  std::string refusal(const std::filesystem::path& path, ErrorCode code = ErrorCode::kBadFile) {
    try {
      Checkpoint::open(path);
      return "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      std::string text = error.what();
      const std::string folder = folder_.string();
      for (std::size_t at; (at = text.find(folder)) != text.npos;) text.erase(at, folder.size());
      return text;
    }
  }

  static std::vector<std::string> names(const Checkpoint& checkpoint) {
    std::vector<std::string> result;
    for (const TensorEntry& tensor : checkpoint.tensors()) result.push_back(tensor.name);
    return result;
  }
};

TEST_F(CheckpointTest, FindsTensorsAndTheirBytes) {
  std::vector<std::byte> file = safetensors_bytes(
      R"({"__metadata__":{"k":"v"},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]},)"
      R"("a":{"dtype":"I8","shape":[1,1],"data_offsets":[0,1]}})",
      3);
  file.back() = std::byte{42};
  const auto path = put("m.safetensors", file);
  Checkpoint opened = Checkpoint::open(path);
  const Checkpoint checkpoint = std::move(opened);
  EXPECT_EQ(names(checkpoint), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(checkpoint.find("c"), nullptr);
  EXPECT_EQ(checkpoint.find(""), nullptr);
  const TensorEntry* b = checkpoint.find("b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->dtype, DType::kU8);
  EXPECT_EQ(b->shape, Shape{2});
  EXPECT_EQ(b->begin, file.size() - 2);
  ASSERT_EQ(checkpoint.bytes(*b).size(), 2u);
  EXPECT_EQ(checkpoint.bytes(*b)[1], std::byte{42});
  EXPECT_EQ(checkpoint.metadata().at("k"), "v");
  ASSERT_EQ(checkpoint.files().size(), 1u);
  const SourceFile& source = checkpoint.files()[0];
  EXPECT_EQ(source.path, path);
  EXPECT_EQ(source.stamp.bytes, file.size());
  EXPECT_EQ(source.header_bytes, file.size() - 3);
  EXPECT_EQ(source.header_sha256, sha256_hex(std::span(file).first(file.size() - 3)));
}

TEST_F(CheckpointTest, TrustsTheContentAndNotTheName) {
  const Checkpoint checkpoint = Checkpoint::open(put_model("dream.ckpt", {"a"}));
  EXPECT_EQ(names(checkpoint), std::vector<std::string>{"a"});
}

TEST_F(CheckpointTest, SaysWhatAForeignFileIs) {
  EXPECT_EQ(refusal(put("m.safetensors", "<!DOCTYPE html><html>Please log in</html>")),
            "/m.safetensors is a web page saved in place of the model (html), expected safetensors "
            "or a PyTorch file\n"
            "hint: the download needs a login or another address; open the page's link in a "
            "browser");
  EXPECT_EQ(refusal(put("m.safetensors",
                        "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 4265\n")),
            "/m.safetensors is a Git LFS pointer: the real file of 4265 bytes was not fetched "
            "(git-lfs-pointer), expected safetensors or a PyTorch file\n"
            "hint: run git lfs pull");
  EXPECT_EQ(refusal(put("m.safetensors", "")),
            "/m.safetensors is empty (empty), expected safetensors or a PyTorch file\n"
            "hint: the download or copy wrote nothing; fetch the file again");
}

TEST_F(CheckpointTest, NamesAHalfDownload) {
  EXPECT_EQ(refusal(put("m.safetensors",
                        safetensors_bytes(
                            R"({"a":{"dtype":"F32","shape":[9],"data_offsets":[0,36]}})", 10))),
            "the file ends at byte 73, expected 99: 26 bytes are missing\n"
            "  while reading /m.safetensors as safetensors\n"
            "hint: it looks like a half download or a broken copy; fetch the file again");
}

TEST_F(CheckpointTest, NamesFormatsThatItDoesNotRead) {
  EXPECT_EQ(
      refusal(put("m.gguf", std::string_view("GGUF\3\0\0\0\0\0\0\0", 12)), ErrorCode::kUnsupported),
      "/m.gguf is a GGUF file: another format of models (gguf), expected safetensors or a "
      "PyTorch file\n"
      "hint: convert it to safetensors first");
  EXPECT_EQ(refusal(put("m.safetensors",
                        safetensors_bytes(
                            R"({"a":{"dtype":"C64","shape":[1],"data_offsets":[0,8]}})", 8)),
                    ErrorCode::kUnsupported),
            "'a' in /m.safetensors has elements of type C64, which sinter does not read");
  EXPECT_EQ(refusal(folder_ / "none.safetensors", ErrorCode::kIo),
            "cannot open /none.safetensors: No such file or directory");
}

TEST_F(CheckpointTest, APipelineFolderPutsTheComponentBeforeTheName) {
  put("model_index.json",
      R"({"_class_name":"StableDiffusionPipeline","unet":["diffusers","UNet2DConditionModel"],)"
      R"("vae":["diffusers","AutoencoderKL"],"scheduler":["diffusers","DDIMScheduler"],)"
      R"("image_encoder":[null,null],"safety_checker":["a","B"]})");
  put("unet/config.json", "{}");
  put("scheduler/scheduler_config.json", R"({"prediction_type":"epsilon"})");
  put_model("unet/diffusion_pytorch_model.safetensors", {"conv_in.weight"});
  put_model("unet/diffusion_pytorch_model.fp16.safetensors", {"other"});
  put_model("vae/diffusion_pytorch_model.fp16.safetensors", {"conv_in.weight"});
  put_model("safety_checker/model.safetensors", {"x"});
  put_model("not_named/model.safetensors", {"x"});
  const Checkpoint checkpoint = Checkpoint::open(folder_);
  EXPECT_EQ(names(checkpoint),
            (std::vector<std::string>{"unet/conv_in.weight", "vae/conv_in.weight"}));
  EXPECT_EQ(checkpoint.files().size(), 2u);
  EXPECT_EQ(checkpoint.configs().size(), 3u);
  EXPECT_EQ(checkpoint.configs().at("unet/config.json"), "{}");
  EXPECT_EQ(checkpoint.configs().count("scheduler/scheduler_config.json"), 1u);
  EXPECT_EQ(checkpoint.configs().count("model_index.json"), 1u);
}

TEST_F(CheckpointTest, AComponentFolderKeepsTheNames) {
  put("config.json", "{}");
  put_model("model.safetensors", {"text_model.x"});
  const Checkpoint checkpoint = Checkpoint::open(folder_);
  EXPECT_EQ(names(checkpoint), std::vector<std::string>{"text_model.x"});
  EXPECT_EQ(checkpoint.configs().count("config.json"), 1u);
}

TEST_F(CheckpointTest, ShardsAreOneCheckpoint) {
  put_model("diffusion_pytorch_model-00002-of-00002.safetensors", {"c"});
  put_model("diffusion_pytorch_model-00001-of-00002.safetensors", {"b", "a"});
  put("diffusion_pytorch_model.safetensors.index.json",
      R"({"metadata":{"total_size":3},"weight_map":{)"
      R"("a":"diffusion_pytorch_model-00001-of-00002.safetensors",)"
      R"("b":"diffusion_pytorch_model-00001-of-00002.safetensors",)"
      R"("c":"diffusion_pytorch_model-00002-of-00002.safetensors"}})");
  const Checkpoint checkpoint = Checkpoint::open(folder_);
  EXPECT_EQ(names(checkpoint), (std::vector<std::string>{"b", "a", "c"}));
  EXPECT_EQ(checkpoint.find("c")->file, 1u);
}

TEST_F(CheckpointTest, ShardsOfAVariantAreFoundUnderBothSpellings) {
  put_model("model.fp16-00001-of-00002.safetensors", {"a"});
  put_model("model-00002-of-00002.fp16.safetensors", {"b"});
  put("model.safetensors.index.fp16.json",
      R"({"weight_map":{"a":"model.fp16-00001-of-00002.safetensors",)"
      R"("b":"model-00002-of-00002.fp16.safetensors"}})");
  EXPECT_EQ(Checkpoint::open(folder_).tensors().size(), 2u);
}

TEST_F(CheckpointTest, AMissingShardIsNamed) {
  put_model("model-00001-of-00003.safetensors", {"a"});
  put_model("model-00003-of-00003.safetensors", {"b"});
  EXPECT_EQ(refusal(folder_),
            " lacks shard 2 of 3 of model\n"
            "hint: it looks like a half download; fetch the folder again");
}

TEST_F(CheckpointTest, AnIndexWithoutItsShardsIsNamed) {
  put("model.safetensors.index.json", R"({"weight_map":{"a":"model-00001-of-00001.safetensors"}})");
  EXPECT_EQ(refusal(folder_),
            " lacks the shards that model.safetensors.index.json names\n"
            "hint: it looks like a half download; fetch the folder again");
}

TEST_F(CheckpointTest, AnIndexThatDisagreesWithItsShardsIsRefused) {
  put_model("model-00001-of-00001.safetensors", {"a"});
  const std::string_view index = "model.safetensors.index.json";
  put(index, R"({"weight_map":{"b":"model-00001-of-00001.safetensors"}})");
  EXPECT_EQ(
      refusal(folder_),
      "the index of  says that 'b' is in model-00001-of-00001.safetensors, it is in no shard\n"
      "hint: the shards come from different downloads; fetch the folder again");
  put(index, R"({"weight_map":{"a":"../m.safetensors"}})");
  EXPECT_EQ(refusal(folder_),
            " lacks ../m.safetensors, which holds 'a'\n"
            "hint: it looks like a half download; fetch the folder again");
  put(index, R"({"weight_map":{"a":7}})");
  EXPECT_EQ(refusal(folder_),
            "/model.safetensors.index.json has no weight_map of texts, expected tensor names and "
            "file names");
}

TEST_F(CheckpointTest, TheSameNameInTwoShardsIsRefused) {
  put_model("model-00001-of-00002.safetensors", {"a"});
  put_model("model-00002-of-00002.safetensors", {"a"});
  EXPECT_EQ(refusal(folder_).substr(0, 9), "'a' is in");
}

TEST_F(CheckpointTest, FoldersThatSayNothingAreRefused) {
  EXPECT_EQ(refusal(folder_),
            " holds no .safetensors file, expected a diffusers pipeline or one of its components");
  put_model("one.safetensors", {"a"});
  EXPECT_EQ(refusal(folder_), "accepted");
  put_model("two.safetensors", {"a"});
  EXPECT_EQ(refusal(folder_),
            " holds one.safetensors and two.safetensors: it cannot be told which is meant\n"
            "hint: name the file instead of the folder");
}

TEST_F(CheckpointTest, AComponentInAnotherFormatIsNamed) {
  put("diffusion_flax_model.msgpack", "x");
  EXPECT_EQ(refusal(folder_, ErrorCode::kUnsupported),
            "/diffusion_flax_model.msgpack is the only weight file there, expected .safetensors or "
            ".bin\n"
            "hint: name that file itself, or save the component as safetensors");
}

TEST_F(CheckpointTest, ABrokenPipelineIndexIsRefused) {
  put("model_index.json", "[1]");
  EXPECT_EQ(refusal(folder_), "/model_index.json is no JSON object, expected the components");
  put("model_index.json", R"({"..":["a","B"],"a/b":["a","B"]})");
  EXPECT_EQ(refusal(folder_).substr(0, 28), " holds no .safetensors file,");
}

TEST_F(CheckpointTest, AComponentThatTheIndexNamesHasToBeThere) {
  put("model_index.json", R"({"unet":["diffusers","UNet2DConditionModel"],)"
                          R"("scheduler":["diffusers","DDIMScheduler"],)"
                          R"("tokenizer":["transformers","CLIPTokenizer"]})");
  EXPECT_EQ(refusal(folder_),
            "/model_index.json names 'unet', but there is no /unet\n"
            "hint: fetch the folder again, or name the folder of one component");
  put("unet/config.json", "{}");
  EXPECT_EQ(refusal(folder_),
            "/unet has config.json and no weights, expected a .safetensors file\n"
            "hint: it looks like a half download; fetch the folder again");
  put_model("unet/diffusion_pytorch_model.safetensors", {"a"});
  EXPECT_EQ(refusal(folder_), "accepted");
}

TEST_F(CheckpointTest, ADamagedFileOfAFolderIsNamed) {
  put("model_index.json", R"({"vae":["diffusers","AutoencoderKL"]})");
  put("vae/model.safetensors", safetensors_bytes("{}", 0, 30));
  EXPECT_EQ(refusal(folder_),
            "the header's length at byte 0 is 30, but only 2 bytes follow: 28 bytes are missing\n"
            "  while reading /vae/model.safetensors as safetensors\n"
            "hint: it looks like a half download or a broken copy; fetch the file again");
}

TEST_F(CheckpointTest, AConvertedFolderIsNoCheckpoint) {
  put("out/sinter.json", R"({"sinter":"0.1.0","graphs":{"unet":{"nodes":1}},)"
                         R"("sources":[{"path":"/models/dream.safetensors","bytes":7}]})");
  put_model("out/unet/dream.safetensors", {"a"});
  const std::string words =
      " is converted already\n"
      "hint: sinter generate, verify and bench take it as it is; to convert again, name "
      "/models/dream.safetensors";
  EXPECT_EQ(refusal(folder_ / "out", ErrorCode::kUsage), "/out" + words);
  EXPECT_EQ(refusal(folder_ / "out/unet", ErrorCode::kUsage), "/out/unet" + words);
  // Another folder beside the graphs, and a record of someone else's, are nothing to us.
  put_model("out/mine/dream.safetensors", {"a"});
  EXPECT_EQ(refusal(folder_ / "out/mine"), "accepted");
  put("sinter.json", "{}");
  put_model("dream.safetensors", {"a"});
  EXPECT_EQ(refusal(folder_), "accepted");
}

TEST_F(CheckpointTest, AnUpperLayerTakesThePlaceOfEqualNames) {
  Checkpoint base = Checkpoint::open(put_model("base.safetensors", {"a", "vae.b", "vae.c", "d"}));
  Checkpoint top = Checkpoint::open(put_model("top.safetensors", {"d", "e"}));
  const Checkpoint both =
      Checkpoint::layered(std::move(base), {.top = std::move(top), .instead_of = {"vae."}});
  EXPECT_EQ(names(both), (std::vector<std::string>{"a", "d", "e"}));
  EXPECT_EQ(both.find("vae.b"), nullptr);
  EXPECT_EQ(both.find("a")->file, 0u);
  EXPECT_EQ(both.find("d")->file, 1u);
  EXPECT_EQ(both.files()[1].path.filename(), "top.safetensors");
  EXPECT_EQ(both.path().filename(), "base.safetensors");
}

TEST_F(CheckpointTest, AnUpperLayerStandsBehindItsPrefix) {
  std::filesystem::create_directories(folder_ / "vae");
  put("vae/config.json", "{}");
  put_model("vae/diffusion_pytorch_model.safetensors", {"a"});
  Checkpoint base = Checkpoint::open(put_model("base.safetensors", {"a"}));
  Checkpoint top = Checkpoint::open(folder_ / "vae");
  const Checkpoint both =
      Checkpoint::layered(std::move(base), {.top = std::move(top), .prefix = "vae/"});
  EXPECT_EQ(names(both), (std::vector<std::string>{"a", "vae/a"}));
  EXPECT_TRUE(both.configs().contains("vae/config.json"));
}

}  // namespace
}  // namespace sinter::weights
