#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/base/shape.h"
#include "sinter/weights/pickle/globals.h"

namespace sinter::weights::pickle {

enum class Kind : std::uint8_t {
  kNone,
  kBool,
  kInt,
  kBigInt,  // beyond 64 bits: never a size
  kFloat,
  kText,
  kBytes,
  kList,
  kTuple,
  kSet,
  kDict,
  kGlobal,  // a class or function by name
  kObject,  // what calling something would give: a stand-in
  kStorage,
  kTensor,
};

/// A value by its place among the values.
using Ref = std::uint32_t;
inline constexpr Ref kNoRef = 0xffffffff;

struct Value {
  Kind kind = Kind::kNone;
  bool tainted = false;     // something dangerous is in it, or made it
  std::uint16_t depth = 1;  // levels of containers below, itself included
  std::uint32_t size = 1;   // values that it would be written out; stops at the most there can be
  std::uint32_t index = 0;  // into bodies, globals, storages or tensors, by kind
  std::int64_t number = 0;  // bool, int; a float's bits
  std::string_view text;    // text, bytes; the digits of a big int
};

/// What a container or stand-in consists of.
struct Body {
  std::vector<Ref> items;    // of list, tuple, set, or put into an object
  std::vector<Ref> entries;  // key, value, key, value, ...
  Ref callee = kNoRef;       // of an object: what was called
  Ref arguments = kNoRef;    // a tuple
  Ref state = kNoRef;        // what it was told last of its attributes
};

struct Global {
  std::string_view module;
  std::string_view name;
  KnownGlobal known;

  std::string full_name() const { return std::string(module) + "." + std::string(name); }
};

/// A block of elements that tensors are views of, as the program names it.
struct Storage {
  std::string_view key;
  std::string_view device;  // where it was: "cpu", "cuda:0"
  const Element* element;
  std::int64_t count;  // of elements
  // Of the old stream: this storage is a part of that one, `view_offset` elements in.
  std::string_view root;
  std::int64_t view_offset = 0;
};

/// A view of a storage, unchecked.
struct TensorView {
  std::uint32_t storage;  // index
  const Element* element;
  std::int64_t offset;  // in elements
  Shape shape;
  std::vector<std::int64_t> strides;  // in elements
  bool negated = false;               // each element stands for its negative
};

/// All values that the programs of a file make. Texts refer to the programs, which outlive it.
struct Values {
  std::vector<Value> all;
  std::vector<Body> bodies;
  std::vector<Global> globals;
  std::vector<Storage> storages;
  std::vector<TensorView> tensors;
  std::deque<std::string> texts;  // those that do not stand in a program as they are

  const Value& at(Ref ref) const { return all[ref]; }
  const Body& body(Ref ref) const { return bodies[all[ref].index]; }
  const Global& global(Ref ref) const { return globals[all[ref].index]; }
};

/// A value as Python would print it, shortened: "os.system('true')".
std::string quote(const Values& values, Ref ref);

}  // namespace sinter::weights::pickle
