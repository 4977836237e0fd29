#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sinter/weights/checkpoint.h"

namespace sinter::adapters {

/// What an adapter file holds, read without a checkpoint.
struct AdapterSummary {
  std::size_t modules = 0;
  std::map<std::string, std::size_t> forms;                // "LoRA", "LoHa", ...: modules of each
  std::map<std::string, std::size_t> components;           // "unet", "text_encoder", ...; by names
  std::size_t dora = 0;                                    // modules with a DoRA scale
  std::set<std::int64_t> ranks;                            // of the factored ones
  std::set<float> alphas;                                  // as stored; empty: the rank's own
  std::size_t without_alpha = 0;                           // factored modules
  std::size_t stray = 0;                                   // tensors that belong to no module
  std::vector<std::pair<std::string, std::string>> words;  // of the metadata, worth a line
};

/// Reads names, shapes and alphas.
/// @throws Error{kBadFile} for a configuration in the metadata that cannot be read.
AdapterSummary summarise(const weights::Checkpoint& adapter);

/// Whether the file changes modules of a checkpoint.
bool is_adapter(const weights::Checkpoint& file);

}  // namespace sinter::adapters
