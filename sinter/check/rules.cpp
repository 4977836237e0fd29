#include "sinter/check/rules.h"

#include <utility>

namespace sinter::check {

void Sink::add(Severity severity, Place place, std::string why, std::string todo) {
  const auto [known, fresh] = known_.emplace(Words(severity, why, todo), report_.findings.size());
  if (fresh) report_.findings.push_back({severity, rule_, std::move(why), std::move(todo), {}});
  std::vector<Place>& places = report_.findings[known->second].places;
  // One node may have it several times.
  if (places.empty() || places.back() != place) places.push_back(std::move(place));
}

const std::vector<Rule>& rules() {
  using enum Severity;
  static const std::vector<Rule> table{
      {"no-opset", kError, "operators of a domain that the file does not import", names_no_opset},
      {"repeated-name", kError, "two values or two nodes of one name", repeats_names},
      {"undefined-value", kError, "nodes that read what nobody has made yet", uses_unknown_values},
      {"undefined-output", kError, "outputs of the graph that nobody makes", makes_no_output},
      {"unknown-operator", kError, "operators that the opset does not have", has_unknown_operators},
      {"operand-count", kError, "nodes with too few or too many inputs or outputs",
       has_wrong_counts},
      {"untyped-input", kWarning, "inputs without a type or a rank", has_untyped_inputs},
      {"replaceable-weight", kWarning, "weights that are inputs too, which no engine folds",
       has_replaceable_weights},
      {"idle-part", kNote, "weights, inputs and nodes that nothing needs", has_idle_parts},
      {"tensor-payload", kError, "tensors whose data is not that of their shape", has_bad_payload},
      {"external-entry", kError, "external data whose place is no place", has_bad_entry},
      {"external-outside", kError, "external data outside the model's folder", leads_outside},
      {"external-missing", kError, "external data in a file that is not there", lacks_data_file},
      {"external-changed", kError, "a linked checkpoint that is not the one converted",
       has_changed_source},
      {"external-range", kError, "external data beyond its file or of another length",
       has_bad_range},
      {"file-size", kWarning, "files near the 2 GiB that one protobuf message can have",
       nears_size_limit},
      {"external-alignment", kNote, "large external weights that cannot be mapped where they lie",
       is_misaligned},
      {"opset", kError, "an opset that the target does not read", has_wrong_opset},
      {"ir-version", kError, "a file format that the target does not read", has_wrong_ir},
      {"operator-refused", kError, "operators that the target lacks", has_refused_operators},
      {"operator-form", kError, "forms of an operator that the target lacks", has_refused_forms},
      {"contrib-operator", kError, "operators of com.microsoft that the provider lacks",
       has_contrib_operators},
      {"custom-operator", kError, "operators of other domains", has_custom_operators},
      {"type-refused", kError, "element types that the target lacks", has_refused_types},
      {"random-operator", kWarning, "random numbers inside the graph", has_random_operators},
      {"control-flow", kWarning, "loops and branches", has_control_flow},
      {"constant-form", kError, "Constant nodes that cannot be read", has_bad_constants},
      {"needs-constant", kError, "operands that have to be constants and are computed",
       needs_constants},
      {"unfolded-constant", kWarning, "nodes that compute the same in every run",
       has_unfolded_constants},
      {"double-weight", kWarning, "weights in float64", has_double_weights},
      {"int64-weight", kWarning, "large int64 tensors", has_int64_weights},
      {"int64-range", kNote, "integers that int32 does not hold", has_clamped_integers},
      {"half-overflow", kWarning, "constants that become infinite in float16",
       has_overflowing_constants},
      {"profile", kError, "dynamic inputs that no profile gives sizes for", lacks_profile},
      {"contract", kError, "inputs and outputs that a program would not find", breaks_contract},
      {"baked-size", kError, "sizes of the export written into the graph", has_baked_sizes},
      {"size-step", kWarning, "sizes that skip connections cannot join", has_size_steps},
  };
  return table;
}

}  // namespace sinter::check
