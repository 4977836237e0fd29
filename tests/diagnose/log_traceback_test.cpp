#include <gtest/gtest.h>

#include <sstream>

#include "sinter/diagnose/log/traceback.h"

namespace sinter::diagnose::log {
namespace {

std::vector<Exception> read(const std::string& text) {
  std::vector<RawLine> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back({lines.size() + 1, line});
  return read_tracebacks(read_records(lines));
}

TEST(Traceback, HasItsCallsWithTheirSource) {
  const std::vector<Exception> found = read(
      "Traceback (most recent call last):\n"
      "  File \"/a/run.py\", line 4, in main\n"
      "    image = draw(x,\n"
      "            ^^^^^^^^\n"
      "  File \"/a/draw.py\", line 9, in draw\n"
      "    return vae.decode(x)\n"
      "torch.cuda.OutOfMemoryError: CUDA out of memory.\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].type, "torch.cuda.OutOfMemoryError");
  EXPECT_EQ(found[0].message, "CUDA out of memory.");
  ASSERT_EQ(found[0].frames.size(), 2U);
  EXPECT_EQ(found[0].frames[1].function, "draw");
  EXPECT_EQ(found[0].frames[1].source, "    return vae.decode(x)");
}

TEST(Traceback, IsReadFromNotebooks) {
  const std::vector<Exception> found = read(
      "UnpicklingError                           Traceback (most recent call last)\n"
      "<ipython-input-13-c0f8> in <module>()\n"
      "      7 with open(URL) as fp:\n"
      "----> 8     net = pickle.load(fp)\n"
      "\n"
      "File /v/lib/site-packages/x.py:39, in interpolate(input, size)\n"
      "     38     pass\n"
      "---> 39     return f(input)\n"
      "\n"
      "UnpicklingError: invalid load key\n");
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(found[0].frames.size(), 2U);
  EXPECT_EQ(found[0].frames[0].source, "    net = pickle.load(fp)");
  EXPECT_EQ(found[0].frames[1].function, "interpolate");
}

TEST(Traceback, IsReadFromDrawnFrames) {
  const std::vector<Exception> found = read(
      "┌────── Traceback (most recent call last) ──────┐\n"
      "│ D:\\venv\\anyio\\memory.py:98 in receive          │\n"
      "│   97 │   try:                                   │\n"
      "│ ❱ 98 │     return self.receive_nowait()         │\n"
      "└───────────────────────────────────────────────┘\n"
      "WouldBlock\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].type, "WouldBlock");
  ASSERT_EQ(found[0].frames.size(), 1U);
  EXPECT_EQ(found[0].frames[0].function, "receive");
}

TEST(Traceback, LinksAChain) {
  const std::vector<Exception> found = read(
      "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    x\nKeyError: 'a'\n\n"
      "During handling of the above exception, another exception occurred:\n\n"
      "Traceback (most recent call last):\n  File \"a.py\", line 2, in f\n    y\nValueError: b\n\n"
      "The above exception was the direct cause of the following exception:\n\n"
      "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    z\nRuntimeError: "
      "c\n");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[1].link, Link::kDuringHandling);
  EXPECT_EQ(found[1].previous, 0);
  EXPECT_EQ(found[2].link, Link::kDirectCause);
  EXPECT_EQ(found[2].previous, 1);
  EXPECT_TRUE(is_control_flow(found[0].type));
  EXPECT_FALSE(is_control_flow(found[1].type));
}

TEST(Traceback, WithoutItsEndStillTellsWhere) {
  const std::vector<Exception> found = read(
      "Traceback (most recent call last):\n  File \"a.py\", line 1, in export\n    "
      "torch.onnx.export(\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].type, "");
  EXPECT_EQ(found[0].frames[0].source, "    torch.onnx.export(");
}

TEST(Traceback, IsReadFromReports) {
  const std::vector<Exception> found = read(
      "- **Exception Type:** torch.OutOfMemoryError\n- **Exception Message:** Allocation on "
      "device\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].type, "torch.OutOfMemoryError");
  EXPECT_EQ(found[0].message, "Allocation on device");
}

TEST(Traceback, ProseIsNone) {
  EXPECT_TRUE(read("Error: it did not work\nnote: nothing\nhttp://host: port\n").empty());
}

}  // namespace
}  // namespace sinter::diagnose::log
