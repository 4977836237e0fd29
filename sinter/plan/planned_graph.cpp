#include "sinter/plan/planned_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/base/message.h"

namespace sinter::plan {
namespace fs = std::filesystem;
using graph::ValueDeclaration;

namespace {

// Engines built from our graphs carried 8 to 12 KB of code a node.
constexpr std::uint64_t kCodeBytesPerNode = 10'000;

struct PartRow {
  Part part;
  std::string_view name;
};

constexpr std::array kParts{PartRow{Part::kTextEncoder, "text encoder"},
                            PartRow{Part::kUNet, "UNet"}, PartRow{Part::kControlNet, "ControlNet"},
                            PartRow{Part::kDecoder, "VAE decoder"},
                            PartRow{Part::kEncoder, "VAE encoder"}};

bool is_picture(const ValueDeclaration& value) { return value.ranked && value.shape.size() == 4; }

const ValueDeclaration* first_picture(const std::vector<ValueDeclaration>& values) {
  const auto found = std::ranges::find_if(values, is_picture);
  return found == values.end() ? nullptr : &*found;
}

/// The extent of an axis where every symbol of the graph is `number`.
std::int64_t extent_with(const ValueDeclaration& value, std::size_t axis, std::int64_t number,
                         const std::vector<ValueDeclaration>& inputs) {
  if (value.shape[axis] >= 0) return value.shape[axis];
  graph::Symbols symbols;
  for (const ValueDeclaration& input : inputs) {
    for (const std::string& symbol : input.symbols) {
      if (!symbol.empty() && symbol.find_first_of("*/") == std::string::npos)
        symbols.emplace(symbol, number);
    }
  }
  return graph::evaluate_extent(value.symbols[axis], symbols).value_or(-1);
}

// Divides by every factor of an autoencoder.
constexpr std::int64_t kTestExtent = 4096;

std::optional<Part> part_of(const graph::OnnxModel& model) {
  const std::vector<ValueDeclaration> inputs = model.inputs();
  const std::vector<ValueDeclaration> outputs = model.outputs();
  const ValueDeclaration* picture = first_picture(inputs);
  if (picture == nullptr) {
    const bool ids = std::ranges::any_of(
        inputs, [](const ValueDeclaration& input) { return !is_floating(input.dtype); });
    return ids ? std::optional(Part::kTextEncoder) : std::nullopt;
  }
  const ValueDeclaration* out = first_picture(outputs);
  if (out == nullptr) return std::nullopt;
  if (inputs.size() == 1) {
    const std::int64_t from = extent_with(*picture, 2, kTestExtent, inputs);
    const std::int64_t to = extent_with(*out, 2, kTestExtent, inputs);
    if (to > from) return Part::kDecoder;
    if (to > 0 && to < from) return Part::kEncoder;
    return std::nullopt;
  }
  return outputs.size() > 1 ? Part::kControlNet : Part::kUNet;
}

/// Pixels in a unit of the graph's own height: what its other pictures say, else the eight of
/// Stable Diffusion.
std::int64_t factor_of(Part part, const graph::OnnxModel& model) {
  if (part == Part::kTextEncoder) return 1;
  const std::vector<ValueDeclaration> inputs = model.inputs();
  std::vector<ValueDeclaration> pictures = inputs;
  if (part == Part::kDecoder || part == Part::kEncoder) pictures = model.outputs();
  const std::int64_t own = extent_with(*first_picture(inputs), 2, kTestExtent, inputs);
  std::int64_t factor = 8;
  for (const ValueDeclaration& value : pictures) {
    if (!is_picture(value)) continue;
    const std::int64_t other = extent_with(value, 2, kTestExtent, inputs);
    if (part == Part::kEncoder && other > 0 && own % other == 0) return own / other;
    if (other > own && own > 0 && other % own == 0) factor = other / own;
  }
  return factor;
}

}  // namespace

std::string_view part_name(Part part) {
  return std::ranges::find(kParts, part, &PartRow::part)->name;
}

PlannedGraph::PlannedGraph(const graph::OnnxModel& model, Part part, Norms norms)
    : model_(model.path()),
      folder_(fs::absolute(model.path()).lexically_normal().parent_path().filename().string()),
      part_(part),
      compute_(model.compute_dtype()),
      inputs_(model.inputs()),
      factor_(factor_of(part, model)),
      norms_(norms),
      memory_(read_network(model), norms) {
  find_roles(part);
}

PlannedGraph PlannedGraph::load(const fs::path& path, Norms norms) {
  const graph::OnnxModel model = graph::OnnxModel::load(path);
  const std::optional<Part> part = part_of(model);
  if (!part) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{} is no text encoder, UNet, ControlNet or autoencoder by its inputs "
                            "and outputs",
                            path.string()));
  }
  try {
    return PlannedGraph(model, *part, norms);
  } catch (Error& error) {
    error.add_context(fmt::format("planning {}", path.string()));
    throw;
  }
}

/// A symbol means what its axis means; those of inputs behind the first picture are expressions
/// over the same symbols.
void PlannedGraph::find_roles(Part part) {
  bool picture = true;
  for (const ValueDeclaration& input : inputs_) {
    const bool first = picture && is_picture(input);
    if (is_picture(input)) picture = false;
    for (std::size_t axis = 0; axis < input.shape.size(); ++axis) {
      const std::string& symbol = input.symbols[axis];
      if (input.shape[axis] >= 0 || roles_.contains(symbol)) continue;
      if (symbol.find_first_of("*/") != std::string::npos) continue;
      const bool tokens = axis == 1 && (input.shape.size() == 3 || part == Part::kTextEncoder);
      if (!symbol.empty() && axis == 0) {
        roles_.emplace(symbol, Role::kRows);
      } else if (!symbol.empty() && first && axis == 2) {
        roles_.emplace(symbol, Role::kHeight);
      } else if (!symbol.empty() && first && axis == 3) {
        roles_.emplace(symbol, Role::kWidth);
      } else if (!symbol.empty() && tokens) {
        roles_.emplace(symbol, Role::kTokens);
      } else {
        throw Error(ErrorCode::kUnsupported,
                    fmt::format("axis {} of the input '{}' is free ('{}'), and what it counts is "
                                "not known",
                                axis, shown(input.name), shown(symbol)),
                    "planning knows rows, height and width, and tokens");
      }
    }
  }
}

bool PlannedGraph::fixed() const { return std::ranges::none_of(inputs_, is_dynamic); }

bool PlannedGraph::multiplies_float32() const {
  const Network& network = memory_.network();
  return std::ranges::any_of(network.nodes, [&](const NetworkNode& node) {
    return (node.op == "MatMul" || node.op == "Gemm") && !node.writes.empty() &&
           network.values[node.writes.front()].type.dtype == DType::kF32;
  });
}

std::uint64_t PlannedGraph::disk_bytes() const {
  return weight_bytes() + kCodeBytesPerNode * memory_.network().nodes.size();
}

std::int64_t PlannedGraph::extent(Role role, const GraphSize& size) const {
  const std::int64_t unit = part_ == Part::kEncoder ? 1 : factor_;
  switch (role) {
    case Role::kRows:
      return size.rows;
    case Role::kHeight:
      return size.height / unit;
    case Role::kWidth:
      return size.width / unit;
    case Role::kTokens:
      return size.tokens;
  }
  return 1;
}

graph::Symbols PlannedGraph::symbols(const GraphSize& size) const {
  graph::Symbols symbols;
  for (const auto& [symbol, role] : roles_) symbols.emplace(symbol, extent(role, size));
  return symbols;
}

Profile PlannedGraph::profile(const GraphSize& min, const GraphSize& opt,
                              const GraphSize& max) const {
  const std::array<graph::Symbols, 3> at{symbols(min), symbols(opt), symbols(max)};
  Profile profile;
  for (const ValueDeclaration& input : inputs_) {
    if (!is_dynamic(input)) continue;
    std::array<Shape, 3> shapes;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const std::optional<Shape> shape = graph::evaluate_shape(input, at[i]);
      if (!shape) {
        throw Error(ErrorCode::kUnsupported,
                    fmt::format("{}: the extents of the input '{}' do not follow from the size",
                                folder_, shown(input.name)));
      }
      shapes[i] = *shape;
    }
    profile.inputs.push_back({input.name, shapes[0], shapes[1], shapes[2]});
  }
  return profile;
}

PlannedGraph PlannedGraph::in_half() const {
  PlannedGraph half = *this;
  half.memory_ = MemoryModel(plan::in_half(memory_.network()), norms_);
  half.compute_ = DType::kF16;
  return half;
}

std::vector<PlannedGraph> load_graphs(const std::vector<fs::path>& models, Norms norms) {
  std::vector<PlannedGraph> graphs;
  for (const fs::path& model : models) graphs.push_back(PlannedGraph::load(model, norms));
  std::ranges::stable_sort(graphs, [](const PlannedGraph& a, const PlannedGraph& b) {
    return std::pair(a.part(), a.folder()) < std::pair(b.part(), b.folder());
  });
  return graphs;
}

namespace {

enum class End { kMin, kOpt, kMax };

std::int64_t at(const Range& range, End end) {
  return end == End::kMin ? range.min : end == End::kOpt ? range.opt : range.max;
}

GraphSize size_of(Part part, const Sizes& sizes, End end) {
  GraphSize size{.rows = at(sizes.batch, end),
                 .height = at(sizes.height, end),
                 .width = at(sizes.width, end),
                 .tokens = at(sizes.tokens, end)};
  if (part == Part::kDecoder || part == Part::kEncoder) return size;
  // Guidance runs a row for the prompt and one for its negative; a run without it, or in two
  // halves, takes one.
  if (sizes.guidance && end != End::kMin) size.rows *= 2;
  // A long prompt is several windows, which the text encoder reads as rows.
  if (part == Part::kTextEncoder) {
    constexpr std::int64_t kWindow = 77;
    size.rows *= std::max<std::int64_t>(1, size.tokens / kWindow);
    size.tokens = kWindow;
  }
  return size;
}

}  // namespace

GraphSize least(Part part, const Sizes& sizes) { return size_of(part, sizes, End::kMin); }
GraphSize usual(Part part, const Sizes& sizes) { return size_of(part, sizes, End::kOpt); }
GraphSize greatest(Part part, const Sizes& sizes) { return size_of(part, sizes, End::kMax); }

}  // namespace sinter::plan
