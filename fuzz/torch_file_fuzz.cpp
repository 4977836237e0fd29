// Any bytes as a file that torch.save wrote, as a zip and as a stream: examining it gives a report,
// and the tensors of a sound one can be written out.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "sinter/base/error.h"
#include "sinter/base/source_header.h"
#include "sinter/weights/file_report.h"
#include "sinter/weights/torch/strided.h"
#include "sinter/weights/torch/torch_file.h"

namespace {

using sinter::weights::FileFormat;
using namespace sinter::weights::torch;

void read(std::span<const std::byte> file, FileFormat format) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1}
                                       << 20;  // by a stride of 0 there may be more
  const TorchFile found = read_torch_file(file, format);
  for (const TorchTensor& tensor : found.tensors) {
    const Block& block = found.blocks.at(tensor.block);
    if (block.begin > file.size() || block.packed_bytes > file.size() - block.begin) std::abort();
    if (tensor.is_contiguous() && tensor.begin + tensor.bytes > block.bytes) std::abort();
    if (tensor.bytes > kMostBytes) continue;
    std::uint64_t written = 0;
    try {
      write_tensor(file, block, tensor,
                   [&](std::span<const std::byte> piece) { written += piece.size(); });
      if (written != tensor.bytes) std::abort();
    } catch (const sinter::Error&) {
      if (!block.deflated) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> file = std::as_bytes(std::span(data, size));
  read(file, FileFormat::kTorchZip);
  read(file, FileFormat::kTorchLegacy);
  sinter::source_header(file, size / 2);
  if (sinter::weights::examine(file, "fuzz.pt").reason.empty()) std::abort();
  return 0;
}
