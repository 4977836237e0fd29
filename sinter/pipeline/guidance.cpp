#include "sinter/pipeline/guidance.h"

#include <cstddef>
#include <cstring>

#include "sinter/base/error.h"

namespace sinter::pipeline {

Tensor guided(const Tensor& both, double scale) {
  Shape shape = both.shape();
  if (shape.empty() || shape.front() < 2 || shape.front() % 2 != 0) {
    throw Error(ErrorCode::kShapeMismatch,
                "guidance is given " + to_string(shape) + ", expected an even batch");
  }
  shape.front() /= 2;
  Tensor result(DType::kF32, shape);
  const auto factor = static_cast<float>(scale);
  const auto out = result.floats();
  const auto uncond = both.floats().first(out.size());
  const auto cond = both.floats().subspan(out.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = uncond[i] + factor * (cond[i] - uncond[i]);
  return result;
}

Tensor repeated(const Tensor& batch, int times) {
  Shape shape = batch.shape();
  shape.front() *= times;
  Tensor result(batch.dtype(), shape);
  const std::size_t bytes = batch.bytes().size();
  for (std::size_t i = 0; i < static_cast<std::size_t>(times); ++i)
    std::memcpy(result.bytes().data() + i * bytes, batch.bytes().data(), bytes);
  return result;
}

Tensor each_repeated(const Tensor& batch, int times) {
  Shape shape = batch.shape();
  const auto rows = static_cast<std::size_t>(shape.front());
  const auto copies = static_cast<std::size_t>(times);
  shape.front() *= times;
  Tensor result(batch.dtype(), shape);
  const std::size_t bytes = batch.bytes().size() / rows;
  for (std::size_t i = 0; i < rows * copies; ++i)
    std::memcpy(result.bytes().data() + i * bytes, batch.bytes().data() + i / copies * bytes,
                bytes);
  return result;
}

}  // namespace sinter::pipeline
