#include <cmath>

#include "sinter/pipeline/schedulers/elementwise.h"
#include "sinter/pipeline/schedulers/euler.h"
#include "sinter/pipeline/schedulers/samplers.h"

namespace sinter::pipeline {
namespace {

class EulerAncestral final : public EulerBase {
 public:
  using EulerBase::EulerBase;

  Tensor step(std::size_t step, const Tensor& sample, const Tensor& output,
              const Noise& noise) override {
    const float from = sigmas_[step];
    const float to = sigmas_[step + 1];
    // up^2 + down^2 = to^2: the ODE goes down to `down`, fresh noise comes back up.
    const float up = std::sqrt(to * to * (from * from - to * to) / (from * from));
    const float down = std::sqrt(to * to - up * up);
    const Tensor next = moved(sample, output, from, down);
    // Drawn at the last step too, where up is zero, so that the stream stays diffusers'.
    const Tensor fresh = noise(sample.shape());
    return map_pair(next, fresh, [=](float x, float z) { return x + z * up; });
  }
};

}  // namespace

std::unique_ptr<Scheduler> make_euler_ancestral(const SchedulerConfig& config, int steps) {
  return std::make_unique<EulerAncestral>(config, steps);
}

}  // namespace sinter::pipeline
