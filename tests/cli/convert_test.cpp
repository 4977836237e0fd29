#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "sinter/base/file.h"
#include "sinter/base/hash.h"
#include "tests/cli/command_test.h"
#include "tools/synth/synth.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

class Convert : public CommandTest {};

/// A narrow folder of diffusers' layout under the name "model": text encoder and UNet.
class ConvertFolder : public CommandTest {
 protected:
  ConvertFolder() {
    component("text_encoder", "tiny-text-encoder", "model.safetensors");
    component("unet", "tiny-unet", "diffusion_pytorch_model.safetensors");
    write("model_index.json",
          R"({"text_encoder": ["transformers", "CLIPTextModel"], "unet": ["diffusers", "U"],
              "scheduler": ["diffusers", "PNDMScheduler"], "safety_checker": [null, null]})");
    // A vocabulary of its own, smaller than CLIP's.
    write("text_encoder/config.json",
          R"({"hidden_act": "quick_gelu", "num_attention_heads": 4, "vocab_size": 600})");
    for (const char* name : {"tokenizer.json", "tokenizer_config.json"})
      write(std::string("tokenizer/") + name, read_text(golden() / name));
  }
  static fs::path golden() { return fs::path(SINTER_TEST_DATA) / "pipeline/tokenizer_json/bang"; }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder() / "model" / name).parent_path());
    std::ofstream(folder() / "model" / name) << text;
  }
  std::string written(const std::string& name) const { return read_text(folder() / "out" / name); }

 private:
  void component(const std::string& name, const std::string& manifest, const std::string& file) {
    fs::create_directories(folder() / "model" / name);
    synth::write_stand_in(fs::path(SINTER_TEST_DATA) / "manifests/diffusers" / (manifest + ".json"),
                          folder() / "model" / name / file,
                          {.dtype = DType::kF16, .prefix = {}, .threads = 1, .progress = {}});
  }
};

TEST_F(ConvertFolder, KeepsItsSchedulerAndSaysWhatIsTakenForIt) {
  const std::string config =
      R"({"_class_name": "PNDMScheduler", "beta_end": 0.02, "skip_prk_steps": true})";
  write("scheduler/scheduler_config.json", config);
  const Ended ended = sinter({"convert", "model", "out"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.err,
            "warning: the checkpoint has no vae, so the folder has none\n"
            "warning: the folder's scheduler is PNDMScheduler, which sinter does not have: "
            "generate takes ddim unless --sampler says otherwise\n");
  EXPECT_EQ(written("scheduler/scheduler_config.json"), config);
  const Ended told = sinter({"convert", "model", "out", "--prediction", "v"});
  EXPECT_EQ(told.status, 0);
  EXPECT_EQ(written("scheduler/scheduler_config.json"),
            "{\n  \"prediction_type\": \"v_prediction\"," + config.substr(1));
}

TEST_F(ConvertFolder, WarnsOfASchedulerThatGenerateRefuses) {
  write("scheduler/scheduler_config.json",
        R"({"_class_name": "EulerDiscreteScheduler", "timestep_type": "continuous"})");
  const nlohmann::json report = json({"convert", "model", "out"});
  EXPECT_EQ(report["warnings"],
            nlohmann::json::array({"the checkpoint has no vae, so the folder has none",
                                   "generate will refuse this folder: the scheduler's "
                                   "'timestep_type' is \"continuous\", expected \"discrete\" "
                                   "(--sampler draws with another of the same betas: ddim, euler, "
                                   "euler-a, lcm, ...)"}));
}

TEST_F(ConvertFolder, RefusesAPredictionThatNoSamplerHas) {
  write("scheduler/scheduler_config.json",
        R"({"_class_name": "DDIMScheduler", "prediction_type": "sample"})");
  expect_error(sinter({"convert", "model", "out"}), 4,
               "error: the UNet predicts something that sinter does not have: "
               "scheduler/scheduler_config.json says 'sample', which is neither epsilon nor "
               "v-prediction\n"
               "  while converting model as sd15\n"
               "hint: --prediction epsilon or v converts it as that\n");
  EXPECT_EQ(sinter({"convert", "model", "out", "--prediction", "epsilon"}).status, 0);
  EXPECT_EQ(written("scheduler/scheduler_config.json"),
            R"({"_class_name": "DDIMScheduler", "prediction_type": "epsilon"})");
}

TEST_F(ConvertFolder, WithAVocabularyOfItsOwnHasToBringTheTokenizer) {
  fs::remove_all(folder() / "model/tokenizer");
  expect_error(sinter({"convert", "model", "out"}), 3,
               "error: the token table of text_encoder has 600 rows, its tokenizer 49408 ids\n"
               "  while converting model as sd15\n"
               "hint: the folder's tokenizer/vocab.json belongs to another text encoder, or is not "
               "there\n");
}

TEST_F(ConvertFolder, TakesItsTokenizerFromOneFile) {
  EXPECT_EQ(sinter({"convert", "model", "out"}).status, 0);
  EXPECT_EQ(nlohmann::json::parse(written("tokenizer/vocab.json")),
            nlohmann::json::parse(read_text(golden() / "tokenizer.json"))["model"]["vocab"]);
  EXPECT_EQ(nlohmann::json::parse(written("tokenizer/tokenizer_config.json"))["pad_token"], "!");
  write("tokenizer/tokenizer.json", R"({"model": {"type": "Unigram", "vocab": []}})");
  expect_error(sinter({"convert", "model", "other"}), 4,
               "error: tokenizer.json holds a Unigram tokenizer, expected CLIP's: BPE with '</w>' "
               "at a word's end\n"
               "  while reading the tokenizer in model/tokenizer\n"
               "  while converting model as sd15\n"
               "hint: this is not the tokenizer of a CLIP text encoder\n");
}

TEST_F(Convert, SaysWhatItWrote) {
  const Ended ended = sinter({"convert", stand_in("sd1"), "out"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.err, "");
  EXPECT_TRUE(ended.out.starts_with("sd1.safetensors: sd15 (")) << ended.out;
  for (const char* row :
       {"\n  text_encoder     float16 ", "\n  unet             float16 ",
        "\n  vae_decoder      float32 ", "\n  vae_encoder      float32 ", " linked\n"})
    EXPECT_NE(ended.out.find(row), std::string::npos) << row << "\n" << ended.out;
  EXPECT_NE(ended.out.find("\nout written in "), std::string::npos) << ended.out;
}

TEST_F(Convert, ReportsTheSameAsJson) {
  const nlohmann::json report =
      json({"convert", stand_in("sdxl-base"), "out", "--precision", "keep", "--weights", "pack"});
  expect_documented("convert", report);
  EXPECT_EQ(report["family"], "sdxl-base");
  ASSERT_EQ(report["graphs"].size(), 5u);
  EXPECT_EQ(report["graphs"][0]["folder"], "text_encoder");
  EXPECT_EQ(report["graphs"][0]["compute"], "float16");
  EXPECT_EQ(report["warnings"], nlohmann::json::array());
}

TEST_F(Convert, WarnsThatAPredictionIsAssumed) {
  const std::string file = stand_in("sd2");
  const Ended ended = sinter({"convert", file, "out"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_TRUE(ended.err.starts_with("warning: epsilon prediction is assumed: ")) << ended.err;
  const Ended told = sinter({"convert", file, "out", "--prediction", "v"});
  EXPECT_EQ(told.status, 0);
  EXPECT_EQ(told.err, "");
  const auto scheduler =
      nlohmann::json::parse(read_text(folder() / "out/scheduler/scheduler_config.json"));
  EXPECT_EQ(scheduler["prediction_type"], "v_prediction");
}

TEST_F(Convert, RefusesWhatItCannotWrite) {
  stand_in("sd1");
  fs::create_directories(folder() / "mine");
  std::ofstream(folder() / "mine/notes.txt") << "precious";
  std::ofstream(folder() / "file") << "precious";
  const std::string in = "sd1.safetensors";
  expect_error(sinter({"convert", in, "mine"}), 2,
               "error: mine exists and was not made by sinter\n"
               "hint: name a new folder, or remove it first\n");
  expect_error(sinter({"convert", in, "file"}), 2, "error: file exists and is not a folder\n");
  expect_error(sinter({"convert", in, "file/out"}), 3,
               "error: cannot create file/out: Not a directory\n"
               "  while converting sd1.safetensors as sd15\n");
  expect_error(sinter({"convert", in, "/proc/out"}), 3,
               "error: cannot create /proc/out: No such file or directory\n"
               "  while converting sd1.safetensors as sd15\n");
  EXPECT_EQ(read_text(folder() / "mine/notes.txt"), "precious");
  EXPECT_EQ(entries(), (std::vector<std::string>{"file", "mine", "sd1.safetensors"}));
}

TEST_F(Convert, NamesTheComponentsThereAre) {
  expect_error(sinter({"convert", stand_in("sd1"), "out", "--components", "unett"}), 2,
               "error: there is no component 'unett'; there are text_encoder, text_encoder_2, "
               "unet, vae, vae_decoder, vae_encoder, controlnet, controlnet_1, controlnet_2 and "
               "controlnet_3\n"
               "hint: did you mean 'unet'?\n");
  expect_error(sinter({"convert", "sd1.safetensors", "out", "--components", "text_encoder_2"}), 2,
               "error: the checkpoint gives no 'text_encoder_2'; it gives text_encoder, unet, "
               "vae_decoder, vae_encoder\n"
               "  while converting sd1.safetensors as sd15\n");
}

TEST_F(Convert, TakesComponentsTwiceAndWithSpaces) {
  const nlohmann::json report =
      json({"convert", stand_in("sd1"), "out", "--components", "unet, vae_decoder,unet"});
  EXPECT_EQ(report["warnings"], nlohmann::json::array());
  ASSERT_EQ(report["graphs"].size(), 2u);
  EXPECT_EQ(report["graphs"][0]["folder"], "unet");
  EXPECT_EQ(report["graphs"][1]["folder"], "vae_decoder");
}

TEST_F(Convert, KeepsWhatItDidNotWrite) {
  converted("sd1", "out");
  std::ofstream(folder() / "out/unet/notes.txt") << "precious";
  expect_error(sinter({"convert", "sd1.safetensors", "out"}), 2,
               "error: out holds 'unet/notes.txt', which sinter did not write and which would be "
               "deleted\n"
               "hint: move that elsewhere, name a new folder, or remove the old one first\n");
  EXPECT_EQ(read_text(folder() / "out/unet/notes.txt"), "precious");
  Invocation inside = command({"convert", "../sd1.safetensors", "."});
  inside.directory = folder() / "out";
  const Ended ended = run(inside);
  EXPECT_EQ(ended.status, 2);
  EXPECT_TRUE(ended.err.starts_with(
      "error: . is the current folder, or holds it, and would be replaced under it\n"))
      << ended.err;
  expect_error(sinter({"convert", "sd1.safetensors", ""}), 2,
               "error: the folder to write has no name\nhint: name a folder\n");
}

TEST_F(Convert, ExplainsASizeThatIsNone) {
  stand_in("sd1");
  expect_error(sinter({"convert", "sd1.safetensors", "out", "--static", "512x512"}), 2,
               "error: --static is '512x512', expected BATCHxHEIGHTxWIDTH in pixels, for example "
               "1x512x512\n");
  expect_error(sinter({"convert", "sd1.safetensors", "out", "--static", "1x100x64"}), 2,
               "error: the static size is 1x100x64, expected a batch of 1 to 256 and sides that "
               "are multiples of 8 pixels, at most 16384\n"
               "  while converting sd1.safetensors as sd15\n");
  EXPECT_EQ(entries(), std::vector<std::string>{"sd1.safetensors"});
}

TEST_F(Convert, RefusesDamagedFilesWithStatus3) {
  write_keys("half.safetensors", {{"a", {1000}}});
  fs::resize_file(folder() / "half.safetensors", 2000);
  std::ofstream(folder() / "page.safetensors") << "<!DOCTYPE html><html></html>";
  std::ofstream(folder() / "empty.safetensors");
  expect_error(sinter({"convert", "half.safetensors", "out"}), 3,
               "error: the file ends at byte 2000, expected 4072: 2072 bytes are missing\n"
               "  while reading half.safetensors as safetensors\n"
               "hint: it looks like a half download or a broken copy; fetch the file again\n");
  expect_error(sinter({"convert", "page.safetensors", "out"}), 3,
               "error: page.safetensors is a web page saved in place of the model (html), expected "
               "safetensors or a PyTorch file\n"
               "hint: the download needs a login or another address; open the page's link in a "
               "browser\n");
  EXPECT_EQ(sinter({"convert", "empty.safetensors", "out"}).status, 3);
  expect_error(sinter({"convert", "nothing", "out"}), 3,
               "error: cannot open nothing: No such file or directory\n");
}

TEST_F(Convert, NamesTheTensorThatAPrunedFileLacks) {
  write_keys("text.safetensors", {{"text_model.final_layer_norm.weight", {768}},
                                  {"text_model.embeddings.position_embedding.weight", {77, 768}}});
  const Ended ended = sinter({"convert", "text.safetensors", "out"});
  EXPECT_EQ(ended.status, 3) << ended.err;
  EXPECT_TRUE(ended.err.starts_with("error: the checkpoint has no 'text_model.")) << ended.err;
  EXPECT_NE(ended.err.find("\n  while building text_encoder\n"), std::string::npos) << ended.err;
}

TEST_F(Convert, AFolderThatLoopsIsTheSystemsWord) {
  stand_in("sd1");
  fs::create_symlink("loop", folder() / "loop");
  expect_error(sinter({"convert", "sd1.safetensors", "loop"}), 3,
               "error: cannot use loop: Too many levels of symbolic links\n");
  expect_error(sinter({"convert", "loop", "out"}), 3,
               "error: cannot open loop: Too many levels of symbolic links\n");
  expect_error(sinter({"generate", "loop", "-p", "x"}), 3,
               "error: cannot use loop/sinter.json: Too many levels of symbolic links\n");
  expect_error(sinter({"bench", "loop"}), 3,
               "error: cannot use loop: Too many levels of symbolic links\n");
  expect_error(sinter({"verify", "loop", "--bisect"}), 3,
               "error: cannot use loop: Too many levels of symbolic links\n");
}

// Every graph of the folder works for an engine, whatever the name and the locale.
TEST_F(Convert, TakesAnyFileName) {
  stand_in("sd1");
  const std::vector<std::string> names{"with space and 'quote'", "größe-模型",
                                       "b\xff"
                                       "d"};
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    fs::create_directories(folder() / name);
    const std::string file = name + "/" + name + ".safetensors";
    fs::copy_file(folder() / "sd1.safetensors", folder() / file);
    for (const char* locale : {"C", "C.UTF-8"}) {
      Invocation convert =
          command({"convert", file, name + "/out", "--components", "text_encoder"});
      convert.environment["LC_ALL"] = locale;
      EXPECT_EQ(run(convert).status, 0) << run(convert).err;
      Invocation verify = command({"verify", name + "/out", "--against", "onnxruntime"});
      verify.environment["LC_ALL"] = locale;
      const Ended verified = run(verify);
      EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
    }
  }
}

TEST_F(Convert, AChangedSourceIsNamedWithWhatChanged) {
  converted("sd1", "out");
  const fs::path file = folder() / "sd1.safetensors";
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(5));
  const Ended ended = sinter({"verify", "out", "--against", "onnxruntime"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_EQ(ended.out, "");
  EXPECT_TRUE(ended.err.starts_with(
      "error: out/text_encoder/model.onnx takes its weights from out/text_encoder/sd1.safetensors, "
      "which is not the file that was linked\n"
      "  linked from   " +
      fs::canonical(file).string() + "\n  bytes         "))
      << ended.err;
  EXPECT_NE(ended.err.find(fmt::format("\nhint: only the time differs: copy with cp -a, which "
                                       "keeps it, or convert again, with --weights pack for a "
                                       "folder to be copied: sinter convert '{}' '{}'\n",
                                       fs::canonical(file).string(),
                                       (fs::canonical(folder()) / "out").string())),
            std::string::npos)
      << ended.err;
  const Ended drawn = sinter({"generate", "out", "-p", "x", "-W", "64", "-H", "64"});
  EXPECT_EQ(drawn.status, 3) << drawn.err;
  EXPECT_NE(drawn.err.find("is not the file that was linked"), std::string::npos) << drawn.err;
}

TEST_F(Convert, ASourceOfAnotherSizeIsToBePutBack) {
  converted("sd1", "out");
  const fs::path link = folder() / "out/unet/sd1.safetensors";
  fs::remove(link);
  std::ofstream(link) << "something else";
  const Ended ended = sinter({"verify", "out", "--against", "onnxruntime"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_NE(ended.err.find("\nhint: put the old file back, or convert again: sinter convert '"),
            std::string::npos)
      << ended.err;
}

TEST_F(Convert, AFolderThatWasCopiedWithItsTimesGoesOnWorking) {
  converted("sd1", "out");
  fs::copy(folder() / "out", folder() / "copy", fs::copy_options::recursive);
  EXPECT_EQ(sinter({"verify", "copy/unet/model.onnx", "--against", "onnxruntime"}).status, 3);
  const fs::path link = "unet/sd1.safetensors";
  fs::last_write_time(folder() / "copy" / link, fs::last_write_time(folder() / "out" / link));
  EXPECT_EQ(sinter({"verify", "copy/unet/model.onnx", "--against", "onnxruntime"}).status, 0);
}

TEST_F(Convert, ADeletedLinkIsNamedWithItsSource) {
  converted("sd1", "out");
  fs::remove(folder() / "out/unet/sd1.safetensors");
  const Ended ended = sinter({"verify", "out", "--against", "onnxruntime"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_NE(ended.err.find("error: the weights of out/unet/model.onnx are in "
                           "'sd1.safetensors', and there is no out/unet/sd1.safetensors\n"
                           "  while reading out/unet/model.onnx\n"
                           "hint: the checkpoint was moved or deleted (it was "),
            std::string::npos)
      << ended.err;
}

}  // namespace
}  // namespace sinter::cli
