// Any text as the output of collect_env, as an environment file, and as versions and their ranges.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sinter/base/error.h"
#include "sinter/diagnose/environment/collect.h"
#include "sinter/diagnose/environment/doctor.h"
#include "sinter/diagnose/environment/lock.h"
#include "sinter/diagnose/environment/version.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace environment = sinter::diagnose::environment;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    environment::examine(environment::collect_env_report(text));
  } catch (const sinter::Error&) {
  }
  try {
    const environment::Snapshot snapshot = environment::from_lock(text);
    environment::drift(snapshot, environment::Snapshot());
  } catch (const sinter::Error&) {
  }
  const std::size_t half = text.find('\n');
  if (half != text.npos)
    environment::satisfies(environment::parse_version(text.substr(0, half)), text.substr(half + 1));
  return 0;
}
