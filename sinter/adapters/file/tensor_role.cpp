#include "sinter/adapters/file/tensor_role.h"

#include <array>

namespace sinter::adapters {
namespace {

struct RoleEnding {
  std::string_view ending;
  TensorRole role;
};

// The first that fits decides, so that an ending stands before those that it ends in.
constexpr std::array kEndings{
    RoleEnding{".lora_down.weight", TensorRole::kDown},
    RoleEnding{".lora_up.weight", TensorRole::kUp},
    RoleEnding{".lora_mid.weight", TensorRole::kMid},
    RoleEnding{".lora_A.weight", TensorRole::kDown},
    RoleEnding{".lora_B.weight", TensorRole::kUp},
    RoleEnding{".lora_B.bias", TensorRole::kUpBias},
    RoleEnding{".lora_A", TensorRole::kDown},
    RoleEnding{".lora_B", TensorRole::kUp},
    RoleEnding{".lora_embedding_A", TensorRole::kRowsDown},
    RoleEnding{".lora_embedding_B", TensorRole::kRowsUp},
    RoleEnding{".lora.down.weight", TensorRole::kDown},
    RoleEnding{".lora.up.weight", TensorRole::kUp},
    RoleEnding{"_lora.down.weight", TensorRole::kDown},
    RoleEnding{"_lora.up.weight", TensorRole::kUp},
    RoleEnding{".lora_linear_layer.down.weight", TensorRole::kDown},
    RoleEnding{".lora_linear_layer.up.weight", TensorRole::kUp},
    RoleEnding{"_lora.alpha", TensorRole::kAlpha},
    RoleEnding{".lora.alpha", TensorRole::kAlpha},
    RoleEnding{".lora_linear_layer.alpha", TensorRole::kAlpha},
    RoleEnding{".alpha", TensorRole::kAlpha},
    RoleEnding{".scalar", TensorRole::kScalar},
    RoleEnding{".hada_w1_a", TensorRole::kHadamard1A},
    RoleEnding{".hada_w1_b", TensorRole::kHadamard1B},
    RoleEnding{".hada_w2_a", TensorRole::kHadamard2A},
    RoleEnding{".hada_w2_b", TensorRole::kHadamard2B},
    RoleEnding{".hada_t1", TensorRole::kHadamard1Core},
    RoleEnding{".hada_t2", TensorRole::kHadamard2Core},
    RoleEnding{".lokr_w1", TensorRole::kKronecker1},
    RoleEnding{".lokr_w1_a", TensorRole::kKronecker1A},
    RoleEnding{".lokr_w1_b", TensorRole::kKronecker1B},
    RoleEnding{".lokr_w2", TensorRole::kKronecker2},
    RoleEnding{".lokr_w2_a", TensorRole::kKronecker2A},
    RoleEnding{".lokr_w2_b", TensorRole::kKronecker2B},
    RoleEnding{".lokr_t2", TensorRole::kKronecker2Core},
    RoleEnding{".dora_scale", TensorRole::kDoraScale},
    RoleEnding{".lora_magnitude_vector.weight", TensorRole::kDoraMagnitude},
    RoleEnding{".lora_magnitude_vector", TensorRole::kDoraMagnitude},
    RoleEnding{".diff", TensorRole::kDifference},
    RoleEnding{".diff_b", TensorRole::kBiasDifference},
    RoleEnding{".w_norm", TensorRole::kNormDifference},
    RoleEnding{".b_norm", TensorRole::kNormBiasDifference},
    RoleEnding{".on_input", TensorRole::kOnInput},
    RoleEnding{".oft_blocks", TensorRole::kBlocks},
    RoleEnding{".rescale", TensorRole::kRescale},
    // GLoRA, and OFT as its first versions wrote it.
    RoleEnding{".a1.weight", TensorRole::kForeign},
    RoleEnding{".a2.weight", TensorRole::kForeign},
    RoleEnding{".b1.weight", TensorRole::kForeign},
    RoleEnding{".b2.weight", TensorRole::kForeign},
    RoleEnding{".bm.weight", TensorRole::kForeign},
    RoleEnding{".oft_diag", TensorRole::kForeign},
    // (IA)^3: any other name that ends so is told by the lack of its neighbour ".on_input".
    RoleEnding{".weight", TensorRole::kScaling},
};

// PEFT's own files put the adapter's name there: "q_proj.lora_A.default.weight".
constexpr std::array<RoleEnding, 5> kNamed{
    RoleEnding{".lora_A.", TensorRole::kDown}, RoleEnding{".lora_B.", TensorRole::kUp},
    RoleEnding{".lora_embedding_A.", TensorRole::kRowsDown},
    RoleEnding{".lora_embedding_B.", TensorRole::kRowsUp},
    RoleEnding{".lora_magnitude_vector.", TensorRole::kDoraMagnitude}};

std::optional<RoleOfName> role_with_adapter_name(std::string_view name) {
  constexpr std::string_view kWeight = ".weight";
  for (const RoleEnding& row : kNamed) {
    const std::size_t at = name.rfind(row.ending);
    if (at == name.npos) continue;
    std::string_view rest = name.substr(at + row.ending.size());
    if (rest.ends_with(kWeight)) rest.remove_suffix(kWeight.size());
    if (!rest.empty() && rest.find('.') == rest.npos)
      return RoleOfName{name.substr(0, at), row.role};
  }
  return std::nullopt;
}

}  // namespace

std::optional<RoleOfName> role_of_name(std::string_view name) {
  for (const RoleEnding& row : kEndings) {
    if (row.role == TensorRole::kScaling) break;
    if (name.ends_with(row.ending) && name.size() > row.ending.size())
      return RoleOfName{name.substr(0, name.size() - row.ending.size()), row.role};
  }
  if (const auto named = role_with_adapter_name(name)) return named;
  constexpr std::string_view kLast = kEndings.back().ending;
  if (name.ends_with(kLast) && name.size() > kLast.size())
    return RoleOfName{name.substr(0, name.size() - kLast.size()), TensorRole::kScaling};
  return std::nullopt;
}

}  // namespace sinter::adapters
