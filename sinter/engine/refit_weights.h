#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinter/engine/backend.h"
#include "sinter/graph/onnx_model.h"

namespace sinter::engine {

/// The weights of a graph by the names under which an engine built from it takes them: the
/// initializers' own, which are the checkpoint's keys. Those with external data; small constants of
/// the graph stay as they were built.
/// bytes are views into the model, which must outlive them.
std::vector<RefitWeight> refit_weights(const graph::OnnxModel& model);

/// The same graph with other weights (converted again, with or without a LoRA).
/// @throws Error{kShapeMismatch} naming the first weight that one has and the other has not, or has
///         with another type or element count.
void require_same_weights(std::span<const RefitWeight> built, std::span<const RefitWeight> other);

}  // namespace sinter::engine
