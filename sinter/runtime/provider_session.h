#pragma once

#include <string>
#include <vector>

#include "sinter/graph/onnx_model.h"
#include "sinter/runtime/onnxruntime_library.h"
#include "sinter/runtime/placement.h"
#include "sinter/runtime/providers.h"

namespace sinter::runtime {

/// The session option that makes ONNX Runtime remember which provider took which nodes (1.24).
inline constexpr const char* kRecordPlacement = "session.record_ep_graph_assignment_info";

/// Puts a provider into a session's options, before the CPU's. provider: null where none is wanted
/// but that of wanted.provider_library's first device. Returns its name; empty: the CPU.
/// @throws Error{kRuntime} saying everything that is missing when it cannot be had;
///         Error{kUsage} for a library with other providers, and what provider_options() throws.
std::string append_provider(const OnnxRuntimeLibrary& library, const Provider* provider,
                            const graph::OnnxModel& model, const SessionOptions& wanted,
                            OrtSessionOptions* options);

/// What a session that records says of its nodes. Only with ONNX Runtime 1.24 or later.
std::vector<PlacedNode> placed_nodes(const OnnxRuntimeLibrary& library, const OrtSession& session);

}  // namespace sinter::runtime
