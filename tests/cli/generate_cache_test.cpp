// The cache of conversions that `generate` makes from checkpoints.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "sinter/base/file.h"
#include "sinter/base/process.h"
#include "sinter/cli/model_cache.h"
#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

class GenerateCache : public CommandTest {
 protected:
  static std::vector<std::string> words(const std::string& out) {
    return {"generate", "sd1.safetensors", "-p", "a",        "-W",          "64", "-H",
            "64",       "--steps",         "1",  "--engine", "onnxruntime", "-o", out};
  }
  Ended draw(const std::string& out) const { return sinter(words(out)); }
  std::string bytes(const std::string& file) const { return read_text(folder() / file); }
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((folder() / file).parent_path());
    std::ofstream(folder() / file, std::ios::binary) << text;
  }

  /// The one conversion in the cache.
  fs::path conversion() const {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder() / "cache/sinter"))
      if (entry.is_directory()) return entry.path();
    return {};
  }
};

TEST_F(GenerateCache, IsRepairedWhereItIsNotAsItWasMade) {
  stand_in("sd1");
  ASSERT_EQ(draw("good.png").status, 0);
  const fs::path cached = conversion();
  const auto overwrite = [&](const char* file, const char* text) {
    std::ofstream(cached / file, std::ios::binary) << text;
  };
  const std::pair<std::function<void()>, std::string> damages[] = {
      {[&] { fs::remove(cached / "unet/model.onnx"); }, "unet/model.onnx is missing"},
      {[&] { fs::resize_file(cached / "unet/model.onnx", 9000); }, "unet/model.onnx was changed"},
      {[&] { overwrite("vae_decoder/model.onnx", ""); }, "vae_decoder/model.onnx was changed"},
      {[&] { overwrite("sinter.json", "{"); }, "sinter.json was changed"},
      {[&] { fs::remove(cached / "sinter.json"); }, "sinter.json is missing"},
      {[&] { overwrite("notes.txt", "mine"); }, "notes.txt does not belong there"},
      {[&] {
         // Another file under the name of the link: a plain write would go into the checkpoint.
         fs::remove(cached / "unet/sd1.safetensors");
         overwrite("unet/sd1.safetensors", "other");
       },
       "unet/sd1.safetensors was changed"},
  };
  for (const auto& [damage, what] : damages) {
    damage();
    const Ended ended = draw("again.png");
    EXPECT_EQ(ended.status, 0) << what << ": " << ended.err;
    EXPECT_TRUE(ended.err.starts_with(
        fmt::format("the conversion in {0} is damaged: {1}; converting again\n"
                    "converted sd1.safetensors into {0} (linked)\n",
                    cached.string(), what)))
        << ended.err;
    EXPECT_EQ(bytes("again.png"), bytes("good.png")) << what;
  }
  EXPECT_EQ(draw("last.png").err.find("convert"), std::string::npos) << "once";
}

TEST_F(GenerateCache, AConversionThatWasNotFinishedIsMadeAnew) {
  stand_in("sd1");
  ASSERT_EQ(draw("good.png").status, 0);
  fs::remove(conversion() += ".files");
  fs::remove_all(conversion() / "unet");
  const Ended ended = draw("again.png");
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_TRUE(ended.err.starts_with("converted sd1.safetensors into ")) << ended.err;
}

TEST_F(GenerateCache, EveryFileOfAFolderDecidesWhichConversionItIs) {
  write("pipe/model_index.json", R"({"unet": ["diffusers", "UNet2DConditionModel"]})");
  write("pipe/unet/config.json", "{}");
  write_keys("pipe/unet/diffusion_pytorch_model.safetensors", {{"conv_in.weight", {1}}});
  write("pipe/scheduler/scheduler_config.json", "{}");
  write("pipe/tokenizer/vocab.json", "{}");
  write("pipe/tokenizer/merges.txt", "");
  write("pipe/tokenizer/tokenizer_config.json", "{}");
  ::setenv("XDG_CACHE_HOME", (folder() / "cache").c_str(), 1);
  const ConversionOptions options;
  std::set<fs::path> seen{cache_folder(folder() / "pipe", options)};
  EXPECT_EQ(cache_folder(folder() / "pipe", options), *seen.begin()) << "nothing was changed";
  EXPECT_EQ(cache_folder(folder() / "pipe/", options), *seen.begin());
  for (const std::string file :
       {"model_index.json", "unet/config.json", "scheduler/scheduler_config.json",
        "tokenizer/vocab.json", "tokenizer/merges.txt", "tokenizer/tokenizer_config.json",
        "tokenizer/special_tokens_map.json", "tokenizer/tokenizer.json"}) {
    const fs::path path = folder() / "pipe" / file;
    const bool there = fs::exists(path);
    const std::string text = there ? read_text(path) : "{}";
    const auto time = there ? fs::last_write_time(path) : fs::file_time_type::clock::now();
    write("pipe/" + file, text + "\n");
    fs::last_write_time(path, time);  // the bytes count
    EXPECT_TRUE(seen.insert(cache_folder(folder() / "pipe", options)).second) << file;
  }
}

// As on a machine with several users, where a folder of a fixed name is anybody's.
TEST_F(GenerateCache, WithoutAHomeIsAFolderOfTheUsersOwn) {
  stand_in("sd1");
  const fs::path own = folder() / fmt::format("sinter-{}", user_id());
  Invocation homeless = command(words("a.png"));
  homeless.environment = {{"XDG_CACHE_HOME", ""}, {"HOME", ""}, {"TMPDIR", folder().string()}};
  ASSERT_EQ(run(homeless).status, 0);
  EXPECT_EQ(fs::status(own).permissions(), fs::perms::owner_all);
  EXPECT_EQ(run(homeless).err.find("converted"), std::string::npos) << "and is found again";

  const auto refused = [&](const std::string& what) {
    expect_error(
        run(homeless), 3,
        fmt::format("error: {} is {}, expected a folder of this user's alone\n"
                    "  while looking for a place for conversions (HOME and XDG_CACHE_HOME are not "
                    "set)\n"
                    "hint: XDG_CACHE_HOME names another place\n",
                    own.string(), what));
  };
  fs::permissions(own, fs::perms::owner_all | fs::perms::group_write);
  refused("open to other users");
  fs::permissions(own, fs::perms::owner_all);
  fs::rename(own, folder() / "elsewhere");
  fs::create_directory_symlink("elsewhere", own);
  refused("a symbolic link");
  fs::remove(own);
  write(own.filename().string(), "");
  refused("no folder");
}

TEST_F(GenerateCache, ARelativeCacheHomeIsIgnored) {
  stand_in("sd1");
  Invocation relative = command(words("a.png"));
  relative.environment = {{"XDG_CACHE_HOME", "cache"}, {"HOME", folder().string()}};
  const Ended ended = run(relative);
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(entries(), (std::vector<std::string>{".cache", "a.png", "sd1.safetensors"}));
}

}  // namespace
}  // namespace sinter::cli
