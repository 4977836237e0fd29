#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "sinter/lint/lint.h"

namespace sinter::lint {

/// The findings of a script as "LINE rule", in order.
inline std::vector<std::string> found(const std::string& text) {
  std::vector<std::string> all;
  for (const Finding& finding : check_script("script.py", text).findings)
    all.push_back(fmt::format("{} {}", finding.place.line, rule_info(finding.rule).name));
  return all;
}

using Lines = std::vector<std::string>;

}  // namespace sinter::lint
