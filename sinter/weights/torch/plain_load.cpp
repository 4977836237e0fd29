#include "sinter/weights/torch/plain_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinter/base/message.h"

namespace sinter::weights::torch {
namespace {

struct Backend {
  std::string_view name;  // of the device, before its number
  std::string_view says;  // empty: it is everywhere
};

constexpr std::array kBackends{
    Backend{"cpu", ""},
    Backend{"meta", ""},
    Backend{"cuda",
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is "
            "False"},
    Backend{"xpu",
            "Attempting to deserialize object on a XPU device but torch.xpu.is_available() is "
            "False"},
    Backend{"mtia",
            "Attempting to deserialize object on a MTIA device but torch.mtia.is_available() is "
            "False"},
    Backend{"hpu", "The HPU device module is not registered"},
    Backend{"privateuseone", "The PRIVATEUSEONE device module is not registered"},
    Backend{"mps", "Storage device not recognized: mps"},
};

std::string_view number_of(std::string_view device) {
  const std::size_t colon = device.find(':');
  return colon == device.npos ? std::string_view() : device.substr(colon + 1);
}

}  // namespace

std::string plain_load_without(std::string_view device) {
  const std::string_view name = device.substr(0, device.find(':'));
  const auto backend = std::ranges::find(kBackends, name, &Backend::name);
  if (backend == kBackends.end())
    return fmt::format(
        "RuntimeError: don't know how to restore data location of "
        "torch.storage.UntypedStorage (tagged with {})",
        printable(device));
  if (backend->says.empty()) return {};
  std::string text = fmt::format("RuntimeError: {}", backend->says);
  // With CUDA and too few GPUs it says something else.
  const std::string_view number = number_of(device);
  if (name == "cuda" && !number.empty() && number != "0")
    text += fmt::format(
        "; with fewer GPUs: Attempting to deserialize object on CUDA device {} but "
        "torch.cuda.device_count() is less",
        printable(number));
  return text;
}

}  // namespace sinter::weights::torch
