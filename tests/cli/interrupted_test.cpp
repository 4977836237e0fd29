// Conversions that do not come to their end: killed, on a full disk, past a file-size limit.
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <random>

#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

class Interrupted : public CommandTest {};

TEST_F(Interrupted, AKilledConversionLeavesNoFolderUnderTheName) {
  const std::vector<std::string> words{"convert", stand_in("sdxl-base"), "out", "--weights",
                                       "pack"};
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(sinter(words).status, 0);
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - start);
  fs::remove_all(folder() / "out");

  std::mt19937 random(7);  // moments spread over the run; which lines they hit differs every time
  std::int64_t longest = whole.count();
  int killed = 0;
  for (int i = 0; i < 20; ++i) {
    Invocation convert = command(words);
    convert.kill_after =
        std::chrono::microseconds(std::uniform_int_distribution<std::int64_t>(0, longest)(random));
    const Ended ended = run(convert);
    if (ended.signal == SIGKILL) {
      ++killed;
      EXPECT_FALSE(fs::exists(folder() / "out"))
          << "killed after " << convert.kill_after->count() << " us";
    } else {
      longest = longest * 3 / 4;  // the machine has become faster
    }
    fs::remove_all(folder() / "out");
  }
  EXPECT_GE(killed, 5) << "the moments were too late";

  EXPECT_EQ(sinter(words).status, 0);
  EXPECT_EQ(entries(), (std::vector<std::string>{"out", "sdxl-base.safetensors"}))
      << "what the killed ones left is swept up by the next";
}

TEST_F(Interrupted, AFileSizeLimitIsAClearErrorAndLeavesNothing) {
  Invocation convert = command({"convert", stand_in("sd1"), "out", "--weights", "pack"});
  convert.largest_file = 100'000;
  const Ended ended = run(convert);
  EXPECT_EQ(ended.status, 3);
  EXPECT_EQ(ended.out, "");
  EXPECT_TRUE(ended.err.starts_with("error: after ")) << ended.err;
  EXPECT_NE(ended.err.find("model.onnx.data: File too large\n"
                           "  while converting sd1.safetensors as sd15\n"
                           "hint: a file-size limit stopped the write; nothing was left under the "
                           "final name\n"),
            std::string::npos)
      << ended.err;
  EXPECT_EQ(entries(), std::vector<std::string>{"sd1.safetensors"});
}

/// A file system of its own in memory, gone with the object.
class SmallDisk {
 public:
  SmallDisk(fs::path path, const char* options) : path_(std::move(path)) {
    fs::create_directories(path_);
    if (::mount("tmpfs", path_.c_str(), "tmpfs", 0, options) != 0) problem_ = std::strerror(errno);
  }
  ~SmallDisk() {
    if (problem_.empty()) ::umount(path_.c_str());
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  const std::string& problem() const { return problem_; }

 private:
  fs::path path_;
  std::string problem_;
};

TEST_F(Interrupted, AFullDiskIsAClearErrorAndLeavesNothing) {
  const std::string file = stand_in("sd1");
  const SmallDisk disk(folder() / "disk", "size=256k");
  if (!disk.problem().empty())
    GTEST_SKIP() << "no small disk can be mounted here: " << disk.problem();
  const Ended ended = sinter({"convert", file, "disk/out", "--weights", "pack"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(std::ranges::count(ended.err, '\n'), 3) << ended.err;
  EXPECT_TRUE(ended.err.starts_with("error: after ")) << ended.err;
  EXPECT_NE(ended.err.find(": No space left on device\n"
                           "  while converting sd1.safetensors as sd15\n"
                           "hint: the disk is full; nothing was left under the final name\n"),
            std::string::npos)
      << ended.err;
  EXPECT_TRUE(fs::is_empty(folder() / "disk"));
}

TEST_F(Interrupted, AnotherDiskIsLinkedByPath) {
  const std::string file = stand_in("sd1");
  const SmallDisk disk(folder() / "disk", "size=16m");
  if (!disk.problem().empty())
    GTEST_SKIP() << "no small disk can be mounted here: " << disk.problem();
  const Ended ended = sinter({"convert", file, "disk/out"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(
      ended.err,
      "warning: the output is on another disk than the checkpoint, so its graphs point outside "
      "their folders: sinter runs them, other tools refuse that; --weights pack makes a folder "
      "for them\n");
  EXPECT_EQ(
      sinter({"verify", "disk/out/text_encoder/model.onnx", "--against", "onnxruntime"}).status, 0);
}

}  // namespace
}  // namespace sinter::cli
