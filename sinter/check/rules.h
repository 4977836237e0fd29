#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sinter/check/finding.h"
#include "sinter/check/subject.h"

namespace sinter::check {

/// Takes what one rule finds.
class Sink {
 public:
  /// severity: of the rule's row.
  Sink(std::string_view rule, Severity severity, Report& report)
      : rule_(rule), severity_(severity), report_(report) {}

  void add(Place place, std::string why, std::string todo) {
    add(severity_, std::move(place), std::move(why), std::move(todo));
  }
  void add(Severity severity, Place place, std::string why, std::string todo);

 private:
  std::string_view rule_;
  Severity severity_;
  Report& report_;
  using Words = std::tuple<Severity, std::string, std::string>;  // with why and todo
  std::map<Words, std::size_t> known_ = {};                      // index into the report's findings
};

/// One row per rule.
struct Rule {
  std::string_view id;
  Severity severity;
  std::string_view title;  // what it looks for
  void (*run)(const Subject&, Sink&);
};

/// In the order of reports.
const std::vector<Rule>& rules();

// The functions of the rows, by concern.

// structure_rules.cpp
void names_no_opset(const Subject&, Sink&);
void repeats_names(const Subject&, Sink&);
void uses_unknown_values(const Subject&, Sink&);
void makes_no_output(const Subject&, Sink&);
void has_unknown_operators(const Subject&, Sink&);
void has_wrong_counts(const Subject&, Sink&);
void has_untyped_inputs(const Subject&, Sink&);
void has_replaceable_weights(const Subject&, Sink&);
void has_idle_parts(const Subject&, Sink&);
// data_rules.cpp
void has_bad_payload(const Subject&, Sink&);
void has_bad_entry(const Subject&, Sink&);
void leads_outside(const Subject&, Sink&);
void lacks_data_file(const Subject&, Sink&);
void has_changed_source(const Subject&, Sink&);
void has_bad_range(const Subject&, Sink&);
void nears_size_limit(const Subject&, Sink&);
void is_misaligned(const Subject&, Sink&);
// target_rules.cpp
void has_wrong_opset(const Subject&, Sink&);
void has_wrong_ir(const Subject&, Sink&);
void has_refused_operators(const Subject&, Sink&);
void has_refused_forms(const Subject&, Sink&);
void has_contrib_operators(const Subject&, Sink&);
void has_custom_operators(const Subject&, Sink&);
void has_refused_types(const Subject&, Sink&);
void has_random_operators(const Subject&, Sink&);
void has_control_flow(const Subject&, Sink&);
// constant_rules.cpp
void has_bad_constants(const Subject&, Sink&);
void needs_constants(const Subject&, Sink&);
void has_unfolded_constants(const Subject&, Sink&);
void has_double_weights(const Subject&, Sink&);
void has_int64_weights(const Subject&, Sink&);
void has_clamped_integers(const Subject&, Sink&);
void has_overflowing_constants(const Subject&, Sink&);
// input_rules.cpp
void lacks_profile(const Subject&, Sink&);
void breaks_contract(const Subject&, Sink&);
// size_rules.cpp
void has_baked_sizes(const Subject&, Sink&);
void has_size_steps(const Subject&, Sink&);

}  // namespace sinter::check
