#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "sinter/base/file.h"
#include "sinter/base/hash.h"
#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

class Inspect : public CommandTest {
 protected:
  void write(const std::string& file, std::string_view bytes) const {
    std::ofstream(folder() / file, std::ios::binary) << bytes;
  }
};

TEST_F(Inspect, SaysWhatACheckpointIs) {
  const std::string model = std::string(SINTER_SOURCE_DIR) + "/models/shapes-sd1.safetensors";
  const Ended ended = sinter({"inspect", model});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(ended.out,
            model +
                "\n"
                "verdict         ok: A sound safetensors file of 989 tensors.\n"
                "format          safetensors, 27 MB\n"
                "tensors         989 (976 F16, 12 F32, 1 I64)\n"
                "what            a Stable Diffusion 1.x checkpoint\n"
                "family          sd15: the UNet is conditioned on time and text alone; its "
                "projections are 1x1 convolutions: Stable Diffusion 1; the context is 64 wide; the "
                "UNet takes 4 channels; text_encoder has the names of transformers' CLIP, 3 layers "
                "64 wide\n"
                "prediction      epsilon: Stable Diffusion 1.x is trained on epsilon; nothing in "
                "the file says otherwise\n"
                "text_encoder    3.3 million parameters, original layout\n"
                "unet            7.9 million parameters, original layout\n"
                "vae             2.0 million parameters, original layout\n"
                "metadata        format = pt\n");
}

TEST_F(Inspect, ReportsTheSameAsJson) {
  const nlohmann::json report = json(
      {"inspect", std::string(SINTER_SOURCE_DIR) + "/models/shapes-sd1.safetensors", "--hash"});
  expect_documented("inspect", report);
  EXPECT_EQ(report["verdict"], "ok");
  EXPECT_EQ(report["format"], "safetensors");
  EXPECT_EQ(report["architecture"], "sd1");
  EXPECT_EQ(report["contents"], "checkpoint");
  EXPECT_EQ(report["tensors"], 989);
  EXPECT_EQ(report["dtypes"], nlohmann::json({{"F16", 976}, {"F32", 12}, {"I64", 1}}));
  EXPECT_EQ(report["family"], "sd15");
  EXPECT_EQ(report["components"][1]["parameters"], 7902628);
  EXPECT_EQ(report["missing"], nlohmann::json::array());
  EXPECT_EQ(report["unexpected"], nlohmann::json::array());
}

TEST_F(Inspect, HashesAsOthersDo) {
  write_keys("one.safetensors", {{"a", {4}}});
  const nlohmann::json report = json({"inspect", "one.safetensors", "--hash"});
  const std::string sha256 = sha256_hex(MappedFile(folder() / "one.safetensors").bytes());
  EXPECT_EQ(report["hash"]["sha256"], sha256);
  EXPECT_EQ(report["hash"]["automatic1111"], sha256.substr(0, 10));
  const Ended ended = sinter({"inspect", "one.safetensors", "--hash"});
  EXPECT_NE(ended.out.find("sha256          " + sha256 + "\nshort hash      " +
                           sha256.substr(0, 10) + " (AUTOMATIC1111)\n"),
            std::string::npos)
      << ended.out;
  expect_error(sinter({"inspect", ".", "--hash"}), 2,
               "error: --hash is of a file; . is a folder\n");
}

TEST_F(Inspect, NamesMissingKeysOfAPrunedFile) {
  write_keys("text.safetensors", {{"text_model.embeddings.position_embedding.weight", {77, 768}},
                                  {"text_model.final_layer_norm.weight", {768}},
                                  {"text_model.encoder.layers.1.self_attn.q_proj.weight", {4, 768}},
                                  {"text_model.mystery", {2}}});
  const nlohmann::json report = json({"inspect", "text.safetensors"});
  expect_documented("inspect", report);
  EXPECT_EQ(report["contents"], "text-encoder");
  // Two layers of sixteen tensors, the token table and the last norm's shift; one is there.
  EXPECT_EQ(report["missing"].size(), 33u);
  EXPECT_EQ(report["unexpected"], nlohmann::json({"text_model.mystery"}));
  const Ended ended = sinter({"inspect", "text.safetensors"});
  EXPECT_NE(
      ended.out.find("missing         33\n"
                     "                text_encoder/text_model.embeddings.token_embedding.weight\n"),
      std::string::npos)
      << ended.out;
  EXPECT_NE(ended.out.find("                ... and 25 more (--json lists all)\n"
                           "unexpected      1\n"
                           "                text_model.mystery\n"),
            std::string::npos)
      << ended.out;
}

TEST_F(Inspect, SaysThatAPredictionCannotBeKnown) {
  stand_in("sd2");
  const nlohmann::json report = json({"inspect", "sd2.safetensors"});
  EXPECT_EQ(report["prediction"], nullptr);
  EXPECT_NE(sinter({"inspect", "sd2.safetensors"}).out.find("prediction      not known: "),
            std::string::npos);
}

TEST_F(Inspect, ReportsDamageWithStatus1) {
  write_keys("half.safetensors", {{"a", {1000}}});
  fs::resize_file(folder() / "half.safetensors", 2000);
  const auto whole = fs::file_size(folder() / "half.safetensors");
  ASSERT_EQ(whole, 2000u);
  const Ended ended = sinter({"inspect", "half.safetensors"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(
      ended.out,
      "half.safetensors\n"
      "verdict         damaged: The file ends at byte 2000, expected 4072: 2072 bytes are "
      "missing.\n"
      "format          safetensors, 2.0 kB\n"
      "hint            it looks like a half download or a broken copy; fetch the file again\n");
  const nlohmann::json report = json({"inspect", "half.safetensors"}, 1);
  expect_documented("inspect", report);
  EXPECT_EQ(report["verdict"], "damaged");
  EXPECT_EQ(report["tensors"], nullptr);
  EXPECT_EQ(report["architecture"], nullptr);
}

TEST_F(Inspect, KnowsWhatIsNoModel) {
  write("page.safetensors", "<!DOCTYPE html><html><body>log in</body></html>");
  write("pointer.safetensors",
        "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 4265146304\n");
  write("nothing.ckpt", "");
  EXPECT_EQ(json({"inspect", "page.safetensors"}, 1)["verdict"], "not-a-model");
  EXPECT_EQ(json({"inspect", "pointer.safetensors"}, 1)["format"], "git-lfs-pointer");
  EXPECT_EQ(json({"inspect", "nothing.ckpt"}, 1)["format"], "empty");
}

TEST_F(Inspect, APickleIsDangerousAndNeverOpened) {
  write("evil.ckpt", std::string_view("\x80\x02"
                                      "cos\nsystem\nX\x0d\0\0\0touch pwned.txt\x85R.",
                                      41));
  const nlohmann::json report = json({"inspect", "evil.ckpt"}, 1);
  EXPECT_EQ(report["verdict"], "dangerous");
  EXPECT_FALSE(fs::exists(folder() / "pwned.txt"));
}

TEST_F(Inspect, ShowsNamesThatAreNotUtf8) {
  const std::string name =
      "b\xff"
      "d.safetensors";
  write_keys("one.safetensors", {{"a", {4}}});
  fs::rename(folder() / "one.safetensors", folder() / name);
  EXPECT_EQ(json({"inspect", name})["path"],
            "b\xEF\xBF\xBD"
            "d.safetensors");
}

}  // namespace
}  // namespace sinter::cli
