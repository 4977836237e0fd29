#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sinter/adapters/file/lora_config.h"
#include "sinter/adapters/file/tensor_role.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::adapters {

/// The tensors of an adapter that change one module. Entries are the checkpoint's.
struct AdapterModule {
  std::string name;  // as the file spells it, without the tensors' endings
  std::array<const weights::TensorEntry*, kTensorRoles> tensors{};

  const weights::TensorEntry* find(TensorRole role) const {
    return tensors[static_cast<std::size_t>(role)];
  }
  bool has(TensorRole role) const { return find(role) != nullptr; }
};

/// An adapter's tensors by module.
struct AdapterModules {
  std::vector<AdapterModule> modules;              // sorted by name
  std::vector<const weights::TensorEntry*> stray;  // that belong to no module, sorted by name
  LoraConfig config;
};

/// Takes an adapter apart by names; what they mean for a checkpoint comes later.
/// @throws Error{kBadFile} for a configuration in the metadata that cannot be read.
AdapterModules read_modules(const weights::Checkpoint& adapter);

/// The ways to change a weight, told by the tensors that are there.
enum class AdapterForm {
  kLowRank,     // LoRA, LoCon
  kLookedUp,    // LoRA of a table
  kHadamard,    // LoHa
  kKronecker,   // LoKr
  kDifference,  // full
  kNorm,        // differences of a norm
  kScaling,     // (IA)^3
  kOrthogonal,  // OFT
  kButterfly,   // BOFT
  kForeign,
};

/// The word of a form in reports: "LoRA", "LoHa", ...
std::string_view form_name(AdapterForm form);

AdapterForm form_of(const AdapterModule& module);

/// The rank of a factored form; nothing for the others.
std::optional<std::int64_t> rank_of(const AdapterModule& module);

}  // namespace sinter::adapters
