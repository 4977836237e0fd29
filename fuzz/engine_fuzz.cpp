// Readers of what lies in a folder of engines: an engine's header, its program, the manifest.
#include <cstdint>
#include <span>
#include <string_view>

#include "sinter/base/error.h"
#include "sinter/engine/engine_file.h"
#include "sinter/engine/engine_program.h"
#include "sinter/engine/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  try {
    sinter::engine::read_engine_header(bytes, size);
  } catch (const sinter::Error&) {
  }
  sinter::engine::read_engine_program(bytes);
  try {
    sinter::engine::manifest_json(
        sinter::engine::records_from_json({reinterpret_cast<const char*>(data), size}));
  } catch (const sinter::Error&) {
  }
  return 0;
}
