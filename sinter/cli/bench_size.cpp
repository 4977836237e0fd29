#include "sinter/cli/bench_size.h"

#include <fmt/format.h>

#include <array>

#include "sinter/base/error.h"

namespace sinter::cli {
namespace {

/// A size, its option, and where it stands.
struct SizeRow {
  const char* name;
  std::optional<std::int64_t> AskedSize::*asked;
  std::optional<std::int64_t> RunSize::*run;
};

constexpr SizeRow kBatch{"batch", &AskedSize::batch, &RunSize::batch};
constexpr SizeRow kHeight{"height", &AskedSize::height, &RunSize::height};
constexpr SizeRow kWidth{"width", &AskedSize::width, &RunSize::width};
constexpr SizeRow kSequence{"sequence", &AskedSize::sequence, &RunSize::sequence};

constexpr std::int64_t kPixelsPerCell = 8;

}  // namespace

struct BenchSize::Axis {
  const graph::ValueDeclaration* input;
  std::size_t axis;
  const SizeRow* row;
  std::int64_t unit;  // of the size, in one of the graph's
  bool decides;       // of two inputs with the size, the one that is reported

  std::int64_t declared() const { return input->shape[axis]; }
  const std::string& symbol() const { return input->symbols[axis]; }
};

BenchSize::BenchSize(const std::filesystem::path& model,
                     std::vector<graph::ValueDeclaration> inputs)
    : model_(model), inputs_(std::move(inputs)) {}

std::vector<BenchSize::Axis> BenchSize::axes() const {
  const bool pixels = model_.parent_path().filename() == "vae_encoder";
  const std::int64_t cell = pixels ? 1 : kPixelsPerCell;
  std::vector<Axis> result;
  bool batch = true;
  bool picture = true;
  for (const graph::ValueDeclaration& input : inputs_) {
    const std::size_t rank = input.shape.size();
    if (rank == 0) continue;
    // A vector is timesteps: one for all rows, or one each.
    result.push_back({&input, 0, &kBatch, 1, batch && rank > 1});
    if (rank > 1) batch = false;
    if (rank == 3) result.push_back({&input, 1, &kSequence, 1, true});
    if (rank != 4 || !picture) continue;
    picture = false;  // those behind the first are residuals of other sizes
    result.push_back({&input, 2, &kHeight, cell, true});
    result.push_back({&input, 3, &kWidth, cell, true});
  }
  return result;
}

verify::Symbols BenchSize::symbols(const AskedSize& asked) const {
  verify::Symbols symbols;
  for (const Axis& axis : axes()) {
    const std::optional<std::int64_t> wanted = asked.*axis.row->asked;
    const std::int64_t fixed = axis.declared() * axis.unit;
    if (axis.declared() >= 0 && axis.decides && wanted && *wanted != fixed) {
      throw Error(ErrorCode::kUsage,
                  fmt::format("--{} {} was asked for, and {} is fixed at {}", axis.row->name,
                              *wanted, model_.string(), fixed),
                  fmt::format("leave --{} out, or convert without --static", axis.row->name));
    }
    if (axis.declared() >= 0 || axis.symbol().empty()) continue;
    symbols.emplace(axis.symbol(), wanted.value_or(*(kDefaultSize.*axis.row->asked)) / axis.unit);
  }
  return symbols;
}

RunSize BenchSize::of(const runtime::TensorMap& inputs) const {
  RunSize size;
  for (const Axis& axis : axes()) {
    if (!axis.decides) continue;
    size.*axis.row->run = inputs.at(axis.input->name).shape().at(axis.axis) * axis.unit;
    if (axis.declared() >= 0) size.fixed.emplace_back(axis.row->name);
  }
  return size;
}

std::string size_text(const RunSize& size) {
  std::string text = size.width && size.height ? fmt::format("{}x{}x{}", size.batch.value_or(1),
                                                             *size.height, *size.width)
                                               : fmt::format("batch {}", size.batch.value_or(1));
  if (size.sequence) text += fmt::format(", {} tokens", *size.sequence);
  if (!size.fixed.empty()) text += " (fixed)";
  return text;
}

}  // namespace sinter::cli
