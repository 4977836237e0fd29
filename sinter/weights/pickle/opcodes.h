#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace sinter::weights::pickle {

/// The instructions of pickle's protocols 0 to 5 by their byte.
/// Source: CPython's Lib/pickletools.py describes each.
enum class Op : std::uint8_t {
  kMark = '(',
  kStop = '.',
  kPop = '0',
  kPopMark = '1',
  kDup = '2',
  kBinBytes = 'B',
  kShortBinBytes = 'C',
  kFloat = 'F',
  kBinFloat = 'G',
  kInt = 'I',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kLong = 'L',
  kBinInt2 = 'M',
  kNone = 'N',
  kPersId = 'P',
  kBinPersId = 'Q',
  kReduce = 'R',
  kString = 'S',
  kBinString = 'T',
  kShortBinString = 'U',
  kUnicode = 'V',
  kBinUnicode = 'X',
  kEmptyList = ']',
  kAppend = 'a',
  kBuild = 'b',
  kGlobal = 'c',
  kDict = 'd',
  kAppends = 'e',
  kGet = 'g',
  kBinGet = 'h',
  kInst = 'i',
  kLongBinGet = 'j',
  kList = 'l',
  kObj = 'o',
  kPut = 'p',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kEmptyTuple = ')',
  kSetItems = 'u',
  kEmptyDict = '}',
  kProto = 0x80,
  kNewObj = 0x81,
  kExt1 = 0x82,
  kExt2 = 0x83,
  kExt4 = 0x84,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a,
  kLong4 = 0x8b,
  kShortBinUnicode = 0x8c,
  kBinUnicode8 = 0x8d,
  kBinBytes8 = 0x8e,
  kEmptySet = 0x8f,
  kAddItems = 0x90,
  kFrozenSet = 0x91,
  kNewObjEx = 0x92,
  kStackGlobal = 0x93,
  kMemoize = 0x94,
  kFrame = 0x95,
  kByteArray8 = 0x96,
  kNextBuffer = 0x97,
  kReadonlyBuffer = 0x98,
};

/// What follows an instruction's byte.
enum class Operand : std::uint8_t {
  kNone,
  kNumber1,  // little-endian, of so many bytes
  kNumber2,
  kNumber4,
  kNumber8,
  kBytes1,  // a length of so many bytes, and the bytes
  kBytes4,
  kBytes8,
  kFloat8,  // big-endian
  kLine,    // up to a line end
  kLines2,
};

struct Instruction {
  Op op;
  std::uint64_t number = 0;  // of kNumber*, kFloat8 (its bits)
  std::string_view text;     // of kBytes*, kLine*; a view of the program
  std::string_view second;   // of kLines2
  std::size_t at = 0;        // of its byte in the program
};

/// Reads the instructions of a program one by one.
class InstructionReader {
 public:
  /// program: outlives the instructions.
  explicit InstructionReader(std::string_view program) : program_(program) {}

  /// @throws Error{kBadFile} for a byte that is no instruction, and where the program ends early.
  Instruction next();

  /// Bytes read.
  std::size_t position() const { return at_; }

 private:
  std::string_view take(std::uint64_t bytes);
  std::string_view take_line();
  std::uint64_t take_number(std::size_t width);

  std::string_view program_;
  std::size_t at_ = 0;
};

}  // namespace sinter::weights::pickle
