#pragma once

#include <functional>

#include "sinter/base/tensor.h"
#include "sinter/pipeline/conditioning.h"
#include "sinter/pipeline/sessions.h"

namespace sinter::pipeline {

struct DenoiserOptions {
  int pictures;
  int width;   // pixels
  int height;  // pixels
  int factor;  // pixels a latent cell
  double guidance_scale;
  double aesthetic_score;
  double negative_aesthetic_score;
};

/// A UNet with its conditions: latents and a timestep in, the guided output out.
///
/// The conditioning has two texts, the negative first, where guidance is on; then both halves run
/// as one batch. Sizes become SDXL's time_ids (Podell et al. 2023, arXiv 2307.01952, section 2.2):
/// height and width of the original, crop corner 0 0, and height and width of the target or, where
/// five numbers are wanted, the aesthetic score. The session must outlive the object.
class Denoiser {
 public:
  /// conditioning: states [texts,tokens,width], pooled [texts,width], of one text or two.
  /// @throws Error{kShapeMismatch} for others, or another width than the graph's;
  ///         Error{kUnsupported} when the graph has inputs that text to picture cannot fill;
  ///         Error{kUsage} when it was made for another size or number of windows.
  Denoiser(runtime::Session& session, const Conditioning& conditioning,
           const DenoiserOptions& options);

  /// Adds inputs to those of a step, which are a batch of `rows`: a ControlNet's residuals.
  using AddInputs = std::function<void(runtime::TensorMap& inputs, std::int64_t rows)>;

  /// latents: [N,C,h,w] as the UNet wants them, N pictures of the options' size. Returns the guided
  /// output, the same shape. Residual inputs that nothing is added for are zero.
  /// @throws Error{kShapeMismatch} for others; what complete_residuals() throws.
  Tensor run(const Tensor& latents, float timestep, const AddInputs& add = {});

 private:
  void check_inputs(const Conditioning& conditioning) const;
  void check_sample() const;
  void check_context(const Shape& states) const;
  Tensor time_ids(std::size_t numbers) const;
  Tensor timestep_tensor(float timestep, std::int64_t rows) const;

  runtime::Session& session_;
  DenoiserOptions options_;
  bool guidance_;
  runtime::TensorMap conditions_;  // inputs that are the same at every step
};

}  // namespace sinter::pipeline
