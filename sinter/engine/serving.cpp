#include "sinter/engine/serving.h"

#include <fmt/format.h>

#include <algorithm>

namespace sinter::engine {
namespace {

/// One extent of a request, against its range.
struct Extent {
  const char* word;
  std::int64_t ServingRequest::*asked;
  plan::Range plan::Sizes::*range;
  std::int64_t step;
};
constexpr Extent kExtents[] = {
    {"width", &ServingRequest::width, &plan::Sizes::width, 8},
    {"height", &ServingRequest::height, &plan::Sizes::height, 8},
    {"batch", &ServingRequest::batch, &plan::Sizes::batch, 1},
    {"prompt tokens", &ServingRequest::tokens, &plan::Sizes::tokens, 77},
};

/// The largest multiple of step in the range that is not above the value, or the range's least.
std::int64_t nearest_in(const plan::Range& range, std::int64_t value, std::int64_t step) {
  const std::int64_t inside = std::clamp(value, range.min, range.max);
  return std::max(range.min, inside / step * step);
}

}  // namespace

ServingVerdict judge(const EngineRecord& record, const ServingMachine& machine,
                     const ServingRequest& request) {
  ServingVerdict verdict;
  const std::string_view name = flavour_info(record.flavour).name;
  const auto library = machine.libraries.find(record.flavour);
  if (library == machine.libraries.end()) {
    verdict.reasons.push_back(
        fmt::format("it needs {} {}, which is not here", name, record.version.text()));
  } else if (library->second != record.version) {
    verdict.reasons.push_back(
        fmt::format("its version tag is {} {}, the library here is {}: no other version loads it",
                    name, record.version.text(), library->second.text()));
  }
  if (!machine.gpu) {
    verdict.reasons.push_back("no NVIDIA GPU is here");
  } else if (!record.architectures.empty() &&
             std::ranges::find(record.architectures, *machine.gpu) == record.architectures.end()) {
    verdict.reasons.push_back(fmt::format("it is for {}, this GPU is {}",
                                          architecture_words(record.architectures, " and "),
                                          machine.gpu->name()));
  }
  if (record.stripped)
    verdict.reasons.push_back("it holds no weights: sinter build --refit puts them in");
  verdict.nearest = request;
  for (const Extent& extent : kExtents) {
    const std::int64_t asked = request.*extent.asked;
    const plan::Range& range = record.sizes.*extent.range;
    if (asked == 0) continue;
    verdict.nearest.*extent.asked = nearest_in(range, asked, extent.step);
    if (asked >= range.min && asked <= range.max && asked % extent.step == 0) continue;
    verdict.reasons.push_back(
        fmt::format("it takes {} {} to {}{}, not {}; the nearest is {}", extent.word, range.min,
                    range.max, extent.step > 1 ? fmt::format(" in steps of {}", extent.step) : "",
                    asked, verdict.nearest.*extent.asked));
  }
  return verdict;
}

}  // namespace sinter::engine
