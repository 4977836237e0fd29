#include "sinter/weights/ema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>

#include "sinter/base/error.h"
#include "sinter/base/message.h"

namespace sinter::weights {
namespace {

constexpr std::string_view kModelPrefix = "model.";
constexpr std::string_view kNetworkPrefix = "model.diffusion_model.";

/// The averages by their names.
using Averages = std::map<std::string, TensorEntry, std::less<>>;

/// Without its dots, or as it is.
const TensorEntry* average_of(std::string_view weight, const Averages& averages) {
  weight.remove_prefix(kModelPrefix.size());
  std::string flat(weight);
  std::erase(flat, '.');
  for (const std::string& name :
       {std::string(kEmaPrefix) + flat, std::string(kEmaPrefix) + std::string(weight)}) {
    const auto found = averages.find(name);
    if (found != averages.end()) return &found->second;
  }
  return nullptr;
}

[[noreturn]] void refuse(std::size_t averages) {
  if (averages == 0)
    throw Error(ErrorCode::kMissingTensor,
                fmt::format("there are no moving averages of weights ({}*)", kEmaPrefix),
                "leave --ema out");
  throw Error(ErrorCode::kMissingTensor,
              fmt::format("{} of weights ({}*), and no weight that one of them belongs to",
                          counted(averages, "moving average"), kEmaPrefix),
              "the names of averages have no dots and cannot be told without those of the weights; "
              "fetch the file with both");
}

}  // namespace

bool has_moving_averages(const std::vector<TensorEntry>& tensors) {
  return std::ranges::any_of(
      tensors, [](const TensorEntry& tensor) { return tensor.name.starts_with(kEmaPrefix); });
}

std::vector<std::string> use_moving_averages(std::vector<TensorEntry>& tensors) {
  Averages averages;
  for (const TensorEntry& tensor : tensors)
    if (tensor.name.starts_with(kEmaPrefix)) averages.emplace(tensor.name, tensor);
  std::erase_if(tensors, [](const TensorEntry& t) { return t.name.starts_with(kEmaPrefix); });
  std::size_t used = 0;
  std::vector<std::string> without;
  for (TensorEntry& tensor : tensors) {
    if (!tensor.name.starts_with(kModelPrefix)) continue;
    const TensorEntry* average = average_of(tensor.name, averages);
    if (average == nullptr) {
      if (tensor.name.starts_with(kNetworkPrefix)) without.push_back(tensor.name);
      continue;
    }
    if (average->shape != tensor.shape)
      throw Error(
          ErrorCode::kShapeMismatch,
          fmt::format("'{}' is {}, expected {} as '{}' is", shown(average->name),
                      to_string(average->shape), to_string(tensor.shape), shown(tensor.name)));
    std::string name = std::move(tensor.name);
    tensor = *average;
    tensor.name = std::move(name);
    ++used;
  }
  if (used == 0) refuse(averages.size());
  return without;
}

}  // namespace sinter::weights
