#include "sinter/check/check.h"

#include "sinter/check/rules.h"
#include "sinter/check/subject.h"

namespace sinter::check {

Report check(const graph::Outline& file, const Options& options) {
  const Subject subject(file, options);
  Report report;
  for (const Rule& rule : rules()) {
    Sink sink(rule.id, rule.severity, report);
    rule.run(subject, sink);
  }
  return report;
}

}  // namespace sinter::check
