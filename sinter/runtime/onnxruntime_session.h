#pragma once

#include <memory>

#include "sinter/runtime/session.h"

namespace sinter::runtime {

/// ONNX Runtime's CPU kernels, all graph optimisations on. As open_session().
std::unique_ptr<Session> open_onnxruntime(const graph::OnnxModel& model,
                                          const SessionOptions& options);

}  // namespace sinter::runtime
