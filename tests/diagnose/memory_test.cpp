#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "sinter/diagnose/memory/figures.h"
#include "sinter/diagnose/memory/memory_log.h"
#include "sinter/diagnose/memory/trace_reader.h"

namespace sinter::diagnose::memory {
namespace {

Figures figures(std::string_view line) {
  std::string label;
  return figures_in(line, label);
}

Report report(std::string_view log) {
  TraceReader reader;
  reader.feed(log);
  return judge(reader.finish());
}

double number(const Report& report, std::string_view name) {
  const auto found = std::ranges::find(report.numbers, name, &Number::first);
  return found == report.numbers.end() ? -1 : found->second;
}

TEST(Figures, NamesStandBeforeOrBehindTheirNumbers) {
  EXPECT_EQ(figures("allocated=2.00GB reserved: 3 GiB").allocated, 2048);
  EXPECT_EQ(figures("allocated=2.00GB reserved: 3 GiB").reserved, 3072);
  EXPECT_EQ(figures("5,120.0 MiB allocated, 6000 MiB reserved").allocated, 5120);
  EXPECT_EQ(figures("5,120.0 MiB allocated, 6000 MiB reserved").reserved, 6000);
  EXPECT_EQ(figures("torch.cuda.max_memory_allocated(): 1073741824").peak, 1024);
  EXPECT_EQ(figures("VRAM 5.5/8.0 GB").used, 5632);
  EXPECT_EQ(figures(R"({"step": 3, "allocated_mb": 512.5})").allocated, 512.5);
}

TEST(Figures, OtherNumbersAreNoMemory) {
  EXPECT_FALSE(figures("cpu ram used: 9000 MB").sample());
  EXPECT_FALSE(figures("step 20/20  8.18it/s").sample());
  EXPECT_FALSE(figures("downloaded 3.4 GB at 20 MB/s").sample());
}

TEST(Figures, TheLabelIsWhatStandsBefore) {
  std::string label;
  figures_in("[after-12] allocated=2.1GB", label);
  EXPECT_EQ(label, "[after-12] ");
  EXPECT_EQ(shape_of(label), "[after-#]");
  EXPECT_EQ(numbers_in("09:14:24 image 12 at 512x768, 7.5"), std::vector<double>{12});
}

std::string rounds(int count, const std::function<double(int)>& mb) {
  std::string log;
  for (int k = 1; k <= count; ++k) log += fmt::format("round {}: allocated {:.1f} MB\n", k, mb(k));
  return log;
}

TEST(MemoryLog, ASteadyRiseIsALeak) {
  const Report found = report(rounds(20, [](int k) { return 2000.0 + 30 * k; }));
  EXPECT_EQ(found.kind, Kind::kLeak);
  EXPECT_NEAR(number(found, "slope_mb_per_round"), 30, 0.1);
  EXPECT_EQ(found.first_failing_round, std::nullopt);
}

TEST(MemoryLog, AFlatteningRiseOrOneStepIsNone) {
  EXPECT_EQ(report(rounds(30, [](int k) { return 2000 + 600.0 * k / (k + 2); })).kind,
            Kind::kHealthy);
  EXPECT_EQ(report(rounds(30, [](int k) { return k < 15 ? 2000.0 : 3100.0; })).kind,
            Kind::kHealthy);
}

TEST(MemoryLog, ASawIsNoLeak) {
  EXPECT_EQ(report(rounds(40, [](int k) { return 2000.0 + 80 * (k % 8); })).kind, Kind::kHealthy);
}

TEST(MemoryLog, OneBadReadingDoesNotChangeTheSlope) {
  const Report found = report(rounds(20, [](int k) { return k == 11 ? 90.0 : 2000.0 + 30 * k; }));
  EXPECT_EQ(found.kind, Kind::kLeak);
  EXPECT_NEAR(number(found, "slope_mb_per_round"), 30, 1);
}

TEST(MemoryLog, TheRoundThatFailsIsTheOneBehindTheLast) {
  const std::string refused =
      "RuntimeError: CUDA out of memory. Tried to allocate 512.00 MiB (GPU 0; 8.00 GiB total "
      "capacity; 7.10 "
      "GiB already allocated; 100.00 MiB free; 7.40 GiB reserved in total by PyTorch)\n";
  const Report found = report(rounds(12, [](int k) { return 3000.0 + 300 * k; }) + refused);
  EXPECT_EQ(found.kind, Kind::kLeak);
  EXPECT_EQ(found.first_failing_round, 13);
  EXPECT_EQ(number(found, "requested_mb"), 512);
  EXPECT_EQ(number(found, "total_mb"), 8192);
}

TEST(MemoryLog, UnusedReservedMemoryBeyondTheRequestIsFragmentation) {
  const Report found = report(
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 600.00 MiB. GPU 0 has a total "
      "capacity of "
      "12.00 GiB of which 200.00 MiB is free. Of the allocated memory 6.00 GiB is allocated by "
      "PyTorch, and "
      "5.20 GiB is reserved by PyTorch but unallocated.\n");
  EXPECT_EQ(found.kind, Kind::kFragmentation);
}

TEST(MemoryLog, OtherProgramsOnTheDeviceAreNamedFirst) {
  const Report found = report(
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 64.00 MiB. GPU 0 has a total "
      "capacity of "
      "23.65 GiB of which 20.00 MiB is free. Process 4711 has 19.20 GiB memory in use. Of the "
      "allocated memory "
      "4.00 GiB is allocated by PyTorch, and 20.00 MiB is reserved by PyTorch but unallocated.\n");
  EXPECT_EQ(found.kind, Kind::kFirstAllocationOom);
  EXPECT_EQ(number(found, "other_programs_mb"), 19660.8);
  EXPECT_NE(found.cause().english.find("other programs"), std::string_view::npos);
}

TEST(MemoryLog, TheBusiestDeviceIsJudged) {
  std::string log = "index, memory.used [MiB], memory.total [MiB]\n";
  for (int k = 0; k < 20; ++k)
    log += fmt::format("0, {} MiB, 8192 MiB\n1, {} MiB, 8192 MiB\n", 3, 2000 + 50 * k);
  EXPECT_EQ(report(log).kind, Kind::kLeak);
  EXPECT_NEAR(number(report(log), "slope_mb_per_round"), 50, 0.5);
}

TEST(MemoryLog, ColoursClocksAndServicePrefixesAreLookedThrough) {
  std::string log;
  for (int k = 1; k <= 12; ++k)
    log += fmt::format(
        "May 03 10:00:{:02} box python[4242]: \x1b[32mround {} done\x1b[0m allocated={}MiB\r\n", k,
        k, 1500 + 70 * k);
  const Report found = report(log);
  EXPECT_EQ(found.kind, Kind::kLeak);
  EXPECT_NEAR(number(found, "slope_mb_per_round"), 70, 0.5);
}

std::string lines(int count, const std::function<std::string(int)>& line) {
  std::string log;
  for (int k = 0; k < count; ++k) log += line(k) + "\n";
  return log;
}

TEST(MemoryLog, EveryFormOfNvidiaSmiIsRead) {
  const auto leaks = [](const std::string& log, double slope) {
    const Report found = report(log);
    EXPECT_EQ(found.facts().name, "leak") << log.substr(0, 120);
    EXPECT_NEAR(number(found, "slope_mb_per_round"), slope, 1) << log.substr(0, 120);
  };
  const auto rising = [](int k) { return 5000 + 40 * k; };
  // One column, with and without heading.
  leaks("memory.used [MiB]\n" + lines(30, [&](int k) { return fmt::format("{} MiB", rising(k)); }),
        40);
  leaks(lines(30, [&](int k) { return fmt::format("{}", rising(k)); }), 40);
  // What is free says what is used.
  leaks("index, memory.free [MiB], memory.total [MiB]\n" +
            lines(30, [&](int k) { return fmt::format("0, {} MiB, 12288 MiB", 9000 - 40 * k); }),
        40);
  // dmon: columns by their heading.
  leaks("# gpu   pwr     fb   bar1\n# Idx     W     MB     MB\n" +
            lines(30, [&](int k) { return fmt::format("    0   120   {}      9", rising(k)); }),
        40);
  // Two devices in turn, without a heading: only the second grows.
  leaks(lines(60,
              [&](int k) {
                return fmt::format("2026/06/01 10:00:{:02}.1, {}, {} MiB, 24576 MiB", k % 60, k % 2,
                                   k % 2 == 0 ? 4021 : rising(k / 2));
              }),
        40);
}

TEST(MemoryLog, ChineseCountersAreRead) {
  const Report found = report(lines(20, [](int k) {
    return fmt::format("第{}轮：已分配：{}MB，已保留：{}MB，峰值：{}MB", k, 2300 + 57 * k,
                       5000 + 57 * k, 4100 + 57 * k);
  }));
  EXPECT_EQ(found.facts().name, "leak");
  EXPECT_NEAR(number(found, "slope_mb_per_round"), 57, 0.5);
  EXPECT_FALSE(figures("主机内存占用 9000 MB").sample());
}

TEST(MemoryLog, TheModelThatFoundNoRoomIsTheNext) {
  const Report found = report(
      "Requested to load SDXL\nloaded completely 9489.2 4897.1 True\n"
      "Requested to load Refiner\nloaded partially 2206.0 2110.0 0\n"
      "models resident: SDXL 4897.1 MB\nAllocation on device 0 would exceed allowed memory.\n");
  ASSERT_EQ(found.next.size(), 1u);
  EXPECT_EQ(found.next[0].first, "Refiner");
}

TEST(MemoryLog, ModelsThatComeOneAfterAnotherAreNoRounds) {
  const Report found = report(
      "2026-03-01 10:00:01 INFO Loaded base-xl to cuda:0 (VRAM used: 6.5 GB)\n"
      "2026-03-01 10:00:09 INFO Loaded refiner-xl to cuda:0 (VRAM used: 12.5 GB)\n"
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 50.00 MiB.\n");
  EXPECT_EQ(found.kind, Kind::kSeveralModels);
  ASSERT_EQ(found.resident.size(), 2u);
  EXPECT_EQ(found.resident[1], Model("refiner-xl", 6144));
  EXPECT_EQ(number(found, "rounds"), 0);
  EXPECT_EQ(number(found, "slope_mb_per_round"), -1);
  const Report chinese = report(
      "已加载模型 base_xl 到显存，已分配显存 6 GB\n已加载模型 other_xl 到显存，已分配显存 12 GB\n"
      "CUDA out of memory loading model third_xl. Tried to allocate 2.5 GB\n");
  EXPECT_EQ(chinese.kind, Kind::kSeveralModels);
  EXPECT_EQ(chinese.stage, Stage::kLoad);
  ASSERT_EQ(chinese.next.size(), 1u);
  EXPECT_EQ(chinese.next[0].first, "third_xl");
}

TEST(MemoryLog, TheSameModelAgainAndAgainIsALeak) {
  std::string log;
  for (int k = 1; k <= 8; ++k)
    log += fmt::format("moved unet to cuda, memory allocated: {} MB\n", 2000 * k);
  const Report found = report(log + "CUDA out of memory. Tried to allocate 2.5 GiB\n");
  EXPECT_EQ(found.kind, Kind::kLeak);
  EXPECT_EQ(found.first_failing_round, 8);  // the first load was none
}

TEST(MemoryLog, PartsOfOnePipelineAreOneModel) {
  std::string log =
      "unet moved to cuda, 5.0 GB allocated\ntext_encoder moved to cuda, 6.4 GB allocated\n"
      "vae moved to cuda, 6.7 GB allocated\n";
  EXPECT_EQ(report(log + rounds(5, [](int) { return 6900.0; })).kind, Kind::kHealthy);
  EXPECT_EQ(report(log + "CUDA out of memory. Tried to allocate 2 GiB\n").kind,
            Kind::kFirstAllocationOom);
}

TEST(MemoryLog, WithoutFiguresNothingIsMeasured) {
  EXPECT_FALSE(report("ValueError: no such scheduler\n").measured);
  EXPECT_FALSE(report("").measured);
}

TEST(MemoryLog, EveryKindIsToldInBothLanguages) {
  for (const KindFacts& facts : kinds()) {
    EXPECT_NE(facts.meaning.english, facts.meaning.chinese);
    EXPECT_EQ(facts.cures.empty(), facts.kind == Kind::kHealthy) << facts.name;
  }
}

}  // namespace
}  // namespace sinter::diagnose::memory
