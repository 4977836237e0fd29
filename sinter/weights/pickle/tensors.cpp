// What the machine makes of the calls that build tensors, and of the storages behind them.

#include <fmt/format.h>

#include <utility>

#include "sinter/base/dtype.h"
#include "sinter/weights/pickle/machine.h"

namespace sinter::weights::pickle {
namespace {

/// Whether the highest bit of an element turns its sign.
bool has_sign_bit(const Element& element) { return element.read && is_floating(*element.read); }

}  // namespace

std::vector<std::int64_t> Machine::numbers_of(Ref ref, std::string_view what) {
  const Kind kind = values_.at(ref).kind;
  if (kind != Kind::kTuple && kind != Kind::kList)
    fail(fmt::format("builds a tensor whose {} are no tuple", what));
  const std::vector<Ref>& items = values_.body(ref).items;
  if (items.size() > kMostExtents)
    fail(fmt::format("builds a tensor of {} dimensions, of which there are at most {},",
                     items.size(), kMostExtents));
  charge(items.size());
  std::vector<std::int64_t> numbers;
  numbers.reserve(items.size());
  for (const Ref item : items) {
    if (values_.at(item).kind != Kind::kInt)
      fail(fmt::format("builds a tensor whose {} are not of 64-bit numbers", what));
    numbers.push_back(values_.at(item).number);
  }
  return numbers;
}

/// Whether a tensor's metadata ({'neg': True}, {'conj': True}) says that bit of it.
/// Source: torch/_utils.py (set_tensor_metadata), torch._C._set_neg.
bool Machine::has_bit(const std::vector<Ref>& items, std::size_t index, std::string_view bit) {
  if (index >= items.size() || values_.at(items[index]).kind != Kind::kDict) return false;
  const std::vector<Ref>& entries = values_.body(items[index]).entries;
  charge(entries.size());
  bool set = false;  // the last entry of a key counts
  for (std::size_t i = 0; i + 1 < entries.size(); i += 2)
    if (values_.at(entries[i]).kind == Kind::kText && values_.at(entries[i]).text == bit)
      set = values_.at(entries[i + 1]).number != 0;
  return set;
}

Ref Machine::made_tensor(Ref callee, Ref arguments) {
  const Value* storage = argument(arguments, 0);
  const Value* offset = argument(arguments, 1);
  const std::vector<Ref>& items = values_.body(arguments).items;
  const Meaning meaning = values_.global(callee).known.meaning;
  const std::size_t needed = meaning == Meaning::kTensorV3 ? 7 : 4;
  if (items.size() < needed)
    fail(fmt::format("builds a tensor of {} arguments, expected {}", items.size(), needed));
  if (storage->kind != Kind::kStorage) {
    // One whose storage is in a file within this program, or is nothing known.
    findings_.unread_tensors = true;
    return object(callee, arguments);
  }
  if (offset->kind != Kind::kInt) fail("builds a tensor whose offset is no 64-bit number");
  TensorView view{.storage = storage->index,
                  .element = values_.storages[storage->index].element,
                  .offset = offset->number,
                  .shape = numbers_of(items[2], "extents"),
                  .strides = numbers_of(items[3], "strides")};
  if (view.shape.size() != view.strides.size())
    fail(fmt::format("builds a tensor with {} extents and {} strides", view.shape.size(),
                     view.strides.size()));
  if (meaning == Meaning::kTensorV3) {
    const Value& dtype = values_.at(items[6]);
    const bool is_dtype = dtype.kind == Kind::kGlobal &&
                          values_.globals[dtype.index].known.meaning == Meaning::kDType;
    if (!is_dtype) fail("builds a tensor of an element type that is none");
    view.element = values_.globals[dtype.index].known.element;
  }
  const std::size_t metadata = meaning == Meaning::kTensorV3 ? 7 : 6;
  view.negated = has_bit(items, metadata, "neg");
  if (has_bit(items, metadata, "conj") || (view.negated && !has_sign_bit(*view.element))) {
    findings_.unread_tensors = true;
    return object(callee, arguments);
  }
  const Ref made = add({.kind = Kind::kTensor,
                        .index = static_cast<std::uint32_t>(values_.tensors.size()),
                        .text = {}});
  values_.tensors.push_back(std::move(view));
  return made;
}

Ref Machine::persistent(Ref id) {
  if (values_.at(id).kind == Kind::kTuple) {
    const std::vector<Ref>& items = values_.body(id).items;
    const std::string_view word =
        items.empty() ? std::string_view() : values_.at(items.front()).text;
    if (word == "storage" && items.size() >= 5) return storage_of(items);
    // ("module", class, file, source): the class, with the text of its source for comparison.
    if (word == "module" && items.size() >= 2) return items[1];
  }
  return object(kNoRef, kNoRef);
}

/// ("storage", class, key, device, count[, (key of the part, offset, count) or None]).
Ref Machine::storage_of(const std::vector<Ref>& id) {
  const Value& type = values_.at(id[1]);
  const Value& key = values_.at(id[2]);
  const Value& device = values_.at(id[3]);
  const Value& count = values_.at(id[4]);
  const bool is_storage =
      type.kind == Kind::kGlobal && values_.globals[type.index].known.meaning == Meaning::kStorage;
  if (!is_storage) return object(id[1], kNoRef);
  if (key.kind != Kind::kText || device.kind != Kind::kText || count.kind != Kind::kInt)
    fail("names a storage without its key, device and count");
  Storage storage{.key = key.text,
                  .device = device.text,
                  .element = values_.globals[type.index].known.element,
                  .count = count.number,
                  .root = {}};
  if (id.size() > 5 && values_.at(id[5]).kind == Kind::kTuple) {
    const std::vector<Ref>& part = values_.body(id[5]).items;
    if (part.size() != 3 || values_.at(part[0]).kind != Kind::kText ||
        values_.at(part[1]).kind != Kind::kInt || values_.at(part[2]).kind != Kind::kInt)
      fail("names a part of a storage without its key, offset and count");
    storage.root = storage.key;
    storage.key = values_.at(part[0]).text;
    storage.view_offset = values_.at(part[1]).number;
    // The whole is read from the file, whatever else is a part of it.
    if (!storages_.contains(storage.root)) {
      values_.storages.push_back({.key = storage.root,
                                  .device = storage.device,
                                  .element = storage.element,
                                  .count = storage.count,
                                  .root = {}});
      storages_.emplace(storage.root,
                        add({.kind = Kind::kStorage,
                             .index = static_cast<std::uint32_t>(values_.storages.size() - 1),
                             .text = {}}));
    }
    storage.count = values_.at(part[2]).number;
  }
  // The first mention of a key decides, as it does in torch.
  const auto known = storages_.find(storage.key);
  if (known != storages_.end()) return known->second;
  const Ref made = add({.kind = Kind::kStorage,
                        .index = static_cast<std::uint32_t>(values_.storages.size()),
                        .text = {}});
  storages_.emplace(storage.key, made);
  values_.storages.push_back(storage);
  return made;
}

}  // namespace sinter::weights::pickle
