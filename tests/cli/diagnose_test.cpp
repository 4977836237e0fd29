#include <filesystem>
#include <fstream>

#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

class Diagnose : public CommandTest {
 protected:
  void write(const std::string& file, std::string_view text) const {
    std::ofstream(folder() / file, std::ios::binary) << text;
  }
};

constexpr char kFull[] =
    "Traceback (most recent call last):\n"
    "  File \"/app/run.py\", line 7, in main\n"
    "    image = vae.decode(latents).sample\n"
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 8.00 GiB "
    "total capacity; 4.00 GiB already allocated; 0 bytes free; 7.00 GiB reserved in total by "
    "PyTorch)\n";

TEST_F(Diagnose, SaysWhatWhereWhyAndWhatToDo) {
  write("a.log", kFull);
  const Ended ended = sinter({"diagnose", "a.log"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(
      ended.out,
      "vram: torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; "
      "8.00 GiB total capacity; 4.00 GiB already allocated; 0 bytes free; 7.00 GiB reserved in "
      "total by PyTorch)\n"
      "  where       vae\n"
      "  meaning     PyTorch has reserved enough memory but in pieces: what is reserved and unused "
      "is at least what was asked for, and no single piece is large enough.\n"
      "              Reserved and unused: 3.00 GiB; asked for: 2.00 GiB.\n"
      "  fixes       1. PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True (on Windows, and "
      "before PyTorch 2.1: max_split_size_mb:128)\n"
      "              2. restart the program between very different sizes\n"
      "              3. a smaller picture or batch\n"
      "  to confirm  torch.cuda.memory_summary(): reserved against allocated\n"
      "  evidence    2: File \"/app/run.py\", line 7, in main\n"
      "              3: image = vae.decode(latents).sample\n"
      "              4: torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 "
      "GiB "
      "(GPU 0; 8.00 GiB total capacity; 4.00 GiB already allocated; 0 bytes free; 7.00 GiB "
      "reserved "
      "in total by PyTorch)\n");
}

TEST_F(Diagnose, SpeaksChinese) {
  write("a.log", kFull);
  const std::string out = sinter({"diagnose", "a.log", "--lang", "zh"}).out;
  EXPECT_NE(out.find("  位置        vae\n"), std::string::npos) << out;
  EXPECT_NE(out.find("碎片化"), std::string::npos) << out;
}

TEST_F(Diagnose, ReportsTheSameAsJson) {
  fs::copy_file(fs::path(SINTER_SOURCE_DIR) / "examples/device-mismatch.log", folder() / "a.log");
  const nlohmann::json report = json({"diagnose", "a.log"}, 1);
  expect_documented("diagnose", report);
  ASSERT_EQ(report["faults"].size(), 1U);
  const nlohmann::json& fault = report["faults"][0];
  EXPECT_EQ(fault["domain"], "device-mismatch");
  EXPECT_EQ(fault["component"], "unet");
  EXPECT_EQ(fault["operator"], "addmm");
  EXPECT_EQ(fault["argument"], "mat1");
  EXPECT_EQ(fault["side"], "model");
  EXPECT_EQ(fault["evidence"][0]["line"], 1);
}

TEST_F(Diagnose, ASoundLogHasNoFault) {
  write("a.log", "steps: 100%|####| 10/10 [00:10<00:00,  1.00s/it, loss=0.08]\nsaved\n");
  const Ended ended = sinter({"diagnose", "a.log"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.out, "No fault found in 2 lines.\n");
  EXPECT_EQ(json({"diagnose", "a.log"})["faults"], nlohmann::json::array());
}

TEST_F(Diagnose, ListsIndependentFaultsInOrder) {
  write("a.log",
        "[ONNXRuntimeError] : 1 : FAIL : Failed to load library libonnxruntime_providers_cuda.so "
        "with "
        "error: libcublasLt.so.12: cannot open shared object file\n"
        "OSError: [Errno 28] No space left on device\n");
  EXPECT_NE(sinter({"diagnose", "a.log"}).out.find("\n1 more in this log; --all lists them.\n"),
            std::string::npos);
  const std::string all = sinter({"diagnose", "a.log", "--all"}).out;
  EXPECT_TRUE(all.starts_with("onnxruntime-provider: [ONNXRuntimeError] : 1 : FAIL")) << all;
  EXPECT_NE(all.find("\nfilesystem: OSError: [Errno 28] No space left on device\n"),
            std::string::npos)
      << all;
}

TEST_F(Diagnose, ReadsStandardInput) {
  Invocation shell = command({});
  shell.arguments = {"-c", "echo 'Killed' | '" + shell.program.string() + "' diagnose -"};
  shell.program = "/bin/sh";
  const Ended ended = run(shell);
  EXPECT_EQ(ended.status, 1);
  EXPECT_TRUE(ended.out.starts_with("vram: Killed\n")) << ended.out << ended.err;
}

TEST_F(Diagnose, RefusesWhatItCannotReadOrSpeak) {
  write("a.log", "x\n");
  EXPECT_EQ(sinter({"diagnose", "none.log"}).status, 3);
  expect_error(sinter({"diagnose", "a.log", "--lang", "zz"}), 2,
               "error: there is no language 'zz'; there are en and zh\nhint: did you mean 'zh'?\n");
}

}  // namespace
}  // namespace sinter::cli
