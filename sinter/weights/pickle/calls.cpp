// What the machine makes of names and calls: values that say what Python would have got.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sinter/base/error.h"
#include "sinter/base/message.h"
#include "sinter/weights/pickle/machine.h"
#include "sinter/weights/pickle/text.h"

namespace sinter::weights::pickle {
namespace {

constexpr std::size_t kMostUses = 32;   // dangerous ones that are kept
constexpr std::size_t kMostSaved = 64;  // files within the program
constexpr int kMostNested = 64;         // calls that a call stands for

}  // namespace

Ref Machine::global(std::string_view module, std::string_view name) {
  if (module.size() > kLongestName || name.size() > kLongestName)
    fail(fmt::format("imports a name of more than {} bytes", kLongestName));
  const auto known = names_.find({module, name});
  if (known != names_.end()) return known->second;
  const Ref ref = add({.kind = Kind::kGlobal,
                       .index = static_cast<std::uint32_t>(values_.globals.size()),
                       .text = {}});
  values_.globals.push_back({module, name, find_global(module, name)});
  names_.emplace(std::pair(module, name), ref);
  const Global& made = values_.globals.back();
  // An extension has a number where others have a name: "extension 7".
  const std::string full =
      module == "extension" ? fmt::format("extension {}", name) : made.full_name();
  findings_.globals.insert(full);
  if (made.known.meaning == Meaning::kUnknown) findings_.unknown.insert(full);
  if (made.known.meaning == Meaning::kDangerous) {
    values_.all[ref].tainted = true;
    if (findings_.dangerous.size() < kMostUses) findings_.dangerous.push_back({full, {}});
  }
  return ref;
}

void Machine::call(Ref callee, Ref arguments) {
  if (values_.at(arguments).kind != Kind::kTuple) fail("calls something without a tuple");
  if (values_.at(callee).tainted || values_.at(arguments).tainted) {
    // Written as a stand-in that is not kept, so that it reads like any other call.
    const Ref made = object(callee, arguments);
    note_use(quote(values_, made), callee, arguments);
    push(made);
    return;
  }
  push(result_of(callee, arguments));
}

/// Of names that are not dangerous, with arguments that are not.
Ref Machine::result_of(Ref callee, Ref arguments, int nested) {
  if (values_.at(callee).kind != Kind::kGlobal || nested > kMostNested)
    return object(callee, arguments);
  switch (values_.global(callee).known.meaning) {
    case Meaning::kDict:
      return made_dict(callee, arguments);
    case Meaning::kSequence:
      return made_sequence(callee, arguments);
    case Meaning::kTensor:
    case Meaning::kTensorV3:
    case Meaning::kQuantised:
      return made_tensor(callee, arguments);
    case Meaning::kIdentity: {
      const std::vector<Ref>& items = values_.body(arguments).items;
      return items.empty() ? object(callee, arguments) : items.front();
    }
    case Meaning::kFromType: {
      const std::vector<Ref>& items = values_.body(arguments).items;
      if (items.size() < 3 || values_.at(items[2]).kind != Kind::kTuple)
        return object(callee, arguments);
      return result_of(items[0], items[2], nested + 1);
    }
    case Meaning::kUnreadTensor:
      findings_.unread_tensors = true;
      return object(callee, arguments);
    case Meaning::kEncode:
      if (const Value* text = argument(arguments, 0); text != nullptr && text->kind == Kind::kText)
        // The bytes are made where they are needed: the same text may be asked for often.
        return add({.kind = Kind::kBytes, .number = 1, .text = text->text});
      return object(callee, arguments);
    case Meaning::kNumpyScalar:
      findings_.numpy_scalars = true;
      return object(callee, arguments);
    case Meaning::kNumpyArray:
      findings_.numpy_arrays = true;
      return object(callee, arguments);
    case Meaning::kSavedBytes:
      keep_saved_file(arguments);
      return object(callee, arguments);
    case Meaning::kReconstructor:
      return reconstructed(arguments);
    default:
      return object(callee, arguments);
  }
}

Ref Machine::object(Ref callee, Ref arguments) {
  const Ref made = container(Kind::kObject, {});
  Body& body = values_.bodies[values_.at(made).index];
  body.callee = callee;
  body.arguments = arguments;
  if (callee != kNoRef) grow(made, callee);
  if (arguments != kNoRef) grow(made, arguments);
  return made;
}

/// OrderedDict(), OrderedDict([[key, value], ...]), defaultdict(factory).
Ref Machine::made_dict(Ref /*callee*/, Ref arguments) {
  const Ref made = container(Kind::kDict, {});
  charge(values_.body(arguments).items.size());
  for (const Ref item : values_.body(arguments).items) {
    const Kind kind = values_.at(item).kind;
    if (kind == Kind::kDict) {
      charge(values_.body(item).entries.size());
      put_entries(made, values_.body(item).entries);
    } else if (kind == Kind::kList || kind == Kind::kTuple) {
      charge(2 * values_.body(item).items.size());
      for (const Ref pair : values_.body(item).items) {
        const Kind of_pair = values_.at(pair).kind;
        if ((of_pair == Kind::kList || of_pair == Kind::kTuple) &&
            values_.body(pair).items.size() == 2)
          put_entries(made, values_.body(pair).items);
      }
    }
  }
  return made;
}

Ref Machine::made_sequence(Ref callee, Ref arguments) {
  const std::string_view name = values_.global(callee).name;
  const Kind kind = name == "Size" || name == "tuple"      ? Kind::kTuple
                    : name == "set" || name == "frozenset" ? Kind::kSet
                                                           : Kind::kList;
  const std::vector<Ref>& items = values_.body(arguments).items;
  if (items.empty()) return container(kind, {});
  const Kind of_first = values_.at(items.front()).kind;
  if (of_first == Kind::kList || of_first == Kind::kTuple || of_first == Kind::kSet)
    return view_of(kind, items.front());
  return object(callee, arguments);
}

const Value* Machine::argument(Ref arguments, std::size_t index) const {
  const std::vector<Ref>& items = values_.body(arguments).items;
  return index < items.size() ? &values_.at(items[index]) : nullptr;
}

/// copyreg._reconstructor(class, base, value): an object of the class.
Ref Machine::reconstructed(Ref arguments) {
  const std::vector<Ref>& items = values_.body(arguments).items;
  const Ref callee = items.empty() ? kNoRef : items.front();
  return object(callee, kNoRef);
}

void Machine::build(Ref target, Ref state) {
  if (values_.at(target).tainted || values_.at(state).tainted)
    note_use(fmt::format("{}.__setstate__({})", quote(values_, target), quote(values_, state)),
             target, state);
  const Kind kind = values_.at(target).kind;
  if (kind == Kind::kObject) {
    values_.bodies[values_.at(target).index].state = state;
    grow(target, state);
  } else if (values_.at(state).tainted) {
    values_.all[target].tainted = true;
  }
}

void Machine::keep_saved_file(Ref arguments) {
  const Value* bytes = argument(arguments, 0);
  if (bytes == nullptr || bytes->kind != Kind::kBytes) return;
  if (findings_.saved_files.size() >= kMostSaved)
    fail(fmt::format("holds more than {} files", kMostSaved));
  if (bytes->number == 0) {
    findings_.saved_files.push_back(bytes->text);
    return;
  }
  charge(bytes->text.size() / 16);
  findings_.saved_files.push_back(values_.texts.emplace_back(latin1_bytes(bytes->text)));
}

/// Writes a use down for the dangerous name that it is about.
void Machine::note_use(std::string call, Ref first, Ref second) {
  // Finding the name takes a while in a large value, and a file may ask for it again and again.
  if (findings_.dangerous.size() >= kMostUses || ++noted_ > 4 * kMostUses) return;
  for (const Ref side : {first, second}) {
    if (!values_.at(side).tainted) continue;
    std::string name = culprit(side);
    const auto unused = std::ranges::find(findings_.dangerous, DangerousUse{name, {}});
    if (unused != findings_.dangerous.end())
      unused->call = call;
    else if (std::ranges::find(findings_.dangerous, call, &DangerousUse::call) ==
             findings_.dangerous.end())
      findings_.dangerous.push_back({std::move(name), call});
  }
}

/// The first dangerous name within a value.
std::string Machine::culprit(Ref ref) const {
  const auto is_tainted = [&](Ref child) { return child != kNoRef && values_.at(child).tainted; };
  for (std::size_t step = 0; step < kMostDepth; ++step) {
    const Value& value = values_.at(ref);
    if (value.kind == Kind::kGlobal) return values_.global(ref).full_name();
    if (value.kind < Kind::kList || value.kind > Kind::kObject) break;
    const Body& body = values_.body(ref);
    Ref next = kNoRef;
    for (const Ref child : {body.callee, body.arguments, body.state})
      if (next == kNoRef && is_tainted(child)) next = child;
    for (const std::vector<Ref>* children : {&body.items, &body.entries}) {
      const auto found = std::ranges::find_if(*children, is_tainted);
      if (next == kNoRef && found != children->end()) next = *found;
    }
    if (next == kNoRef) break;
    ref = next;
  }
  return findings_.dangerous.empty() ? std::string() : findings_.dangerous.front().global;
}

}  // namespace sinter::weights::pickle
