#include "sinter/convert/precision_policy.h"

#include <array>

namespace sinter::convert {
namespace {

struct ReasonRow {
  ExactReason reason;
  std::string_view name;
};

constexpr std::array kReasons{
    ReasonRow{ExactReason::kOverflow, "overflow"}, ReasonRow{ExactReason::kUnderflow, "underflow"},
    ReasonRow{ExactReason::kReads, "reads"},       ReasonRow{ExactReason::kScores, "scores"},
    ReasonRow{ExactReason::kWeights, "weights"},   ReasonRow{ExactReason::kError, "error"},
};

}  // namespace

std::string_view reason_name(ExactReason reason) {
  for (const ReasonRow& row : kReasons) {
    if (row.reason == reason) return row.name;
  }
  return "unknown";
}

graph::Places exact_places(const GraphPolicy& policy) {
  graph::Places places;
  for (const ExactModule& module : policy.exact) places.insert(module.module);
  return places;
}

}  // namespace sinter::convert
