#include "sinter/arch/quantisation.h"

#include <algorithm>
#include <array>

namespace sinter::arch {
namespace {

constexpr std::string_view kScaledFloat8 = "float8 weights and a scale for each (ComfyUI)";
constexpr std::string_view kBitsAndBytes4 = "4-bit weights of bitsandbytes";
constexpr std::string_view kGptq = "integer weights of GPTQ or AWQ";
constexpr std::string_view kQuanto = "quantised weights of quanto";

constexpr std::array kQuantisations{
    Quantisation{"scaled_fp8", kScaledFloat8},
    Quantisation{".scale_weight", kScaledFloat8},
    Quantisation{".weight_scale", kScaledFloat8},
    Quantisation{".comfy_quant", kScaledFloat8},
    Quantisation{".quant_state.bitsandbytes__nf4", kBitsAndBytes4},
    Quantisation{".quant_state.bitsandbytes__fp4", kBitsAndBytes4},
    Quantisation{".absmax", kBitsAndBytes4},
    Quantisation{".SCB", "8-bit weights of bitsandbytes"},
    Quantisation{".qweight", kGptq},
    Quantisation{".qzeros", kGptq},
    Quantisation{".weight._data", kQuanto},
    Quantisation{".weight._scale", kQuanto},
};

}  // namespace

const Quantisation* find_quantisation(const NameIndex& names) {
  const auto found = std::ranges::find_if(kQuantisations, [&](const Quantisation& row) {
    return std::ranges::any_of(
        names.all(), [&](const NamedTensor& entry) { return entry.name.ends_with(row.mark); });
  });
  return found == kQuantisations.end() ? nullptr : &*found;
}

}  // namespace sinter::arch
