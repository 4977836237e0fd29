// Logs as they come: in other encodings, cut, binary, or of one line.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "sinter/diagnose/log/diagnosis.h"

namespace sinter::diagnose::log {
namespace {

const std::string kLog =
    "Traceback (most recent call last):\n"
    "  File \"/a/draw.py\", line 4, in main\n"
    "    picture = vae.decode(latents)\n"
    "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string utf16(const std::string& text, bool little, bool mark) {
  std::string wide = !mark ? "" : little ? "\xff\xfe" : "\xfe\xff";
  for (const char c : text) wide += little ? std::string{c, '\0'} : std::string{'\0', c};
  return wide;
}

void expect_memory_of_vae(const std::string& text) {
  const Diagnosis diagnosis = diagnose_log(text);
  ASSERT_EQ(diagnosis.faults.size(), 1U);
  EXPECT_EQ(diagnosis.faults[0].domain, Domain::kVram);
  EXPECT_EQ(diagnosis.faults[0].component, "vae");
  EXPECT_EQ(diagnosis.faults[0].root_exception,
            "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB");
}

TEST(HostileLog, IsReadInEveryEncodingOfAShell) {
  const std::string windows = replaced(kLog, "\n", "\r\n");
  expect_memory_of_vae(windows);
  expect_memory_of_vae("\xef\xbb\xbf" + kLog);
  expect_memory_of_vae(utf16(windows, true, true));
  expect_memory_of_vae(utf16(windows, false, true));
  expect_memory_of_vae(utf16(windows, true, false));
  expect_memory_of_vae("\xb4\xed\xce\xf3: \xd5\xd2\xb2\xbb\xb5\xbd\n" + kLog);  // GBK
}

TEST(HostileLog, MayHoldBytesThatAreNoText) {
  std::string nul = kLog + std::string(100, '\0');
  nul.insert(0, 3, '\0');
  expect_memory_of_vae(nul);
  expect_memory_of_vae(replaced(kLog, "CUDA", "\x1b[1mCUDA\x1b[0m"));
  std::string noise;
  unsigned state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 1664525U + 1013904223U;
    noise += static_cast<char>(state >> 24U);
  }
  EXPECT_TRUE(diagnose_log(noise).faults.empty());
  EXPECT_TRUE(diagnose_log("").faults.empty());
  EXPECT_TRUE(diagnose_log("\n\n\n").faults.empty());
}

TEST(HostileLog, MayEndWithinItsStack) {
  const Diagnosis diagnosis = diagnose_log(kLog.substr(0, kLog.find("RuntimeError")));
  ASSERT_EQ(diagnosis.faults.size(), 1U);
  EXPECT_EQ(diagnosis.faults[0].cause, "code-cut");
  EXPECT_EQ(diagnosis.faults[0].component, "vae");
  EXPECT_EQ(diagnosis.faults[0].root_exception, "File \"/a/draw.py\", line 4, in main");
  for (std::size_t size = 0; size < kLog.size(); ++size) diagnose_log(kLog.substr(0, size));
}

TEST(HostileLog, TellsSeveralFaultsInTheirOrder) {
  const Diagnosis diagnosis = diagnose_log(
      kLog + "INFO next picture\nOSError: [Errno 28] No space left on device: 'a.png'\n");
  ASSERT_EQ(diagnosis.faults.size(), 2U);
  EXPECT_EQ(diagnosis.faults[0].domain, Domain::kVram);
  EXPECT_EQ(diagnosis.faults[1].domain, Domain::kFilesystem);
}

TEST(HostileLog, TakesTimeThatGrowsWithItsLengthAlone) {
  std::string line;
  for (int i = 0; i < 200000; ++i) line += "error: (1, 2) File [x] ";
  std::string lines;
  for (int i = 0; i < 20000; ++i)
    lines += "RuntimeError: CUDA error: device-side assert triggered\n";
  std::string frames = "Traceback (most recent call last):\n";
  for (int i = 0; i < 20000; ++i) frames += "  File \"/a/b.py\", line 7, in f\n    f(x)\n";
  const auto begin = std::chrono::steady_clock::now();
  expect_memory_of_vae(line + "\n" + kLog);
  EXPECT_EQ(diagnose_log(lines).faults.size(), 1U);
  EXPECT_EQ(
      diagnose_log(frames + "RecursionError: maximum recursion depth exceeded\n").faults.size(),
      1U);
  // A second or two, with checks and without optimisation; quadratic, it would be minutes.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

}  // namespace
}  // namespace sinter::diagnose::log
