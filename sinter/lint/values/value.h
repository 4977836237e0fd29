#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinter/base/dtype.h"
#include "sinter/lint/syntax/ast.h"
#include "sinter/lint/values/device.h"
#include "sinter/lint/values/facts.h"

namespace sinter::lint {

enum class Kind {
  kUnknown,
  kNone,
  kNumber,
  kText,
  kDevice,
  kType,
  kTensor,
  kArray,
  kBundle,
  kModule,
  kSequence,
  kDict,
  kFunction,
  kClass,
  kInstance,
  kBound,
  kPartial,
  kLibrary,
  kThing,
  kSlice,
  kGenerator
};

/// A value of the script as far as reading can tell. What Python would share is shared.
struct Object {
  explicit Object(Kind k) : kind(k) {}
  Object(const Object&) = default;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;

  const Kind kind;
  Place place = {};  // where it was written or made
};

// Shared: names, attributes and containers of the script refer to the same object.
using Value = std::shared_ptr<Object>;

/// The value as a T, or null when it is something else.
template <class T>
T* as(const Value& value) {
  return value && value->kind == T::kKind ? static_cast<T*>(value.get()) : nullptr;
}

/// Names in the order in which they were given.
class Names {
 public:
  Value* find(std::string_view name);
  void set(std::string_view name, Value value);
  void erase(std::string_view name);
  std::vector<std::pair<std::string, Value>>& all() { return entries_; }
  bool empty() const { return entries_.empty(); }

 private:
  std::vector<std::pair<std::string, Value>> entries_;
};

struct Unknown : Object {
  static constexpr Kind kKind = Kind::kUnknown;
  explicit Unknown(std::string k = {}) : Object(kKind), key(std::move(k)) {}
  std::string key;  // equal keys are the same unknown; empty: none of its own
  Names attributes;
};

struct None : Object {
  static constexpr Kind kKind = Kind::kNone;
  None() : Object(kKind) {}
};

/// int, float or bool.
struct Number : Object {
  static constexpr Kind kKind = Kind::kNumber;
  Number(std::optional<double> v, bool is_integer) : Object(kKind), value(v), integer(is_integer) {}
  std::optional<double> value;
  bool integer;
  bool boolean = false;
};

/// A string or a path; '\x01' stands for a part that is not known.
struct Text : Object {
  static constexpr Kind kKind = Kind::kText;
  explicit Text(std::string t) : Object(kKind), text(std::move(t)) {}
  bool exact() const { return text.find('\x01') == std::string::npos; }
  std::string text;
  bool path = false;
};

struct DeviceValue : Object {
  static constexpr Kind kKind = Kind::kDevice;
  explicit DeviceValue(Device d) : Object(kKind), device(std::move(d)) {}
  Device device;
  const Expr* default_of = nullptr;  // the call that left the argument out
  std::string parameter = {};        // whose default it is
  SourcePtr of = {};                 // the tensor that was asked for its device
};

/// A torch or numpy element type.
struct TypeValue : Object {
  static constexpr Kind kKind = Kind::kType;
  explicit TypeValue(std::optional<DType> t) : Object(kKind), type(t) {}
  std::optional<DType> type;
};

struct Slice : Object {
  static constexpr Kind kKind = Kind::kSlice;
  Slice() : Object(kKind) {}
  Value lower, upper, step;
};

/// A name of a library: "torch.nn.functional.silu".
struct Library : Object {
  static constexpr Kind kKind = Kind::kLibrary;
  explicit Library(std::string p) : Object(kKind), path(std::move(p)) {}
  std::string path;
};

Value unknown(std::string key = {});
Value none();
Value number(std::optional<double> value, bool integer = true);
Value boolean(std::optional<bool> value);
Value boolean_or_unknown(std::optional<bool> value);
Value text(std::string value);
Value device_value(Device device);
Value type_value(std::optional<DType> type);

/// A copy of it, members included; modules and tensors that occur twice stay one.
Value deep_copy(const Value& value);

}  // namespace sinter::lint
