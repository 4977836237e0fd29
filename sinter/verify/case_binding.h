#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sinter/graph/onnx_model.h"
#include "sinter/runtime/session.h"
#include "sinter/verify/reference_case.h"

namespace sinter::verify {

/// Which tensor of a case a graph's output is held against.
struct OutputPair {
  std::string reference;  // NAME of "out.NAME"
  std::string output;     // of the graph
  bool first_channels =
      false;  // the graph gives only the first half of axis 1 (means without variances)
};

/// What the files beside a text encoder's graph say about it.
struct TextStates {
  bool known = false;               // a config.json says which state conditions
  bool penultimate_normed = false;  // last_hidden_state is the state before the last layer, normed
  int layers = 0;                   // that lead to last_hidden_state; 0: not said
};

/// Reads config.json beside a model. Absent or foreign files give what can be known.
TextStates text_states(const std::filesystem::path& model);

/// A case in a graph's own terms.
struct CaseBinding {
  /// Inputs under the graph's names. More than one where the graph takes a single timestep and the
  /// case has one a row: then a row each.
  std::vector<runtime::TensorMap> runs;
  std::vector<OutputPair> outputs;
  std::vector<std::string> not_compared;  // NAMEs of "out.NAME" that the graph does not give
};

/// Binds by name; other spellings of the same thing are known (see the table in the source).
/// Residual inputs of a ControlNet that the case lacks are zero; SDXL's vector input is made from
/// the case's text_embeds and time_ids.
/// @throws Error{kShapeMismatch} when inputs have other numbers of rows than there are timesteps.
CaseBinding bind_case(const ReferenceCase& reference, const graph::OnnxModel& model,
                      const TextStates& states);

}  // namespace sinter::verify
