#include "sinter/weights/pickle/machine.h"

#include <fmt/format.h>

#include <bit>

#include "sinter/base/error.h"
#include "sinter/weights/pickle/text.h"

namespace sinter::weights::pickle {

void Machine::fail(std::string_view what) const {
  throw Error(ErrorCode::kBadFile, fmt::format("the pickle {} at byte {}", what, at_));
}

Ref Machine::run(std::string_view program) {
  stack_.clear();
  marks_.clear();
  memo_.clear();
  InstructionReader reader(program);
  for (;;) {
    const Instruction read = reader.next();
    at_ = read.at;
    consumed_ = reader.position();
    if (read.op == Op::kStop) return pop();
    if (read.op == Op::kFrame && read.number > program.size() - reader.position())
      fail(fmt::format("announces {} bytes, and only {} are left,", read.number,
                       program.size() - reader.position()));
    step(read);
  }
}

void Machine::step(const Instruction& read) {
  if (!step_scalar(read) && !step_container(read) && !step_memo(read)) step_call(read);
}

bool Machine::step_scalar(const Instruction& read) {
  switch (read.op) {
    case Op::kNone:
      add({.kind = Kind::kNone, .text = {}});
      push(static_cast<Ref>(values_.all.size() - 1));
      return true;
    case Op::kNewTrue:
    case Op::kNewFalse:
      push_number(read.op == Op::kNewTrue ? 1 : 0, Kind::kBool);
      return true;
    case Op::kInt:
      if (read.text == "00" || read.text == "01")
        push_number(read.text == "01" ? 1 : 0, Kind::kBool);
      else
        push_decimal(read.text);
      return true;
    case Op::kLong:
      push_decimal(read.text.ends_with('L') ? read.text.substr(0, read.text.size() - 1)
                                            : read.text);
      return true;
    case Op::kBinInt:
      push_number(static_cast<std::int32_t>(static_cast<std::uint32_t>(read.number)));
      return true;
    case Op::kBinInt1:
    case Op::kBinInt2:
      push_number(static_cast<std::int64_t>(read.number));
      return true;
    case Op::kLong1:
    case Op::kLong4:
      push_long(read.text);
      return true;
    case Op::kFloat:
      push_number(std::bit_cast<std::int64_t>(number_in(read.text)), Kind::kFloat);
      return true;
    case Op::kBinFloat:
      push_number(std::bit_cast<std::int64_t>(read.number), Kind::kFloat);
      return true;
    case Op::kString:
      push_text(Kind::kText, unquoted(read.text, values_.texts));
      return true;
    case Op::kUnicode:
      push_text(Kind::kText, without_unicode_escapes(read.text, values_.texts));
      return true;
    case Op::kBinString:
    case Op::kShortBinString:
    case Op::kBinUnicode:
    case Op::kShortBinUnicode:
    case Op::kBinUnicode8:
      push_text(Kind::kText, read.text);
      return true;
    case Op::kBinBytes:
    case Op::kShortBinBytes:
    case Op::kBinBytes8:
    case Op::kByteArray8:
      push_text(Kind::kBytes, read.text);
      return true;
    default:
      return false;
  }
}

bool Machine::step_container(const Instruction& read) {
  switch (read.op) {
    case Op::kMark:
      if (marks_.size() >= kMostValues) fail("sets more marks than sinter takes");
      marks_.push_back(stack_.size());
      return true;
    case Op::kPopMark:
      pop_to_mark();
      return true;
    case Op::kEmptyList:
      push(container(Kind::kList, {}));
      return true;
    case Op::kEmptyTuple:
      push(container(Kind::kTuple, {}));
      return true;
    case Op::kEmptyDict:
      push(container(Kind::kDict, {}));
      return true;
    case Op::kEmptySet:
      push(container(Kind::kSet, {}));
      return true;
    case Op::kList:
      push(container(Kind::kList, pop_to_mark()));
      return true;
    case Op::kTuple:
      push(container(Kind::kTuple, pop_to_mark()));
      return true;
    case Op::kFrozenSet:
      push(container(Kind::kSet, pop_to_mark()));
      return true;
    case Op::kTuple1:
    case Op::kTuple2:
    case Op::kTuple3: {
      std::vector<Ref> items(static_cast<std::size_t>(read.op) -
                             static_cast<std::size_t>(Op::kTuple1) + 1);
      for (std::size_t i = items.size(); i-- > 0;) items[i] = pop();
      push(container(Kind::kTuple, std::move(items)));
      return true;
    }
    case Op::kDict: {
      const std::vector<Ref> entries = pop_to_mark();
      push(container(Kind::kDict, {}));
      put_entries(top(), entries);
      return true;
    }
    case Op::kAppend: {
      const Ref item = pop();
      put_items(top(), {item});
      return true;
    }
    case Op::kAppends:
    case Op::kAddItems: {
      const std::vector<Ref> items = pop_to_mark();
      put_items(top(), items);
      return true;
    }
    case Op::kSetItem: {
      const Ref value = pop();
      const Ref key = pop();
      put_entries(top(), {key, value});
      return true;
    }
    case Op::kSetItems: {
      const std::vector<Ref> entries = pop_to_mark();
      put_entries(top(), entries);
      return true;
    }
    default:
      return false;
  }
}

bool Machine::step_memo(const Instruction& read) {
  switch (read.op) {
    case Op::kProto:
      if (read.number > 5)
        fail(fmt::format("is of protocol {}, which does not exist,", read.number));
      return true;
    case Op::kFrame:
    case Op::kReadonlyBuffer:
      return true;
    case Op::kPop:
      if (!marks_.empty() && marks_.back() == stack_.size())
        marks_.pop_back();
      else
        pop();
      return true;
    case Op::kDup:
      push(top());
      return true;
    case Op::kPut:
      store(memo_key(read.text));
      return true;
    case Op::kBinPut:
    case Op::kLongBinPut:
      store(read.number);
      return true;
    case Op::kMemoize:
      store(memo_.size());
      return true;
    case Op::kGet:
      fetch(memo_key(read.text));
      return true;
    case Op::kBinGet:
    case Op::kLongBinGet:
      fetch(read.number);
      return true;
    default:
      return false;
  }
}

void Machine::step_call(const Instruction& read) {
  switch (read.op) {
    case Op::kGlobal:
      push(global(read.text, read.second));
      return;
    case Op::kStackGlobal: {
      const Value name = values_.at(pop());
      const Value module = values_.at(pop());
      if (name.kind != Kind::kText || module.kind != Kind::kText)
        fail("imports something that is no text");
      push(global(module.text, name.text));
      return;
    }
    case Op::kExt1:
    case Op::kExt2:
    case Op::kExt4: {
      const std::string& number = values_.texts.emplace_back(fmt::to_string(read.number));
      push(global("extension", number));
      return;
    }
    case Op::kReduce:
    case Op::kNewObj: {
      const Ref arguments = pop();
      const Ref callee = pop();
      call(callee, arguments);
      return;
    }
    case Op::kNewObjEx: {
      const Ref named = pop();
      const Ref arguments = pop();
      const Ref callee = pop();
      call(callee, arguments);
      grow(top(), named);
      return;
    }
    case Op::kInst: {
      const Ref arguments = container(Kind::kTuple, pop_to_mark());
      call(global(read.text, read.second), arguments);
      return;
    }
    case Op::kObj: {
      std::vector<Ref> items = pop_to_mark();
      if (items.empty()) fail("makes an object of nothing");
      const Ref callee = items.front();
      items.erase(items.begin());
      call(callee, container(Kind::kTuple, std::move(items)));
      return;
    }
    case Op::kBuild: {
      const Ref state = pop();
      build(top(), state);
      return;
    }
    case Op::kPersId:
      push_text(Kind::kText, read.text);
      push(persistent(pop()));
      return;
    case Op::kBinPersId:
      push(persistent(pop()));
      return;
    case Op::kNextBuffer:
      fail("takes a buffer from outside the file");
    default:
      fail("has an instruction that is not expected");
  }
}

}  // namespace sinter::weights::pickle
