#include "sinter/weights/pickle/opcodes.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "sinter/base/error.h"

namespace sinter::weights::pickle {
namespace {

struct Row {
  Op op;
  Operand operand;
};

constexpr std::array kRows{
    Row{Op::kMark, Operand::kNone},
    Row{Op::kStop, Operand::kNone},
    Row{Op::kPop, Operand::kNone},
    Row{Op::kPopMark, Operand::kNone},
    Row{Op::kDup, Operand::kNone},
    Row{Op::kBinBytes, Operand::kBytes4},
    Row{Op::kShortBinBytes, Operand::kBytes1},
    Row{Op::kFloat, Operand::kLine},
    Row{Op::kBinFloat, Operand::kFloat8},
    Row{Op::kInt, Operand::kLine},
    Row{Op::kBinInt, Operand::kNumber4},
    Row{Op::kBinInt1, Operand::kNumber1},
    Row{Op::kLong, Operand::kLine},
    Row{Op::kBinInt2, Operand::kNumber2},
    Row{Op::kNone, Operand::kNone},
    Row{Op::kPersId, Operand::kLine},
    Row{Op::kBinPersId, Operand::kNone},
    Row{Op::kReduce, Operand::kNone},
    Row{Op::kString, Operand::kLine},
    Row{Op::kBinString, Operand::kBytes4},
    Row{Op::kShortBinString, Operand::kBytes1},
    Row{Op::kUnicode, Operand::kLine},
    Row{Op::kBinUnicode, Operand::kBytes4},
    Row{Op::kEmptyList, Operand::kNone},
    Row{Op::kAppend, Operand::kNone},
    Row{Op::kBuild, Operand::kNone},
    Row{Op::kGlobal, Operand::kLines2},
    Row{Op::kDict, Operand::kNone},
    Row{Op::kAppends, Operand::kNone},
    Row{Op::kGet, Operand::kLine},
    Row{Op::kBinGet, Operand::kNumber1},
    Row{Op::kInst, Operand::kLines2},
    Row{Op::kLongBinGet, Operand::kNumber4},
    Row{Op::kList, Operand::kNone},
    Row{Op::kObj, Operand::kNone},
    Row{Op::kPut, Operand::kLine},
    Row{Op::kBinPut, Operand::kNumber1},
    Row{Op::kLongBinPut, Operand::kNumber4},
    Row{Op::kSetItem, Operand::kNone},
    Row{Op::kTuple, Operand::kNone},
    Row{Op::kEmptyTuple, Operand::kNone},
    Row{Op::kSetItems, Operand::kNone},
    Row{Op::kEmptyDict, Operand::kNone},
    Row{Op::kProto, Operand::kNumber1},
    Row{Op::kNewObj, Operand::kNone},
    Row{Op::kExt1, Operand::kNumber1},
    Row{Op::kExt2, Operand::kNumber2},
    Row{Op::kExt4, Operand::kNumber4},
    Row{Op::kTuple1, Operand::kNone},
    Row{Op::kTuple2, Operand::kNone},
    Row{Op::kTuple3, Operand::kNone},
    Row{Op::kNewTrue, Operand::kNone},
    Row{Op::kNewFalse, Operand::kNone},
    Row{Op::kLong1, Operand::kBytes1},
    Row{Op::kLong4, Operand::kBytes4},
    Row{Op::kShortBinUnicode, Operand::kBytes1},
    Row{Op::kBinUnicode8, Operand::kBytes8},
    Row{Op::kBinBytes8, Operand::kBytes8},
    Row{Op::kEmptySet, Operand::kNone},
    Row{Op::kAddItems, Operand::kNone},
    Row{Op::kFrozenSet, Operand::kNone},
    Row{Op::kNewObjEx, Operand::kNone},
    Row{Op::kStackGlobal, Operand::kNone},
    Row{Op::kMemoize, Operand::kNone},
    Row{Op::kFrame, Operand::kNumber8},
    Row{Op::kByteArray8, Operand::kBytes8},
    Row{Op::kNextBuffer, Operand::kNone},
    Row{Op::kReadonlyBuffer, Operand::kNone},
};

constexpr std::array<std::optional<Operand>, 256> kOperands = [] {
  std::array<std::optional<Operand>, 256> operands{};
  for (const Row& row : kRows) operands[static_cast<std::size_t>(row.op)] = row.operand;
  return operands;
}();

}  // namespace

std::string_view InstructionReader::take(std::uint64_t bytes) {
  if (bytes > program_.size() - at_)
    throw Error(ErrorCode::kBadFile,
                fmt::format("the pickle asks for {} bytes at byte {}, and only {} are left", bytes,
                            at_, program_.size() - at_));
  const std::string_view taken = program_.substr(at_, static_cast<std::size_t>(bytes));
  at_ += taken.size();
  return taken;
}

std::string_view InstructionReader::take_line() {
  const std::size_t end = program_.find('\n', at_);
  if (end == program_.npos)
    throw Error(ErrorCode::kBadFile, fmt::format("the pickle's line at byte {} does not end", at_));
  const std::string_view line = program_.substr(at_, end - at_);
  at_ = end + 1;
  return line;
}

std::uint64_t InstructionReader::take_number(std::size_t width) {
  std::uint64_t value = 0;
  std::size_t shift = 0;
  for (const char c : take(width)) {
    value |= std::uint64_t{static_cast<unsigned char>(c)} << shift;
    shift += 8;
  }
  return value;
}

Instruction InstructionReader::next() {
  if (at_ == program_.size())
    throw Error(ErrorCode::kBadFile,
                fmt::format("the pickle ends at byte {} without its stop", at_));
  Instruction read{.op = {}, .number = 0, .text = {}, .second = {}, .at = at_};
  const auto byte = static_cast<unsigned char>(program_[at_++]);
  if (!kOperands[byte])
    throw Error(ErrorCode::kBadFile, fmt::format("the pickle has {:#04x} at byte {}, which is no "
                                                 "instruction",
                                                 byte, read.at));
  read.op = Op{byte};
  switch (*kOperands[byte]) {
    case Operand::kNone:
      break;
    case Operand::kNumber1:
      read.number = take_number(1);
      break;
    case Operand::kNumber2:
      read.number = take_number(2);
      break;
    case Operand::kNumber4:
      read.number = take_number(4);
      break;
    case Operand::kNumber8:
      read.number = take_number(8);
      break;
    case Operand::kBytes1:
      read.text = take(take_number(1));
      break;
    case Operand::kBytes4:
      read.text = take(take_number(4));
      break;
    case Operand::kBytes8:
      read.text = take(take_number(8));
      break;
    case Operand::kFloat8:
      for (const char c : take(8))
        read.number = read.number << 8 | std::uint64_t{static_cast<unsigned char>(c)};
      break;
    case Operand::kLine:
      read.text = take_line();
      break;
    case Operand::kLines2:
      read.text = take_line();
      read.second = take_line();
      break;
  }
  return read;
}

}  // namespace sinter::weights::pickle
