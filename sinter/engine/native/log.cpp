#include "sinter/engine/native/log.h"

#include <charconv>
#include <new>
#include <optional>
#include <utility>

namespace sinter::engine::native::SINTER_BACKEND {
namespace {

/// One figure that the builder logs at the end of a build.
struct Figure {
  std::string_view words;
  std::optional<std::uint64_t> EngineMemory::*member;
};
constexpr Figure kFigures[] = {
    {"Total Activation Memory: ", &EngineMemory::activations},
    {"Total Weights Memory: ", &EngineMemory::weights},
    {"Total Device Persistent Memory: ", &EngineMemory::persistent},
    {"Max Scratch Memory: ", &EngineMemory::scratch},
};

/// Words that are no news: the caller checks the conditions that they warn of.
constexpr std::string_view kNoNews[] = {
    "Make sure input",  // has Int64 binding: optimum's interface has input_ids so
    "Unable to determine GPU memory usage",
    "CUDA initialization failure",  // building for other machines needs none
};

}  // namespace

void Log::log(Severity severity, const char* message) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    keep(severity, message == nullptr ? "" : message);
  } catch (const std::bad_alloc&) {
    // A lost log line; the library must not see an exception.
  }
}

void Log::keep(Severity severity, std::string_view message) {
  if (severity <= Severity::kERROR) error_ = message;
  if (severity <= Severity::kWARNING) {
    bool news = severity <= Severity::kERROR;
    if (!news) {
      news = true;
      for (const std::string_view words : kNoNews)
        news = news && message.find(words) == message.npos;
    }
    if (news) lines_.emplace_back(message);
    return;
  }
  for (const Figure& figure : kFigures) {
    if (!message.starts_with(figure.words)) continue;
    std::uint64_t bytes = 0;
    const char* begin = message.data() + figure.words.size();
    if (std::from_chars(begin, message.data() + message.size(), bytes).ec == std::errc())
      memory_.*figure.member = bytes;
  }
}

std::vector<std::string> Log::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(lines_, {});
}

std::string Log::reason() const {
  const std::lock_guard lock(mutex_);
  if (!error_.empty()) return error_;
  return lines_.empty() ? "no reason given" : lines_.back();
}

EngineMemory Log::memory() const {
  const std::lock_guard lock(mutex_);
  return memory_;
}

}  // namespace sinter::engine::native::SINTER_BACKEND
