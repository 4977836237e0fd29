#pragma once

#include <memory>
#include <span>
#include <string>

#include "sinter/base/shared_library.h"
#include "sinter/engine/backend.h"
#include "sinter/engine/native/headers.h"
#include "sinter/engine/native/log.h"

namespace sinter::engine::native::SINTER_BACKEND {

/// An engine on this machine's GPU.
class LoadedEngine {
 public:
  /// core and log must outlive the object.
  /// @throws Error{kRuntime} when there is no GPU, or the engine is not for this one or this
  ///         version.
  LoadedEngine(const SharedLibrary& core, std::span<const std::byte> bytes, Version version,
               Log& log);

  /// Sets every weight that the engine names. Weights that it does not name (the builder has folded
  /// them, or they are no weights of this graph) are left out.
  /// @throws Error{kRuntime} naming those that the engine wants and `weights` does not have, or has
  ///         with another type or size.
  void refit(std::span<const RefitWeight> weights);

  void serialize(const EngineSink& sink) const;

  std::string inspect() const;

 private:
  const SharedLibrary& core_;
  Log& log_;
  std::unique_ptr<nvinfer1::IRuntime> runtime_;
  std::unique_ptr<nvinfer1::ICudaEngine> engine_;
};

}  // namespace sinter::engine::native::SINTER_BACKEND
