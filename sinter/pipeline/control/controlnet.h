#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "sinter/base/image.h"
#include "sinter/base/tensor.h"
#include "sinter/pipeline/control/canny.h"
#include "sinter/pipeline/sessions.h"

namespace sinter::pipeline {

/// What a ControlNet is told for a drawing.
struct ControlOptions {
  Image picture;                         // of any size
  std::optional<CannyThresholds> canny;  // the map is its edges; absent: the picture is the map
  double scale = 1.0;                    // of its residuals
  double start = 0.0;                    // the part of the steps at which it begins
  double end = 1.0;                      // and ends
};

/// @throws Error{kUsage} for a scale that is not finite, a start and end that are no part of the
/// steps, or thresholds that cannot be.
void check_control(const ControlOptions& options);

/// What the ControlNet sees: the picture at the size of the drawing (fitted()), then its edges
/// where they are asked for. RGB.
Image control_map(const ControlOptions& options, int width, int height);

/// Whether step `index` of `count` is within the range, as diffusers decides it.
bool is_controlled(const ControlOptions& options, std::size_t index, std::size_t count);

/// A ControlNet at work. The session outlives it.
class ControlNet {
 public:
  /// name: for messages. map: of the drawing's size, RGB.
  /// @throws Error{kMissingTensor} when the graph is none of a ControlNet; Error{kUsage} when it
  /// was made for another size.
  ControlNet(std::string name, runtime::Session& session, const ControlOptions& options,
             const Image& map);

  const ControlOptions& options() const { return options_; }

  /// Runs it on the UNet's inputs and adds its scaled residuals to those in `sums`, under the names
  /// of the UNet's inputs for them. unet: the UNet's inputs beside them, a batch of `rows`.
  /// @throws Error{kShapeMismatch} when its width of text is another than the UNet's, with both, or
  /// its residuals are others than those of a ControlNet before it.
  void add_residuals(const runtime::TensorMap& unet, std::int64_t rows, runtime::TensorMap& sums);

 private:
  runtime::TensorMap inputs_from(const runtime::TensorMap& unet, std::int64_t rows) const;

  std::string name_;
  runtime::Session& session_;
  ControlOptions options_;
  Tensor map_;  // [1,3,H,W], 0..1
};

/// Where the UNet takes residuals and `inputs` have none, zeros: no control.
/// @throws Error{kUnsupported} for a declaration whose size cannot be told; Error{kShapeMismatch}
/// when the residuals in the inputs are not those that the UNet takes.
void complete_residuals(const runtime::Session& unet, runtime::TensorMap& inputs);

}  // namespace sinter::pipeline
