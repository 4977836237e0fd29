// The machine's stack, memo and values: what its instructions are made of.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/weights/pickle/machine.h"

namespace sinter::weights::pickle {

Ref Machine::add(Value value) {
  if (values_.all.size() >= kMostValues)
    fail(fmt::format("makes more than {} values", kMostValues));
  values_.all.push_back(value);
  return static_cast<Ref>(values_.all.size() - 1);
}

void Machine::push(Ref ref) {
  if (stack_.size() >= kMostValues) fail(fmt::format("piles up more than {} values", kMostValues));
  stack_.push_back(ref);
}

Ref Machine::pop() {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= floor) fail("takes from an empty stack");
  const Ref ref = stack_.back();
  stack_.pop_back();
  return ref;
}

Ref Machine::top() {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= floor) fail("takes from an empty stack");
  return stack_.back();
}

std::vector<Ref> Machine::pop_to_mark() {
  if (marks_.empty()) fail("looks for a mark that is not there");
  const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  std::vector<Ref> items(begin, stack_.end());
  stack_.erase(begin, stack_.end());
  marks_.pop_back();
  return items;
}

void Machine::push_number(std::int64_t number, Kind kind) {
  push(add({.kind = kind, .number = number, .text = {}}));
}

void Machine::push_text(Kind kind, std::string_view text) {
  push(add({.kind = kind, .text = text}));
}

void Machine::push_decimal(std::string_view digits) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (end != digits.data() + digits.size() || digits.empty()) fail("has a number that is none");
  if (error == std::errc::result_out_of_range)
    push_text(Kind::kBigInt, digits);
  else if (error == std::errc{})
    push_number(number);
  else
    fail("has a number that is none");
}

/// Two's complement, little-endian.
void Machine::push_long(std::string_view bytes) {
  if (bytes.size() > sizeof(std::int64_t)) return push_text(Kind::kBigInt, bytes);
  const bool negative = !bytes.empty() && (static_cast<unsigned char>(bytes.back()) & 0x80) != 0;
  std::uint64_t number = negative ? ~std::uint64_t{0} : 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    number = number << 8 | std::uint64_t{static_cast<unsigned char>(bytes[i])};
  push_number(static_cast<std::int64_t>(number));
}

Ref Machine::container(Kind kind, std::vector<Ref> items) {
  const Ref made =
      add({.kind = kind, .index = static_cast<std::uint32_t>(values_.bodies.size()), .text = {}});
  values_.bodies.push_back({.items = std::move(items), .entries = {}});
  for (std::size_t i = 0; i < values_.body(made).items.size(); ++i)
    grow(made, values_.body(made).items[i]);
  return made;
}

/// Another value with the same body: nothing is copied, however often it is asked for.
Ref Machine::view_of(Kind kind, Ref other) {
  Value value = values_.at(other);
  value.kind = kind;
  return add(value);
}

/// Counts what a container holds, so that what refers to itself a thousandfold is seen early.
void Machine::grow(Ref parent, Ref child) {
  const Value& inner = values_.at(child);
  Value& outer = values_.all[parent];
  outer.tainted = outer.tainted || inner.tainted;
  outer.depth = std::max<std::uint16_t>(outer.depth, static_cast<std::uint16_t>(inner.depth + 1));
  if (outer.depth > kMostDepth) fail(fmt::format("nests values more than {} deep", kMostDepth));
  outer.size += inner.size;  // both are at most kMostWrittenOut
  if (outer.size > kMostWrittenOut)
    fail(fmt::format("refers to its own values so often that they would be more than {}",
                     kMostWrittenOut));
}

/// What copies values is paid from one budget, as a program can ask for the same copy again and
/// again.
void Machine::charge(std::size_t units) {
  constexpr std::size_t kBudget = 2 * kMostValues;
  if (units > kBudget - charged_) fail("copies more values than sinter takes");
  charged_ += units;
}

void Machine::put_items(Ref target, const std::vector<Ref>& items) {
  const Kind kind = values_.at(target).kind;
  if (kind != Kind::kList && kind != Kind::kSet && kind != Kind::kObject)
    fail("adds items to something that has none");
  std::vector<Ref>& there = values_.bodies[values_.at(target).index].items;
  there.insert(there.end(), items.begin(), items.end());
  for (const Ref item : items) grow(target, item);
}

void Machine::put_entries(Ref target, const std::vector<Ref>& entries) {
  const Kind kind = values_.at(target).kind;
  if (kind != Kind::kDict && kind != Kind::kObject) fail("sets items of something that has none");
  if (entries.size() % 2 != 0) fail("has a key without a value");
  std::vector<Ref>& there = values_.bodies[values_.at(target).index].entries;
  there.insert(there.end(), entries.begin(), entries.end());
  for (const Ref entry : entries) grow(target, entry);
}

void Machine::store(std::uint64_t key) {
  if (memo_.size() >= kMostValues) fail(fmt::format("remembers more than {} values", kMostValues));
  memo_[key] = top();
}

void Machine::fetch(std::uint64_t key) {
  const auto found = memo_.find(key);
  if (found == memo_.end()) fail(fmt::format("asks for value {}, which it never stored,", key));
  push(found->second);
}

std::uint64_t Machine::memo_key(std::string_view line) const {
  std::uint64_t key = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), key);
  if (error != std::errc{} || end != line.data() + line.size()) fail("has a number that is none");
  return key;
}

}  // namespace sinter::weights::pickle
