#include "sinter/convert/output_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/convert/convert.h"
#include "tests/convert/stand_in.h"

namespace sinter::convert {
namespace {
namespace fs = std::filesystem;

class OutputFolder : public testing::Test {
 protected:
  ConvertReport run(const fs::path& checkpoint, const fs::path& out) {
    ConvertOptions options;
    options.tool_version = "test";
    return convert(checkpoint, out, options);
  }
  std::string refusal(const fs::path& checkpoint, const fs::path& out) {
    try {
      run(checkpoint, out);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
      return error.what();
    }
    return "it was written";
  }
  void write(const fs::path& path) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "mine";
  }

  TemporaryFolder folder_{std::string("output-") +
                          testing::UnitTest::GetInstance()->current_test_info()->name()};
  fs::path checkpoint_ = stand_in(folder_.path(), "tiny/sd1");
  fs::path out_ = folder_.path() / "out";
};

TEST_F(OutputFolder, OfAnEarlierConversionIsReplaced) {
  run(checkpoint_, out_);
  ConvertOptions packed;
  packed.weights = WeightStorage::kPack;
  packed.components = {"unet"};
  convert(checkpoint_, out_, packed);
  EXPECT_TRUE(fs::exists(out_ / "unet/model.onnx.data"));
  EXPECT_FALSE(fs::exists(out_ / "unet/sd1.safetensors"));
  EXPECT_FALSE(fs::exists(out_ / "text_encoder"));
}

TEST_F(OutputFolder, IsKeptWhereItHoldsAnythingElse) {
  run(checkpoint_, out_);
  for (const std::string name :
       {"unet/notes.txt", "scheduler/.hidden", "unet/model.onnx.bak", "z/a"}) {
    write(out_ / name);
    const std::string named = name == "z/a" ? "z" : name;
    EXPECT_EQ(refusal(checkpoint_, out_),
              fmt::format("{} holds '{}', which sinter did not write and which would be deleted\n"
                          "hint: move that elsewhere, name a new folder, or remove the old one "
                          "first",
                          out_.string(), named));
    EXPECT_EQ(read_text(out_ / name), "mine");
    fs::remove_all(out_ / named);
  }
  fs::create_directory(out_ / "unet/empty");
  EXPECT_NE(refusal(checkpoint_, out_).find("holds 'unet/empty'"), std::string::npos);
  fs::remove(out_ / "unet/empty");
  fs::create_directory_symlink(folder_.path(), out_ / "unet/elsewhere");
  EXPECT_NE(refusal(checkpoint_, out_).find("holds 'unet/elsewhere'"), std::string::npos);
  fs::remove(out_ / "unet/elsewhere");
  EXPECT_EQ(refusal(checkpoint_, out_), "it was written");
}

// The names that sinter writes are no proof: the record has to list them.
TEST_F(OutputFolder, IsKeptWhereItsRecordDoesNotListIt) {
  write(out_ / "unet/model.onnx");
  std::ofstream(out_ / "sinter.json") << R"({"sinter": "0.1.0", "graphs": {}, "files": []})";
  EXPECT_NE(refusal(checkpoint_, out_).find("holds 'unet'"), std::string::npos);
  std::ofstream(out_ / "sinter.json") << R"({"sinter": "0.1.0", "graphs": {}})";
  EXPECT_EQ(refusal(checkpoint_, out_), out_.string() +
                                            " exists and was not made by sinter\n"
                                            "hint: name a new folder, or remove it first");
  EXPECT_EQ(read_text(out_ / "unet/model.onnx"), "mine");
}

TEST_F(OutputFolder, IsKeptWhereItHoldsTheLastNameOfWeights) {
  const fs::path other = folder_.path() / "other.safetensors";
  fs::copy_file(checkpoint_, other);
  run(checkpoint_, out_);
  fs::remove(checkpoint_);
  EXPECT_EQ(refusal(other, out_),
            fmt::format("{} is the last name of a checkpoint and would be deleted\n"
                        "hint: {} is gone; move the file out of the folder, name a new folder, or "
                        "remove the old one first",
                        (out_ / "text_encoder/sd1.safetensors").string(), checkpoint_.string()));
  EXPECT_TRUE(fs::exists(out_ / "unet/sd1.safetensors"));
  // A newer checkpoint under the old name means that the old one was given up.
  fs::copy_file(other, checkpoint_);
  EXPECT_EQ(refusal(checkpoint_, out_), "it was written");
  // And one that was only moved is not lost.
  fs::rename(checkpoint_, folder_.path() / "moved.safetensors");
  EXPECT_EQ(refusal(other, out_), "it was written");
}

TEST_F(OutputFolder, BehindALinkIsReplacedAndTheLinkStays) {
  const fs::path behind = folder_.path() / "disk/behind";
  fs::create_directories(behind);
  fs::create_directory_symlink("disk/behind", out_);
  for (const fs::path& out : {out_, out_ / ""}) {
    run(checkpoint_, out);
    EXPECT_TRUE(fs::is_symlink(out_));
    EXPECT_TRUE(fs::exists(behind / "unet/model.onnx"));
  }
  write(behind / "unet/notes.txt");
  EXPECT_NE(refusal(checkpoint_, out_).find("holds 'unet/notes.txt'"), std::string::npos);

  fs::remove_all(behind);  // a link to nothing: the folder appears where it leads
  run(checkpoint_, out_);
  EXPECT_TRUE(fs::is_symlink(out_));
  EXPECT_TRUE(fs::exists(behind / "unet/model.onnx"));
}

class CurrentFolder {
 public:
  explicit CurrentFolder(const fs::path& path) : before_(fs::current_path()) {
    fs::current_path(path);
  }
  ~CurrentFolder() { fs::current_path(before_); }
  CurrentFolder(const CurrentFolder&) = delete;
  CurrentFolder& operator=(const CurrentFolder&) = delete;

 private:
  fs::path before_;
};

TEST_F(OutputFolder, ThatIsTheCurrentOneIsKept) {
  run(checkpoint_, out_);
  {
    const CurrentFolder current(out_);
    EXPECT_EQ(refusal(checkpoint_, "."),
              fmt::format(". is the current folder, or holds it, and would be replaced under it\n"
                          "hint: go to another folder first: cd '{}'",
                          fs::canonical(folder_.path()).string()));
    EXPECT_TRUE(fs::exists("unet/model.onnx"));
  }
  const CurrentFolder current(out_ / "unet");
  for (const fs::path& out : {fs::path(".."), out_})
    EXPECT_NE(refusal(checkpoint_, out).find("is the current folder, or holds it"),
              std::string::npos);
}

TEST_F(OutputFolder, WithoutANameIsAnError) {
  EXPECT_EQ(refusal(checkpoint_, ""), "the folder to write has no name\nhint: name a folder");
}

}  // namespace
}  // namespace sinter::convert
