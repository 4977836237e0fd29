#pragma once

#include <compare>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sinter/lint/report/rules.h"
#include "sinter/lint/syntax/place.h"

namespace sinter::lint {

/// Bytes [begin, end) of the script become `text`.
struct Replacement {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string text;
};

/// A change of the script that repairs a finding.
struct Edit {
  std::vector<Replacement> replacements;
  bool safe = false;  // changes nothing but the fault, so --fix applies it

  bool empty() const { return replacements.empty(); }
};

struct Finding {
  Rule rule = Rule::kTensorWithoutDevice;
  Place place;  // where the repair goes
  Place use;    // where PyTorch raises; unknown when that is the same
  std::string message;
  Edit edit;
};

/// What was found, each rule once a line, in the order of lines.
class Findings {
 public:
  void add(Finding finding);
  std::vector<Finding> take();

 private:
  std::map<std::pair<std::uint32_t, Rule>, Finding> found_;
};

}  // namespace sinter::lint
