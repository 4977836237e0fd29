#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sinter/lint/values/value.h"

namespace sinter::lint {

struct Tensor : Object {
  static constexpr Kind kKind = Kind::kTensor;
  explicit Tensor(Facts f) : Object(kKind), facts(std::move(f)) {}
  Facts facts;
  bool parameter = false;
  bool buffer = false;  // torch.nn.Buffer
};

/// A structure of tensors of which only the common facts are known.
struct Bundle : Object {
  static constexpr Kind kKind = Kind::kBundle;
  enum class Use { kOutput, kLoaded, kEncoding };
  Bundle(Use u, Facts f) : Object(kKind), use(u), facts(std::move(f)) {}
  Use use;
  Facts facts;
};

struct Array : Object {
  static constexpr Kind kKind = Kind::kArray;
  Array(std::optional<DType> t, TensorShape s) : Object(kKind), type(t), shape(std::move(s)) {}
  std::optional<DType> type;
  TensorShape shape;
  bool from_file = false;  // its type is the file's
};

struct Sequence : Object {
  static constexpr Kind kKind = Kind::kSequence;
  enum class Type { kList, kTuple, kSet };
  explicit Sequence(Type t, std::vector<Value> i = {})
      : Object(kKind), type(t), items(std::move(i)) {}
  Type type;
  std::vector<Value> items;
  bool open = false;     // there may be more
  Place attribute = {};  // of the module attribute that holds it
  std::string attribute_name = {};
  int loop_depth = 0;   // of the loops around its creation
  bool joined = false;  // given to cat, stack or the like
};

struct Dict : Object {
  static constexpr Kind kKind = Kind::kDict;
  Dict() : Object(kKind) {}
  Names entries;
  std::vector<Value> others;  // under keys that are not known
  Place attribute = {};
  std::string attribute_name = {};
  int loop_depth = 0;
};

Value tensor(Facts facts);
Value tuple(std::vector<Value> items);
Value list(std::vector<Value> items);

/// The facts of a tensor or bundle, or null.
Facts* facts_of(const Value& value);

}  // namespace sinter::lint
