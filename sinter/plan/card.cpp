#include "sinter/plan/card.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace sinter::plan {
namespace {

constexpr std::int64_t kStep = 64;
constexpr std::int64_t kLargestSide = 8192;

bool is_autoencoder(Part part) { return part == Part::kDecoder || part == Part::kEncoder; }

GraphSize as_drawn(const PlannedGraph& graph, GraphSize size, const Sizes& sizes,
                   const Ways& ways) {
  const bool denoises = graph.part() == Part::kUNet || graph.part() == Part::kControlNet;
  if (ways.one_row && denoises && sizes.guidance)
    size.rows = std::max<std::int64_t>(1, size.rows / 2);
  if (ways.tiled && is_autoencoder(graph.part())) {
    size.height = std::min(size.height, kTileSide);
    size.width = std::min(size.width, kTileSide);
  }
  return size;
}

Need need_of(const std::vector<PlannedGraph>& graphs, const Sizes& sizes, const Ways& ways,
             EngineSizes kind) {
  Need need;
  Sizes drawn = sizes;
  if (ways.one_picture) drawn.batch = {1, 1, 1};
  std::uint64_t weights = 0;
  for (const PlannedGraph& graph : graphs) {
    const GraphSize size = as_drawn(graph, greatest(graph.part(), drawn), sizes, ways);
    const Ledger ledger = graph.ledger(size, graph.fixed() ? EngineSizes::kOne : kind);
    const std::uint64_t running = ledger.activations + ledger.bindings;
    weights += graph.weight_bytes();
    if (running > need.activations) {
      need.activations = running;
      need.folder = graph.folder();
    }
    need.bytes = std::max(need.bytes, graph.weight_bytes() + running);
  }
  if (!ways.one_at_a_time) need.bytes = weights + need.activations;
  need.bytes += kContextBytes;
  return need;
}

/// Engines that reach up to a size of pictures, for the largest batch and the longest prompt.
Sizes up_to(const Sizes& sizes, const PictureSize& picture) {
  return {.batch = sizes.batch,
          .height = {picture.height, picture.height, picture.height},
          .width = {picture.width, picture.width, picture.width},
          .tokens = sizes.tokens,
          .guidance = sizes.guidance};
}

std::int64_t largest_step(const Sizes& sizes) {
  return kLargestSide / kStep * std::min(sizes.width.opt, sizes.height.opt) /
         std::max(sizes.width.opt, sizes.height.opt);
}

/// The picture whose shorter side has that many steps.
PictureSize picture_of(const Sizes& sizes, std::int64_t step) {
  const std::int64_t shorter = std::min(sizes.width.opt, sizes.height.opt);
  const auto side = [&](std::int64_t usual) {
    return std::max(kStep, (usual * step + shorter / 2) / shorter * kStep);
  };
  return {side(sizes.width.opt), side(sizes.height.opt)};
}

}  // namespace

Need need_at(const std::vector<PlannedGraph>& graphs, const Sizes& sizes,
             const PictureSize& picture, const Ways& ways) {
  return need_of(graphs, up_to(sizes, picture), ways, EngineSizes::kRange);
}

Need need_of_engines(const std::vector<PlannedGraph>& graphs, const Sizes& sizes, EngineSizes kind,
                     const Ways& ways) {
  return need_of(graphs, sizes, ways, kind);
}

Limit limit_of(const std::vector<PlannedGraph>& graphs, const Sizes& sizes, const Ways& ways,
               std::uint64_t memory_bytes) {
  std::int64_t fits = 0;
  std::int64_t fails = largest_step(sizes) + 1;
  Need failed;
  Need last;
  while (fails - fits > 1) {
    const std::int64_t middle = fits + (fails - fits) / 2;
    const Need need = need_at(graphs, sizes, picture_of(sizes, middle), ways);
    if (need.bytes <= memory_bytes) {
      fits = middle;
      last = need;
    } else {
      fails = middle;
      failed = need;
    }
  }
  Limit limit;
  if (fits > 0) limit.fits = picture_of(sizes, fits);
  if (fails <= largest_step(sizes)) limit.fails = picture_of(sizes, fails);
  limit.need = limit.fails ? failed : last;
  return limit;
}

namespace {

std::int64_t area(const Limit& limit) {
  return limit.fits ? limit.fits->width * limit.fits->height : 0;
}

struct WayRow {
  std::string_view name;
  std::string_view words;
  bool Ways::*way;
};

constexpr std::array kWays{
    WayRow{"one-at-a-time", "load each engine when its turn comes and free it before the next",
           &Ways::one_at_a_time},
    WayRow{"tiled", "decode in tiles of 512x512", &Ways::tiled},
    WayRow{"one-picture", "draw a batch picture by picture", &Ways::one_picture},
    WayRow{"one-row", "run guidance as two runs of one row", &Ways::one_row}};

std::vector<PlannedGraph> halved(const std::vector<PlannedGraph>& graphs, bool autoencoder) {
  std::vector<PlannedGraph> result;
  for (const PlannedGraph& graph : graphs) {
    const bool meant =
        is_autoencoder(graph.part()) == autoencoder && graph.compute() == DType::kF32;
    result.push_back(meant ? graph.in_half() : graph);
  }
  return result;
}

}  // namespace

std::vector<Remedy> remedies(const std::vector<PlannedGraph>& graphs, const Sizes& sizes,
                             std::uint64_t memory_bytes) {
  const std::int64_t planned = area(limit_of(graphs, sizes, {}, memory_bytes));
  std::vector<Remedy> result;
  Ways all;
  std::vector<PlannedGraph> best = graphs;
  const auto add = [&](std::string_view name, std::string_view words, Limit limit) {
    if (area(limit) <= planned) return false;
    result.push_back({std::string(name), std::string(words), std::move(limit)});
    return true;
  };
  for (const WayRow& row : kWays) {
    Ways ways;
    ways.*row.way = true;
    // Alone it may not help where another graph needs as much; together it still counts.
    all.*row.way = true;
    add(row.name, row.words, limit_of(graphs, sizes, ways, memory_bytes));
  }
  for (const bool autoencoder : {false, true}) {
    const std::vector<PlannedGraph> half = halved(graphs, autoencoder);
    const std::string_view name = autoencoder ? "half-vae" : "half";
    const std::string_view words =
        autoencoder ? "convert the autoencoder with --vae-precision fp16, where its range allows "
                      "that"
                    : "convert with --precision fp16";
    if (add(name, words, limit_of(half, sizes, {}, memory_bytes))) best = halved(best, autoencoder);
  }
  if (result.size() > 1)
    add("all", "all of these together", limit_of(best, sizes, all, memory_bytes));
  return result;
}

}  // namespace sinter::plan
