#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace sinter::adapters {

/// What a tensor of an adapter is to the module that it changes.
enum class TensorRole {
  kUp,
  kDown,
  kMid,
  kUpBias,    // of PEFT's lora_bias
  kRowsDown,  // of a table whose rows are looked up: [rank, rows]
  kRowsUp,    // [columns, rank]
  kAlpha,
  kScalar,
  kHadamard1A,
  kHadamard1B,
  kHadamard2A,
  kHadamard2B,
  kHadamard1Core,
  kHadamard2Core,
  kKronecker1,
  kKronecker1A,
  kKronecker1B,
  kKronecker2,
  kKronecker2A,
  kKronecker2B,
  kKronecker2Core,
  kDoraScale,
  kDoraMagnitude,  // PEFT's: of output rows whatever its shape
  kDifference,
  kBiasDifference,
  kNormDifference,
  kNormBiasDifference,
  kScaling,
  kOnInput,
  kBlocks,
  kRescale,
  kForeign,  // of a form that is known and not built here
};
inline constexpr std::size_t kTensorRoles = 32;

/// A tensor's name taken apart.
struct RoleOfName {
  std::string_view module;  // as the file spells it
  TensorRole role;
};

/// Takes a name apart by its ending; nothing where no ending is known.
///
/// Sources: sd-scripts' networks (kohya), LyCORIS, PEFT's and diffusers' state dicts, the attention
/// processors of diffusers before 0.20.
std::optional<RoleOfName> role_of_name(std::string_view name);

}  // namespace sinter::adapters
