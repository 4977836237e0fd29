#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/engine/backend.h"
#include "sinter/engine/native/headers.h"

namespace sinter::engine::native::SINTER_BACKEND {

/// Keeps what the library says instead of printing it, and reads the builder's figures from it.
/// Called from the library's threads.
class Log final : public nvinfer1::ILogger {
 public:
  void log(Severity severity, const char* message) noexcept override;

  /// Warnings and errors so far, in order; they are forgotten.
  std::vector<std::string> take();

  /// The last error, which says why a call failed; else the last warning.
  std::string reason() const;

  EngineMemory memory() const;

 private:
  void keep(Severity severity, std::string_view message);

  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
  std::string error_;
  EngineMemory memory_;
};

}  // namespace sinter::engine::native::SINTER_BACKEND
