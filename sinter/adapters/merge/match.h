#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sinter/adapters/file/adapter_file.h"
#include "sinter/adapters/forms/change.h"
#include "sinter/adapters/names/module_names.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::adapters {

/// How strongly an adapter is applied; 0 leaves the weights as they are, negative ones turn it
/// round.
struct Strength {
  float unet = 1;
  float text = 1;

  friend bool operator==(const Strength&, const Strength&) = default;
};

/// A change of some rows of a tensor of the checkpoint.
struct PlacedChange {
  ChangePlan plan;
  MatrixShape matrix;  // that the plan is of
  const arch::WeightSource* source = nullptr;
  std::int64_t first_row = 0;  // of the stored tensor
  std::int64_t rows = 0;
  std::int64_t module_row = 0;  // of the plan's matrix that is first_row
  float strength = 1;
};

/// A module that could not be applied, and why.
struct Misfit {
  std::string module;  // as the adapter spells it
  std::string reason;
};

/// What of an adapter has a place in a checkpoint.
struct MatchReport {
  std::size_t modules = 0;  // that the adapter names
  std::size_t applied = 0;  // of them
  std::map<std::string, std::size_t> applied_by_component;
  std::vector<std::string> unknown;  // modules that the checkpoint has not, sorted
  std::vector<Misfit> wrong_shape;   // sorted by module
  std::vector<std::string> stray;    // tensors that belong to no module, sorted
};

struct Match {
  MatchReport report;
  std::vector<PlacedChange> changes;  // in the order of the adapter's modules
};

/// Looks up every module of an adapter in a checkpoint and checks its shapes. Reads no weights.
///
/// The result refers to the adapter, its modules and the model behind the names.
Match match_modules(const weights::Checkpoint& adapter, const AdapterModules& modules,
                    const ModuleNames& names, const Strength& strength);

}  // namespace sinter::adapters
