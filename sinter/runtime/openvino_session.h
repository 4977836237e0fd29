#pragma once

#include <memory>

#include "sinter/runtime/session.h"

namespace sinter::runtime {

/// OpenVINO on the CPU. As open_session().
std::unique_ptr<Session> open_openvino(const graph::OnnxModel& model,
                                       const SessionOptions& options);

}  // namespace sinter::runtime
