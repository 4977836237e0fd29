#include <fmt/format.h>

#include <chrono>
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
                "for             it draws pictures from text: text encoder, UNet and "
                "autoencoder\n"
                "next            sinter generate " +
                model +
                " -p \"a red circle\"\n"
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
  EXPECT_NE(ended.out.find("missing         33\n"
                           "                text_model.embeddings.token_embedding.weight\n"),
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

TEST_F(Inspect, WarnsOfWhatIsIncompleteOrNotSupported) {
  write_keys("text.safetensors", {{"text_model.final_layer_norm.weight", {768}}});
  const nlohmann::json text = json({"inspect", "text.safetensors"});
  expect_documented("inspect", text);
  EXPECT_EQ(text["warnings"], nlohmann::json({"incomplete"}));
  EXPECT_EQ(text["convertible"], false);
  EXPECT_EQ(text["advice"], "tensors are missing, so it cannot be converted as it is");
  write_keys("flux.safetensors", {{"double_blocks.0.img_attn.qkv.weight", {9, 3}},
                                  {"single_blocks.0.linear1.weight", {9, 3}}});
  EXPECT_EQ(json({"inspect", "flux.safetensors"})["warnings"], nlohmann::json({"not supported"}));
  write_keys("lora.safetensors", {{"lora_unet_x.lora_down.weight", {4, 768}}});
  EXPECT_EQ(json({"inspect", "lora.safetensors"})["warnings"], nlohmann::json::array());
}

TEST_F(Inspect, SaysWhatACutFileWas) {
  const std::string file = stand_in("sd1");
  fs::resize_file(folder() / file, fs::file_size(folder() / file) / 2);
  const nlohmann::json report = json({"inspect", file}, 1);
  EXPECT_EQ(report["verdict"], "damaged");
  EXPECT_EQ(report["architecture"], "sd1");
  EXPECT_EQ(report["contents"], "checkpoint");
  EXPECT_EQ(report["tensors"], nullptr);
  EXPECT_EQ(report["warnings"], nlohmann::json::array());
}

TEST_F(Inspect, PrintsNothingThatATerminalObeys) {
  std::string header =
      R"({"__metadata__":{"\u001b[2Jkey":"\u0007va\nlue\u009b31m\u202e"},)"
      R"("text_model.final_layer_norm.weight":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)"
      R"("text_model.\u001b]0;owned\u0007":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})";
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size() & 0xff);
  bytes[1] = static_cast<char>(header.size() >> 8);
  write("evil.safetensors", bytes + header);
  const Ended ended = sinter({"inspect", "evil.safetensors"});
  for (const char c : ended.out) EXPECT_TRUE(c == '\n' || (c >= ' ' && c < '\x7f')) << int{c};
  EXPECT_NE(ended.out.find("metadata        \\x1b[2Jkey = \\x07va\\nlue\\u009b31m\\u202e\n"),
            std::string::npos)
      << ended.out;
  const Ended refused = sinter({"convert", "evil.safetensors", "out"});
  EXPECT_EQ(refused.status, 3);
  for (const char c : refused.err) EXPECT_TRUE(c == '\n' || (c >= ' ' && c < '\x7f')) << int{c};
  EXPECT_EQ(json({"inspect", "evil.safetensors"})["metadata"]["\x1b[2Jkey"],
            "\x07va\nlue\xc2\x9b"
            "31m\xe2\x80\xae");
}

TEST_F(Inspect, SaysWhatAConvertedFolderIs) {
  const std::string file = stand_in("sd1");
  converted("sd1", "out");
  for (const char* path : {"out", "out/unet"}) {
    const nlohmann::json report = json({"inspect", path});
    expect_documented("inspect", report);
    EXPECT_EQ(report["verdict"], "ok");
    EXPECT_EQ(report["format"], "converted-folder");
    EXPECT_EQ(report["contents"], "converted");
    EXPECT_EQ(report["architecture"], "sd1");
    EXPECT_EQ(report["convertible"], false);
    EXPECT_EQ(report["tensors"], nullptr);
    EXPECT_EQ(report["converted"]["graphs"].size(), 4u);
    EXPECT_EQ(report["converted"]["graphs"][1]["compute"], "float32");
  }
  const std::string source = fs::canonical(folder() / file).string();
  const Ended text = sinter({"inspect", "out"});
  EXPECT_EQ(text.status, 0);
  EXPECT_NE(text.out.find("what            Stable Diffusion 1.x, converted\n"), std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("source          " + source), std::string::npos) << text.out;
  EXPECT_EQ(json({"inspect", "out/unet/model.onnx"}, 1)["format"], "onnx");
  expect_error(sinter({"convert", "out", "again"}), 2,
               "error: out is converted already\nhint: sinter generate, verify and bench take it "
               "as it is; to convert again, name " +
                   source + "\n");
}

TEST_F(Inspect, FindsAConvertedFolderDamagedWhoseCheckpointChanged) {
  converted("sd1", "out");
  fs::last_write_time(folder() / "sd1.safetensors",
                      fs::last_write_time(folder() / "sd1.safetensors") + std::chrono::hours(1));
  const nlohmann::json report = json({"inspect", "out"}, 1);
  EXPECT_EQ(report["verdict"], "damaged");
  EXPECT_NE(report["reason"].get<std::string>().find("which is not the file that was linked"),
            std::string::npos)
      << report;
  fs::remove(folder() / "out/unet/model.onnx");
  EXPECT_EQ(json({"inspect", "out"}, 1)["reason"], "There is no out/unet/model.onnx.");
}

TEST_F(Inspect, AMissingTensorIsNamedByBothItsNames) {
  write_keys("unet.safetensors",
             {{"model.diffusion_model.input_blocks.1.0.in_layers.2.weight", {32, 32, 3, 3}},
              {"model.diffusion_model.out.2.weight", {4, 32, 3, 3}},
              {"model.diffusion_model.time_embed.0.weight", {128, 32}}});
  expect_error(
      sinter({"convert", "unet.safetensors", "out"}), 3,
      "error: the checkpoint has no 'model.diffusion_model.input_blocks.0.0.weight' "
      "('conv_in.weight' in diffusers' names), expected [32,?,3,3]; 40 more tensors are missing\n"
      "  while building unet\n"
      "  while converting unet.safetensors as sd15\n"
      "hint: the file may be pruned or damaged; sinter inspect lists what is missing\n");
}

}  // namespace
}  // namespace sinter::cli
