#include "sinter/lint/report/finding.h"

namespace sinter::lint {

void Findings::add(Finding finding) {
  if (!finding.place.known()) return;
  found_.try_emplace({finding.place.line, finding.rule}, std::move(finding));
}

std::vector<Finding> Findings::take() {
  std::vector<Finding> all;
  for (auto& [key, finding] : found_) all.push_back(std::move(finding));
  found_.clear();
  return all;
}

}  // namespace sinter::lint
