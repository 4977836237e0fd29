#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::check {

/// kError: the target refuses the file, or its results would be wrong. kWarning: it works worse or
/// only sometimes. kNote: worth knowing.
enum class Severity { kError, kWarning, kNote };

std::string_view severity_name(Severity severity);  // "error", "warning", "note"

/// Where a finding is; every part may be empty.
struct Place {
  std::string node;    // or the name of a tensor, an input, an output
  std::string op;      // the node's operator
  std::string module;  // of the network, as far as the node's name tells

  friend bool operator==(const Place&, const Place&) = default;
};

/// One thing that is wrong, and everywhere that it is.
struct Finding {
  Severity severity;
  std::string_view rule;  // id of its row in rules.h
  std::string why;        // what was expected, what was found
  std::string todo;       // what to do about it
  std::vector<Place> places;
};

/// What is wrong with one file. Findings stand in the order of the rules; those of one rule with
/// the same words are one finding with several places.
struct Report {
  std::vector<Finding> findings;

  std::size_t count(Severity severity) const;  // findings, not places
};

}  // namespace sinter::check
