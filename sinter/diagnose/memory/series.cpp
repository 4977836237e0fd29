#include "sinter/diagnose/memory/series.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace sinter::diagnose::memory {
namespace {

constexpr double kWarmUp = 2;            // rounds in which workspaces and caches are made
constexpr std::size_t kMostPairs = 400;  // values between which slopes are taken
constexpr double kLeastRise = 48;        // MB; less is not worth a word

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double median_mb(const Points& points, std::size_t begin, std::size_t end) {
  std::vector<double> values;
  for (std::size_t i = begin; i < end; ++i) values.push_back(points[i].mb);
  return median(std::move(values));
}

/// How well a label suits: the end of a round is what stays held.
int suitability(const std::string& shape) {
  for (const char* word : {"after", "end", "done", "finish", "post", "complete", "idle"})
    if (has(shape, word)) return 3;
  if (stage_of(shape) != Stage::kUnknown) return 0;
  for (const char* word : {"before", "start", "begin", "pre"})
    if (has(shape, word)) return 1;
  return 2;
}

/// The device of which the most is held, if there are several.
int busiest_device(const std::vector<Sample>& samples) {
  std::map<int, double> most;
  for (const Sample& sample : samples) {
    const Figures& f = sample.figures;
    double& value = most[sample.device];
    value = std::max({value, f.allocated.value_or(0), f.used.value_or(0), f.reserved.value_or(0)});
  }
  const auto top = std::ranges::max_element(
      most, [](const auto& a, const auto& b) { return a.second < b.second; });
  return top == most.end() ? 0 : top->first;
}

std::vector<const Sample*> chosen(const Trace& trace) {
  const int device = busiest_device(trace.samples);
  std::map<std::string, std::vector<const Sample*>> groups;
  std::vector<const Sample*> all;
  for (const Sample& sample : trace.samples) {
    if (sample.device != device || sample.loading) continue;
    groups[shape_of(sample.label)].push_back(&sample);
    all.push_back(&sample);
  }
  const std::vector<const Sample*>* best = nullptr;
  std::pair<int, std::size_t> score{-1, 0};
  for (const auto& [shape, samples] : groups) {
    if (samples.size() < 3) continue;
    const std::pair own{suitability(shape), samples.size()};
    if (own <= score) continue;
    score = own;
    best = &samples;
  }
  // Labels that differ every time (file names) tell nothing.
  if (best == nullptr || best->size() * 6 < all.size()) return all;
  return *best;
}

bool increasing(const std::vector<double>& values) {
  return values.size() > 1 &&
         std::ranges::adjacent_find(values, std::greater_equal<>()) == values.end();
}

/// The rounds of the samples: a number of the label that rises, else the headings' numbers, else
/// none.
std::vector<double> rounds_of(const std::vector<const Sample*>& samples) {
  std::vector<std::vector<double>> numbers;
  std::size_t places = samples.empty() ? 0 : 8;
  for (const Sample* sample : samples) {
    numbers.push_back(numbers_in(sample->label));
    places = std::min(places, numbers.back().size());
  }
  for (std::size_t place = 0; place < places; ++place) {
    std::vector<double> rounds;
    for (const std::vector<double>& row : numbers) rounds.push_back(row[place]);
    if (increasing(rounds) && rounds.back() < 1e7) return rounds;
  }
  std::vector<double> rounds;
  for (const Sample* sample : samples)
    if (sample->round) rounds.push_back(*sample->round);
  if (rounds.size() == samples.size() && increasing(rounds)) return rounds;
  return {};
}

}  // namespace

Series series_of(const Trace& trace) {
  Series series;
  const std::vector<const Sample*> samples = chosen(trace);
  const std::vector<double> rounds = rounds_of(samples);
  series.by_round = !rounds.empty();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Figures& f = samples[i]->figures;
    const double round = series.by_round ? rounds[i] : static_cast<double>(i + 1);
    const auto add = [&](Points& points, const std::optional<double>& mb) {
      if (mb) points.push_back({round, *mb, samples[i]->line});
    };
    add(series.allocated, f.allocated);
    add(series.reserved, f.reserved);
    add(series.used, f.used);
    add(series.allocations, f.allocations);
    if (f.allocated && f.reserved) add(series.gap, *f.reserved - *f.allocated);
  }
  return series;
}

namespace {

/// The median of the slopes between all pairs, of at most kMostPairs values spread evenly.
double theil_sen(const Points& points) {
  const std::size_t step = points.size() / kMostPairs + 1;
  std::vector<double> slopes;
  for (std::size_t i = 0; i < points.size(); i += step)
    for (std::size_t j = i + step; j < points.size(); j += step)
      if (points[j].round > points[i].round)
        slopes.push_back((points[j].mb - points[i].mb) / (points[j].round - points[i].round));
  return median(std::move(slopes));
}

double least_squares(const Points& points) {
  double mean_round = 0;
  double mean_mb = 0;
  for (const Point& point : points) {
    mean_round += point.round / static_cast<double>(points.size());
    mean_mb += point.mb / static_cast<double>(points.size());
  }
  double product = 0;
  double square = 0;
  for (const Point& point : points) {
    product += (point.round - mean_round) * (point.mb - mean_mb);
    square += (point.round - mean_round) * (point.round - mean_round);
  }
  return square == 0 ? 0 : product / square;
}

double noise_around(const Points& points, double slope) {
  std::vector<double> rest;
  for (const Point& point : points) rest.push_back(point.mb - slope * point.round);
  const double middle = median(rest);
  for (double& value : rest) value = std::abs(value - middle);
  return 1.4826 * median(std::move(rest));
}

std::size_t flat_from(const Points& points, double noise) {
  const double level = median_mb(points, points.size() / 2, points.size());
  const double near = std::max({16.0, 4 * noise, 0.01 * level});
  std::size_t from = points.size();
  while (from > 0 && std::abs(points[from - 1].mb - level) <= near) --from;
  return from;
}

/// Points of the first rounds, if enough are left without them.
std::size_t warm_up(const Points& points) {
  std::size_t count = 0;
  while (count < points.size() && points[count].round - points.front().round < kWarmUp) ++count;
  return points.size() >= count + 3 ? count : 0;
}

}  // namespace

Trend trend_of(const Points& all) {
  Trend trend;
  const std::size_t skipped = warm_up(all);
  const Points points(all.begin() + static_cast<std::ptrdiff_t>(skipped), all.end());
  if (points.size() < 2) return trend;
  trend.slope = theil_sen(points);
  trend.least_squares = least_squares(points);
  trend.noise = noise_around(points, trend.slope);
  trend.flat_from = flat_from(all, trend.noise);
  double most = points.front().mb;
  for (const Point& point : points) {
    if (point.mb <= most + 0.005 * most) continue;
    ++trend.rises;
    most = point.mb;
  }
  if (points.size() < 3) return trend;
  const std::size_t third = points.size() / 3;
  const double first = median_mb(points, 0, third);
  const double middle = median_mb(points, third, points.size() - third);
  const double last = median_mb(points, points.size() - third, points.size());
  trend.rise = last - first;
  // Warm-up that takes long, or one larger model at half time, is a step: one of the two is flat.
  trend.steady = middle - first > 0.25 * trend.rise && last - middle > 0.25 * trend.rise;
  const double span = trend.slope * (points.back().round - points.front().round);
  trend.climbing = trend.steady && trend.rise > std::max(kLeastRise, 4 * trend.noise) &&
                   span > 0.5 * trend.rise && span > 0.01 * first;
  return trend;
}

}  // namespace sinter::diagnose::memory
