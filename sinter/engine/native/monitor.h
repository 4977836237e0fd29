#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "sinter/engine/backend.h"
#include "sinter/engine/native/headers.h"

namespace sinter::engine::native::SINTER_BACKEND {

/// The builder's phases as one fraction, and its way to be stopped. Called from several threads.
class Monitor final : public nvinfer1::IProgressMonitor {
 public:
  explicit Monitor(std::function<bool(const BuildProgress&)> report) : report_(std::move(report)) {}

  void phaseStart(const char* phase, const char* parent, std::int32_t steps) noexcept override;
  bool stepComplete(const char* phase, std::int32_t step) noexcept override;
  void phaseFinish(const char* phase) noexcept override;

  bool stopped() const { return stopped_; }

  /// Passes on what the report function threw.
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  struct Phase {
    std::string name;
    std::int32_t steps;
    std::int32_t done;
  };

  void tell();

  std::function<bool(const BuildProgress&)> report_;
  std::mutex mutex_;
  std::vector<Phase> phases_;  // the outermost first
  double fraction_ = 0;
  bool stopped_ = false;
  std::exception_ptr thrown_;
};

}  // namespace sinter::engine::native::SINTER_BACKEND
