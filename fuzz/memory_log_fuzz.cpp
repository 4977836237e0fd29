// Any text as a log of GPU memory, whole and in pieces: both give the same answer.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sinter/diagnose/memory/memory_log.h"
#include "sinter/diagnose/memory/trace_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace memory = sinter::diagnose::memory;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  memory::TraceReader whole;
  whole.feed(text);
  memory::TraceReader pieces;
  for (std::size_t at = 0; at < size; at += 7) pieces.feed(text.substr(at, 7));
  const memory::Report a = memory::judge(whole.finish());
  const memory::Report b = memory::judge(pieces.finish());
  if (a.kind != b.kind || a.lines != b.lines) std::abort();
  return 0;
}
