// Any bytes as a file of unknown format, and as a zip archive: neither ever throws.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "sinter/weights/file_format.h"
#include "sinter/weights/zip_listing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> file = std::as_bytes(std::span(data, size));
  std::size_t bytes = 0;
  for (const std::string& name : sinter::weights::list_zip(file)) bytes += name.size();
  if (bytes > size) std::abort();
  if (sinter::weights::recognise(file).description.empty()) std::abort();
  return 0;
}
