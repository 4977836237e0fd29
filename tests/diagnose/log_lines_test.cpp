#include <gtest/gtest.h>

#include "sinter/diagnose/log/decoder.h"
#include "sinter/diagnose/log/excerpt.h"
#include "sinter/diagnose/log/lines.h"
#include "sinter/diagnose/log/records.h"

namespace sinter::diagnose::log {
namespace {

std::vector<std::string> clean(std::string_view raw) {
  std::vector<Line> lines;
  append_lines(raw, 1, lines);
  std::vector<std::string> texts;
  for (Line& line : lines) texts.push_back(std::move(line.text));
  return texts;
}

using Texts = std::vector<std::string>;

TEST(LogLines, LoseColoursAndWhatIsLeftOfThem) {
  EXPECT_EQ(clean("\x1b[1;31mRuntimeError\x1b[0m: no"), Texts{"RuntimeError: no"});
  EXPECT_EQ(clean("[31mRuntimeError[0m: no"), Texts{"RuntimeError: no"});
  EXPECT_EQ(clean("\\u001b[31mRuntimeError: no\\u001b[0m"), Texts{"RuntimeError: no"});
  EXPECT_EQ(clean("tensor[0] + m[10]"), Texts{"tensor[0] + m[10]"});
}

TEST(LogLines, LoseProgressBars) {
  EXPECT_EQ(
      clean(" 10%|#   | 3/30 [00:01<00:10,  2.5it/s]\r100%|####| 30/30 [00:11<00:00,  2.6it/s]"),
      Texts{});
  EXPECT_EQ(clean("Steps:  17%|#  | 501/3000 [11:44<5:08:08,  7.40s/it, loss=0.1]Traceback (most "
                  "recent call last):"),
            Texts{"Traceback (most recent call last):"});
}

TEST(LogLines, LoseWhatLoggersPutBeforeThem) {
  const Texts message{"boom"};
  for (const char* raw :
       {"2024-05-01T10:00:00.123456789Z boom", "2024-05-01 10:00:00,123 - ERROR - boom",
        "[02/09/2023-08:26:09] [E] [TRT] boom", "[TensorRT] ERROR: boom",
        "Mar  2 08:00:01 box unit[911]: boom", "webui-1  | boom", "[rank3]: boom",
        "ERROR:root:boom", "10:11:12-345678 ERROR    boom",
        "05/01/2024 10:00:00 - ERROR - __main__ - boom",
        "2024-05-01 10:00:00.1 | ERROR    | app.module:run:12 - boom",
        "[2024-05-01 10:00:00,1] [ERROR] [engine.py:181:run] boom",
        "2024-08-22 10:38:52.67 [E:onnxruntime:, session.cc:19 Run] boom"}) {
    EXPECT_EQ(clean(raw), message) << raw;
  }
}

TEST(LogLines, KeepTheIndentationOfStacksBehindStamps) {
  EXPECT_EQ(clean("2022-12-12T15:10:06.21Z   File \"/a.py\", line 3, in f"),
            Texts{"  File \"/a.py\", line 3, in f"});
}

TEST(LogLines, LoseDrawnFrames) {
  EXPECT_EQ(clean("│ /a/b.py:98 in receive            │"), Texts{"/a/b.py:98 in receive"});
  EXPECT_EQ(clean("╭──── Traceback (most recent call last) ────╮"),
            Texts{"Traceback (most recent call last)"});
}

TEST(LogLines, AreSplitWhereAPasteLostNewlines) {
  const Texts lines = clean(
      "Traceback (most recent call last): File \"/a.py\", line 1, in <module> main() File "
      "\"/a.py\", "
      "line 2, in main f() ValueError: bad");
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(lines[1], "  File \"/a.py\", line 1, in <module>");
  EXPECT_EQ(lines[5], "ValueError: bad");
}

TEST(LogLines, AreSplitAtEscapedNewlines) {
  EXPECT_EQ(
      clean(
          R"({"error": "Traceback (most recent call last):\n  File \"/a.py\", line 1\nKeyError: 'x'"})")
          .size(),
      3U);
}

TEST(LogRecords, JoinWhatALoggerWrapped) {
  const std::vector<Record> records =
      read_records({{1, "10:11:12-345678 ERROR    Could not load: the first half"},
                    {2, "                         and the second."},
                    {3, "next"}});
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].text, "Could not load: the first half and the second.");
  EXPECT_EQ(records[0].last_line, 2U);
  EXPECT_EQ(records[0].level, Level::kError);
}

TEST(LogDecoder, ReadsWhatPowerShellWrites) {
  Decoder decoder;
  std::string text =
      decoder.decode(std::string_view("\xff\xfe"
                                      "E\0",
                                      4));
  text += decoder.decode(std::string_view("r\0\x2d", 3));
  text += decoder.decode(std::string_view("\x4e\n\0", 3));
  EXPECT_EQ(text, "Er\xe4\xb8\xad\n");
}

TEST(LogExcerpt, KeepsAShortLogWhole) {
  Excerpt excerpt;
  excerpt.add("one\ntw");
  excerpt.add("o\nthree");
  const std::vector<RawLine> lines = excerpt.finish();
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[1].text, "two");
  EXPECT_EQ(lines[2].number, 3U);
  EXPECT_EQ(excerpt.lines_read(), 3U);
}

std::string long_log() {
  std::string text;
  for (int i = 0; i < 200000; ++i) {
    text += "step " + std::to_string(i) + " of an uneventful run, nothing to see here\n";
    if (i == 120000) text += "RuntimeError: CUDA error: out of memory\n";
  }
  return text + "the last line\n";
}

TEST(LogExcerpt, KeepsTheNeighbourhoodOfTroubleInALongLog) {
  Excerpt excerpt;
  excerpt.add(long_log());
  const std::vector<RawLine> lines = excerpt.finish();
  EXPECT_LT(lines.size(), 120000U);
  bool found = false;
  for (const RawLine& line : lines) {
    if (line.text != "RuntimeError: CUDA error: out of memory") continue;
    EXPECT_EQ(line.number, 120002U);
    found = true;
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(lines.back().text, "the last line");
  EXPECT_EQ(lines.back().number, 200002U);
}

TEST(LogExcerpt, DoesNotDependOnHowTheTextIsCut) {
  const std::string text = long_log();
  Excerpt whole;
  whole.add(text);
  Excerpt pieces;
  for (std::size_t i = 0; i < text.size(); i += 77777)
    pieces.add(std::string_view(text).substr(i, 77777));
  const std::vector<RawLine> a = whole.finish();
  const std::vector<RawLine> b = pieces.finish();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].number, b[i].number);
    ASSERT_EQ(a[i].text, b[i].text);
  }
}

}  // namespace
}  // namespace sinter::diagnose::log
