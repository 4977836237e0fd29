#include "sinter/weights/gathered_tensor.h"

#include "sinter/weights/torch/strided.h"

namespace sinter::weights {

void GatheredTensor::write(const std::function<void(std::span<const std::byte>)>& sink) const {
  torch::write_tensor(file_, block_, tensor_, sink);
}

std::span<const std::byte> GatheredTensor::bytes() const {
  std::call_once(made_, [&] {
    std::vector<std::byte> all;
    all.reserve(tensor_.bytes);
    write([&](std::span<const std::byte> piece) {
      all.insert(all.end(), piece.begin(), piece.end());
    });
    bytes_ = std::move(all);
  });
  return bytes_;
}

}  // namespace sinter::weights
