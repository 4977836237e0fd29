#include "sinter/weights/wrapper_names.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace sinter::weights {
namespace {

constexpr std::array<std::string_view, 2> kWrappers{"module.", "_orig_mod."};

}  // namespace

void take_off_wrappers(std::vector<TensorEntry>& tensors) {
  if (tensors.empty()) return;
  const auto wraps_all = [&](std::string_view wrapper) {
    return std::ranges::all_of(tensors, [&](const TensorEntry& tensor) {
      return tensor.name.starts_with(wrapper) && tensor.name.size() > wrapper.size();
    });
  };
  for (;;) {
    const auto wrapper = std::ranges::find_if(kWrappers, wraps_all);
    if (wrapper == kWrappers.end()) return;
    for (TensorEntry& tensor : tensors) tensor.name.erase(0, wrapper->size());
  }
}

}  // namespace sinter::weights
