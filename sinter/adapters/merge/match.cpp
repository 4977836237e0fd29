#include "sinter/adapters/merge/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/base/message.h"

namespace sinter::adapters {
namespace {

/// A run of rows of one stored tensor that belong to a module.
struct Run {
  const arch::WeightSource* source;
  std::int64_t first_row;
  std::int64_t rows;
};

Run run_of(const arch::WeightSource& source) {
  const Shape& shape = source.tensor->shape;
  const std::int64_t all = shape.empty() ? 1 : shape[0];
  return {.source = &source,
          .first_row = source.first_row,
          .rows = source.rows == -1 ? all : source.rows};
}

using Member = const arch::WeightSource* ModuleSite::*;

/// The runs of a module's weights or biases; parts of a stacked tensor that lie behind one another
/// are one. Empty where a site has none.
std::vector<Run> runs_of(const std::vector<const ModuleSite*>& sites, Member member) {
  std::vector<Run> runs;
  for (const ModuleSite* site : sites) {
    const arch::WeightSource* source = site->*member;
    if (source == nullptr) return {};
    const Run run = run_of(*source);
    const bool follows = !runs.empty() && runs.back().source->tensor == source->tensor &&
                         runs.back().first_row + runs.back().rows == run.first_row;
    if (follows)
      runs.back().rows += run.rows;
    else
      runs.push_back(run);
  }
  return runs;
}

/// The matrix of a module: that of its site, or of its sites under one another.
MatrixShape matrix_of_sites(const std::vector<const ModuleSite*>& sites) {
  const ModuleSite& first = *sites.front();
  if (first.weight == nullptr) return matrix_of(arch::logical_shape(*first.bias));  // a bias alone
  MatrixShape matrix = matrix_of(arch::logical_shape(*first.weight));
  for (std::size_t i = 1; i < sites.size(); ++i)
    matrix.rows += matrix_of(arch::logical_shape(*sites[i]->weight)).rows;
  return matrix;
}

/// Puts a plan on its runs.
void place(const std::vector<Run>& runs, const ChangePlan& plan, const MatrixShape& matrix,
           float strength, std::vector<PlacedChange>& changes) {
  std::int64_t row = 0;
  for (const Run& run : runs) {
    const bool transposed = run.source->transposed;
    const std::int64_t rows = transposed ? matrix.rows : run.rows;
    changes.push_back({.plan = plan,
                       .matrix = matrix,
                       .source = run.source,
                       .first_row = run.first_row,
                       .rows = rows,
                       .module_row = row,
                       .strength = strength});
    row += rows;
  }
}

/// @throws Error{kShapeMismatch}, Error{kUnsupported}.
std::vector<PlacedChange> place_module(const weights::Checkpoint& adapter,
                                       const AdapterModule& module, const LoraConfig& config,
                                       const std::vector<const ModuleSite*>& sites,
                                       float strength) {
  const MatrixShape matrix = matrix_of_sites(sites);
  const ModuleChange change = plan_change(adapter, module, config, matrix);
  std::vector<PlacedChange> changes;
  if (change.weight) {
    const std::vector<Run> runs = runs_of(sites, &ModuleSite::weight);
    if (runs.empty())
      throw Error(
          ErrorCode::kShapeMismatch,
          fmt::format("'{}' changes a weight that the checkpoint has not", shown(module.name)));
    if (runs.size() > 1 && !change.weight->by_rows)
      throw Error(ErrorCode::kShapeMismatch,
                  fmt::format("'{}' mixes the rows of three projections that this checkpoint "
                              "stores apart",
                              shown(module.name)));
    place(runs, *change.weight, matrix, strength, changes);
  }
  if (change.bias) {
    const std::vector<Run> runs = runs_of(sites, &ModuleSite::bias);
    if (runs.empty())
      throw Error(
          ErrorCode::kShapeMismatch,
          fmt::format("'{}' changes a bias that the checkpoint has not", shown(module.name)));
    place(runs, *change.bias, {.rows = matrix.rows, .inputs = 1, .kernel = 1}, strength, changes);
  }
  return changes;
}

}  // namespace

Match match_modules(const weights::Checkpoint& adapter, const AdapterModules& modules,
                    const ModuleNames& names, const Strength& strength) {
  Match match;
  match.report.modules = modules.modules.size();
  for (const weights::TensorEntry* tensor : modules.stray)
    match.report.stray.push_back(tensor->name);
  for (const AdapterModule& module : modules.modules) {
    const std::vector<const ModuleSite*> sites = names.find(module.name);
    if (sites.empty()) {
      match.report.unknown.push_back(module.name);
      continue;
    }
    const std::string& component = sites.front()->component;
    const float factor = component.starts_with("text_encoder") ? strength.text : strength.unet;
    try {
      std::ranges::move(place_module(adapter, module, modules.config, sites, factor),
                        std::back_inserter(match.changes));
      ++match.report.applied;
      ++match.report.applied_by_component[component];
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kShapeMismatch && error.code() != ErrorCode::kUnsupported)
        throw;
      match.report.wrong_shape.push_back({module.name, error.message()});
    }
  }
  return match;
}

}  // namespace sinter::adapters
