#include "sinter/diagnose/memory/memory_log.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "sinter/diagnose/memory/series.h"

namespace sinter::diagnose::memory {
namespace {

constexpr double kFragment = 384;  // MB that the allocator may keep without anyone minding

double rounded(double value) { return std::round(value * 10) / 10; }

bool contains(std::string_view name, std::string_view part) {
  return std::search(name.begin(), name.end(), part.begin(), part.end(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == b;
         }) != name.end();
}

/// Text encoders and VAEs are parts of one pipeline; networks that denoise are models of their own.
bool part_of_pipeline(std::string_view name) {
  for (const std::string_view part :
       {"clip", "t5", "text", "vae", "autoencoder", "taesd", "tokenizer", "lora", "embedding"})
    if (contains(name, part)) return true;
  return false;
}

/// Peaks of one stage over what is held between rounds.
struct StagePeaks {
  double decode = 0;
  double others = 0;
  double base = 0;
  std::size_t line = 0;
};

StagePeaks stage_peaks(const Trace& trace) {
  StagePeaks peaks;
  double least = 0;
  for (const Sample& sample : trace.samples) {
    const double held = sample.figures.allocated.value_or(sample.figures.used.value_or(0));
    if (held > 0) least = least == 0 ? held : std::min(least, held);
    if (!sample.figures.peak) continue;
    const Stage stage = stage_of(sample.label);
    if (stage == Stage::kDecode) {
      if (*sample.figures.peak > peaks.decode) peaks.line = sample.line;
      peaks.decode = std::max(peaks.decode, *sample.figures.peak);
    } else if (stage != Stage::kUnknown) {
      peaks.others = std::max(peaks.others, *sample.figures.peak);
    }
  }
  peaks.base = least;
  return peaks;
}

class Judge {
 public:
  explicit Judge(const Trace& trace)
      : trace_(trace),
        series_(series_of(trace)),
        held_(trend_of(series_.held())),
        gap_(trend_of(series_.gap)),
        peaks_(stage_peaks(trace)) {
    for (const Failure& failure : trace.failures)
      if (!failure.retried && refused_ == nullptr) refused_ = &failure;
  }

  Report report() {
    report_.measured = !trace_.samples.empty() || !trace_.failures.empty() || !trace_.loads.empty();
    report_.kind = kind();
    add_failures();
    add_series();
    add_peaks();
    add_models();
    add_lines();
    return std::move(report_);
  }

 private:
  Kind kind() const {
    // A few points tell of rounds only where they are numbered; else they may be loading.
    const std::size_t needed = series_.by_round ? 3 : 6;
    if (held_.climbing && series_.held().size() >= needed) return Kind::kLeak;
    if (fragmented()) return Kind::kFragmentation;
    if (refused_ != nullptr && refused_->stage != Stage::kDecode && several())
      return Kind::kSeveralModels;
    if (!trace_.failures.empty() && trace_.failures.front().retried) return Kind::kDecodeSpike;
    if (refused_ != nullptr && decode_refused()) return Kind::kDecodeSpike;
    if (refused_ != nullptr) return Kind::kFirstAllocationOom;
    if (several() && partial()) return Kind::kSeveralModels;
    if (decode_towers()) return Kind::kDecodeSpike;
    return Kind::kHealthy;
  }

  /// The allocator's unused share climbs in many steps while what is held does not; or an
  /// allocation was refused that the unused share would have covered.
  bool fragmented() const {
    const double total =
        trace_.total.value_or(series_.reserved.empty() ? 0 : series_.reserved.back().mb);
    const double needed = std::max(kFragment, 0.1 * total);
    // Of few numbered points every one has to rise; of many, four.
    const std::size_t least = series_.by_round ? 3 : 6;
    const auto rises = static_cast<int>(std::min<std::size_t>(4, series_.gap.size() - 1));
    if (series_.gap.size() >= least && gap_.rise > needed && gap_.rises >= rises &&
        gap_.rise > 4 * std::abs(held_.rise))
      return true;
    if (refused_ == nullptr || !refused_->figures.unallocated || !refused_->requested) return false;
    return *refused_->figures.unallocated > std::max(*refused_->requested, 0.08 * total) &&
           *refused_->figures.unallocated > kFragment;
  }

  bool decode_refused() const {
    if (refused_->stage == Stage::kDecode) return true;
    return refused_->stage == Stage::kUnknown && refused_->round > 1 && decode_towers();
  }

  /// Only decoding needs much more than everything else.
  bool decode_towers() const {
    if (peaks_.decode == 0 || peaks_.others == 0) return false;
    const double decode = peaks_.decode - peaks_.base;
    const bool near_limit = !trace_.total || peaks_.decode > 0.8 * *trace_.total;
    return decode > 1024 && decode > 2 * (peaks_.others - peaks_.base) && near_limit;
  }

  bool several() const {
    int own = 0;
    for (const Load& load : trace_.loads)
      if (!load.unloaded && !part_of_pipeline(load.name)) ++own;
    return own >= 2;
  }

  bool partial() const {
    return std::ranges::any_of(trace_.loads,
                               [](const Load& load) { return load.mb && !load.complete; });
  }

  void number(std::string_view name, double value) {
    report_.numbers.emplace_back(name, rounded(value));
  }

  /// The round behind the last that ended before it, where the log numbers them.
  double round_of(const Failure& failure) const {
    double round = failure.round;
    // What grows with the rounds, and a decoded latent, are not before the first.
    const bool grows = report_.kind == Kind::kLeak || report_.kind == Kind::kFragmentation;
    if (round == 0 && grows && !series_.by_round)
      return 1 + static_cast<double>(std::ranges::count_if(series_.held(), [&](const Point& point) {
               return point.line < failure.line;
             }));
    if (report_.kind == Kind::kDecodeSpike) round = std::max(round, 1.0);
    if (!series_.by_round || failure.headed) return round;
    for (const Point& point : series_.held())
      if (point.line < failure.line) round = point.round + 1;
    return round;
  }

  void add_failures() {
    double retries = 0;
    for (const Failure& failure : trace_.failures) {
      const double round = round_of(failure);
      if (!report_.first_failing_round || round < *report_.first_failing_round)
        report_.first_failing_round = round;
      if (report_.stage == Stage::kUnknown) report_.stage = failure.stage;
      if (failure.foreign) report_.foreign = failure.foreign;
      if (!failure.retried) continue;
      ++retries;
      report_.rounds_hit.push_back(round);
    }
    if (retries > 0) number("retries", retries);
    if (report_.kind == Kind::kFirstAllocationOom && report_.stage == Stage::kUnknown &&
        refused_ != nullptr && refused_->round == 0)
      report_.stage = Stage::kLoad;
    if (refused_ == nullptr) return;
    const Figures& f = refused_->figures;
    if (f.allocated) number("allocated_mb", *f.allocated);
    if (refused_->requested) number("requested_mb", *refused_->requested);
    if (f.unallocated) number("unallocated_mb", *f.unallocated);
    if (f.free) number("free_mb", *f.free);
    if (report_.foreign) number("other_programs_mb", *report_.foreign);
  }

  void add_series() {
    if (trace_.total) number("total_mb", *trace_.total);
    const Points& held = series_.held();
    // What was measured before the first round are no rounds.
    if (report_.kind == Kind::kFirstAllocationOom && report_.first_failing_round == 0) {
      number("rounds", 0);
      return;
    }
    number("rounds", report_.kind == Kind::kFirstAllocationOom && held.empty() ? 0
                     : held.size() >= 2 ? static_cast<double>(held.size())
                                        : trace_.rounds);
    if (held.size() < 2) return;
    number("slope_mb_per_round", held_.slope);
    const bool used = series_.allocated.empty() && !series_.used.empty();
    number(used ? "used_first_mb" : "allocated_first_mb", held.front().mb);
    number(used ? "used_last_mb" : "allocated_last_mb", held.back().mb);
    if (held.size() >= 4 && series_.by_round)
      number("rounds_between_samples",
             (held.back().round - held.front().round) / static_cast<double>(held.size() - 1));
    if (series_.gap.size() >= 2) {
      number("reserved_slope_mb_per_round", gap_.least_squares);
      number("gap_last_mb", series_.gap.back().mb);
    }
    if (series_.allocations.size() >= 2)
      number("allocations_per_round", trend_of(series_.allocations).slope);
    if (report_.kind == Kind::kHealthy && held_.flat_from < held.size()) {
      if (series_.by_round) number("flat_from_round", held[held_.flat_from].round);
      if (!series_.by_round) number("flat_from_sample", static_cast<double>(held_.flat_from + 1));
      number(used ? "used_flat_mb" : "allocated_flat_mb",
             held[held.size() - 1 - (held.size() - held_.flat_from) / 2].mb);
      number("rise_first_rounds_mb", held[held_.flat_from].mb - held.front().mb);
    }
  }

  void add_peaks() {
    if (peaks_.decode > 0) number("peak_over_base_mb", peaks_.decode - peaks_.base);
    if (peaks_.others > 0) number("peak_of_other_stages_mb", peaks_.others - peaks_.base);
  }

  void add_models() {
    for (const Load& load : trace_.loads) {
      if (load.unloaded) continue;
      // One that was announced and not confirmed is there if another was announced behind it.
      const bool last = &load == &trace_.loads.back();
      auto& list = load.complete || (!load.mb && !last) ? report_.resident : report_.next;
      list.emplace_back(load.name, load.mb ? std::optional(rounded(*load.mb)) : std::nullopt);
    }
  }

  void add_lines() {
    const bool rounds =
        report_.kind != Kind::kFirstAllocationOom || report_.first_failing_round != 0;
    for (const Failure& failure : trace_.failures) report_.lines.push_back(failure.line);
    const Points& held = series_.held();
    if (held.size() >= 2 && rounds) {
      report_.lines.push_back(held.front().line);
      report_.lines.push_back(held[held.size() / 2].line);
      report_.lines.push_back(held.back().line);
    }
    if (report_.kind == Kind::kDecodeSpike && peaks_.line > 0) report_.lines.push_back(peaks_.line);
    if (report_.kind == Kind::kSeveralModels)
      for (const Load& load : trace_.loads)
        if (!load.unloaded) report_.lines.push_back(load.line);
    std::ranges::sort(report_.lines);
    const auto repeated = std::ranges::unique(report_.lines);
    report_.lines.erase(repeated.begin(), repeated.end());
    if (report_.lines.size() > 12) report_.lines.resize(12);
  }

  const Trace& trace_;
  Series series_;
  Trend held_;
  Trend gap_;
  StagePeaks peaks_;
  const Failure* refused_ = nullptr;  // the first that was not made good
  Report report_;
};

}  // namespace

const KindFacts& Report::facts() const {
  return *std::ranges::find(kinds(), kind, &KindFacts::kind);
}

namespace {

constexpr Text kOthersHold{
    "other programs hold much of this GPU's memory; what is left does not suffice",
    "其他程序占用了这块 GPU 的大量显存，剩下的不够用"};
constexpr Text kEndOthers{
    "end the programs that hold it: nvidia-smi lists them with their memory (a crashed run may "
    "still be there)",
    "结束占用显存的程序：nvidia-smi 会列出它们及其显存（崩溃的进程可能还在）"};

bool crowded(const Report& report) {
  if (!report.foreign || report.kind == Kind::kLeak) return false;
  const auto total =
      std::ranges::find(report.numbers, std::string_view("total_mb"), &Number::first);
  return *report.foreign > 2048 ||
         (total != report.numbers.end() && *report.foreign > 0.25 * total->second);
}

}  // namespace

Text Report::cause() const { return crowded(*this) ? kOthersHold : facts().cause; }

std::vector<Text> Report::cures() const {
  std::vector<Text> cures = facts().cures;
  if (crowded(*this)) cures.insert(cures.begin(), kEndOthers);
  return cures;
}

Report judge(const Trace& trace) { return Judge(trace).report(); }

}  // namespace sinter::diagnose::memory
