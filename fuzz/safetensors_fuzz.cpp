// Any bytes as a safetensors file: reading its header and examining it may refuse them, but only
// with sinter::Error.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "sinter/base/error.h"
#include "sinter/weights/file_report.h"
#include "sinter/weights/safetensors_header.h"

namespace {

using sinter::weights::FileReport;
using sinter::weights::SafetensorsHeader;
using sinter::weights::SafetensorsTensor;

/// What readers rely on once a file was accepted.
void require_consistent(const SafetensorsHeader& header, std::uint64_t file_bytes) {
  std::uint64_t end = header.header_bytes;
  for (const SafetensorsTensor& tensor : header.tensors) {
    if (tensor.begin != end || tensor.bytes > file_bytes - end) std::abort();
    end += tensor.bytes;
  }
  if (end != file_bytes) std::abort();
}

bool accepted(std::span<const std::byte> file) {
  try {
    const SafetensorsHeader header = sinter::weights::read_safetensors_header(file);
    sinter::weights::check_safetensors_length(header, file.size());
    require_consistent(header, file.size());
    return true;
  } catch (const sinter::Error&) {
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> file = std::as_bytes(std::span(data, size));
  const bool sound = accepted(file);
  const FileReport report = sinter::weights::examine(file, "fuzz.safetensors");
  if (report.reason.empty()) std::abort();
  if (sound && report.verdict != sinter::weights::Verdict::kOk) std::abort();
  return 0;
}
