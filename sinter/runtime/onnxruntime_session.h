#pragma once

#include <memory>

#include "sinter/runtime/session.h"

namespace sinter::runtime {

/// ONNX Runtime with all graph optimisations on, on its CPU kernels or on what
/// options.provider_library brings. As open_session().
std::unique_ptr<Session> open_onnxruntime(const graph::OnnxModel& model,
                                          const SessionOptions& options);

/// ONNX Runtime with the provider of an engine (providers.h).
/// @throws Error{kRuntime} with everything that is missing, where the provider cannot be had.
std::unique_ptr<Session> open_onnxruntime_on(Engine engine, const graph::OnnxModel& model,
                                             const SessionOptions& options);

}  // namespace sinter::runtime
