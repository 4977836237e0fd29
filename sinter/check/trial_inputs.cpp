#include "sinter/check/trial_inputs.h"

#include <algorithm>

#include "sinter/check/shape_run.h"
#include "sinter/check/subject.h"
#include "sinter/check/trial_sizes.h"

namespace sinter::check {

std::vector<std::map<std::string, std::vector<std::int64_t>>> trial_inputs(
    const graph::Outline& file) {
  const Options any;
  const Subject subject(file, any);
  const TrialSizes sizes(subject);
  std::vector<std::map<std::string, std::vector<std::int64_t>>> result;
  for (const graph::OutlineValue* input : subject.inputs()) {
    if (!input->ranked || !input->tensor) return result;
  }
  ShapeRun run(subject);
  for (const std::int64_t latent : {2, 4, 8, 16, 32, 64, 128}) {
    // The second size of every kind is another batch too.
    const std::int64_t batch = latent % 3 == 1 ? 2 : 1;
    std::vector<std::int64_t> values = sizes.usual();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const FreeSize& size = sizes.free()[i];
      if (size.axis == Axis::kBatch) values[i] = batch;
      if (size.axis == Axis::kHeight || size.axis == Axis::kWidth) values[i] = latent * size.unit;
    }
    auto shapes = sizes.shapes(values);
    if (run.run(shapes)) continue;
    if (std::ranges::find(result, shapes) == result.end()) result.push_back(std::move(shapes));
  }
  return result;
}

}  // namespace sinter::check
