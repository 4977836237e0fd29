#pragma once

#include <string_view>

#include "sinter/lint/tensors/meeting.h"

namespace sinter::lint {

enum class OutType { kSame, kPromote, kBool, kLong, kFloat, kUnknown };
enum class OutShape {
  kSame,
  kBroadcast,
  kSameRank,
  kReduced,
  kScalar,
  kSome,
  kAnything,
  kStack,
  kAdd,
  kDrop,
  kView,
  kFlat,
  kPlain2
};
enum class Returns { kTensor, kTensors, kNumber, kList, kNothing, kSelf };

/// One row per operator of torch, torch.nn.functional or Tensor: which operands have to meet on one
/// device, and what comes out.
struct Operator {
  std::string_view name;
  Meeting meeting = Meeting::kStrict;
  OutType type = OutType::kSame;
  OutShape shape = OutShape::kSame;
  Returns returns = Returns::kTensor;
  int index_at = -1;        // position of the operand that indexes, counted in the function form
  bool one_type = false;    // float operands of different types are refused
  bool first_only = false;  // of other tensors it reads the shape, as expand_as() does
};

/// The row of that name without a trailing underscore; null when there is none.
const Operator* find_operator(std::string_view name);

/// Runs an operator on `self` (null for functions) and the arguments.
Value run_operator(Interpreter& in, const Operator& op, bool in_place, const Value& self,
                   const Invocation& call);

}  // namespace sinter::lint
