// Sizes: whether the graph works at others than those of its export. Shapes are followed through
// the graph at several sizes of its inputs, which is how an engine would find out.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "sinter/check/rules.h"
#include "sinter/check/shape_run.h"
#include "sinter/check/trial_sizes.h"

namespace sinter::check {
namespace {

using Values = std::vector<std::int64_t>;

std::string spelled(const TrialSizes& sizes, const Values& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", sizes.free()[i].name, values[i]);
  }
  return text.empty() ? std::string("the sizes that it declares") : text;
}

// Sizes at which the graph may have been exported, the likeliest first.
std::vector<Values> starts(const TrialSizes& sizes) {
  std::vector<Values> result;
  for (const std::int64_t batch : {1, 2}) {
    for (const std::int64_t latent : {64, 128, 96, 32, 16, 8}) {
      Values values = sizes.usual();
      for (std::size_t i = 0; i < values.size(); ++i) {
        const FreeSize& size = sizes.free()[i];
        if (size.axis == Axis::kBatch) values[i] = batch;
        if (size.axis == Axis::kHeight || size.axis == Axis::kWidth) values[i] = latent * size.unit;
      }
      if (std::ranges::find(result, values) == result.end()) result.push_back(values);
    }
  }
  return result;
}

// Sizes at which no conflict is found, or nothing.
std::optional<Values> working(ShapeRun& run, const TrialSizes& sizes) {
  for (const Values& values : starts(sizes)) {
    if (!run.run(sizes.shapes(values))) return values;
  }
  return std::nullopt;
}

}  // namespace

void has_baked_sizes(const Subject& subject, Sink& sink) {
  const TrialSizes sizes(subject);
  if (!sizes.known()) return;
  ShapeRun run(subject);
  const std::optional<Values> start = working(run, sizes);
  if (!start) {
    const Values usual = starts(sizes).front();
    const std::optional<Conflict> conflict = run.run(sizes.shapes(usual));
    if (!conflict) return;
    sink.add(conflict->place, fmt::format("at {} it {}", spelled(sizes, usual), conflict->what),
             "the shapes in the graph do not fit together at any usual size; export it again, or "
             "convert the checkpoint with sinter");
    return;
  }
  for (std::size_t i = 0; i < sizes.free().size(); ++i) {
    if (sizes.free()[i].axis == Axis::kOther) continue;  // what it stands for is not known
    Values other = *start;
    other[i] *= 2;
    const std::optional<Conflict> conflict = run.run(sizes.shapes(other));
    if (!conflict) continue;
    sink.add(
        conflict->place,
        fmt::format("'{}' is said to be free and is {} in the graph: at {} {} it {}",
                    sizes.free()[i].name, (*start)[i], sizes.free()[i].name, other[i],
                    conflict->what),
        "export with dynamic shapes all through the network (no sizes as Python numbers), fix the "
        "size of the input, or convert the checkpoint with sinter");
  }
}

void has_size_steps(const Subject& subject, Sink& sink) {
  const TrialSizes sizes(subject);
  if (!sizes.known()) return;
  ShapeRun run(subject);
  const std::optional<Values> start = working(run, sizes);
  if (!start) return;
  for (std::size_t i = 0; i < sizes.free().size(); ++i) {
    const FreeSize& size = sizes.free()[i];
    if (size.axis != Axis::kHeight && size.axis != Axis::kWidth) continue;
    std::optional<Conflict> first;
    for (const std::int64_t step : {1, 2, 4, 8, 16, 32}) {
      Values other = *start;
      other[i] += step * size.unit;
      const std::optional<Conflict> conflict = run.run(sizes.shapes(other));
      if (conflict && !first) first = conflict;
      if (conflict) continue;
      if (first) {
        sink.add(first->place,
                 fmt::format("'{}' has to be a multiple of {}: at {} it {}", size.name,
                             step * size.unit, (*start)[i] + size.unit, first->what),
                 "draw only at such sizes, or resize to the size of the skip connection "
                 "(F.interpolate with size=), as the graphs of sinter do");
      }
      break;
    }
  }
}

}  // namespace sinter::check
