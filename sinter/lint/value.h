#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sinter/base/dtype.h"
#include "sinter/lint/ast.h"
#include "sinter/lint/device.h"
#include "sinter/lint/shape.h"

namespace sinter::lint {

struct Source;
// Shared: tensors computed from one another have one source.
using SourcePtr = std::shared_ptr<const Source>;
struct Bundle;
struct Module;
struct Class;
struct Scope;

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

enum class SourceKind {
  kNone,
  kFactory,         // torch.randn and the like
  kArray,           // made of numpy data
  kProcessor,       // tokenizer, image processor
  kLoaded,          // load_file, torch.load
  kModule,          // parameters of a module and what it computed
  kAttribute,       // a tensor attribute that is no buffer
  kForcedBuffer,    // a buffer that was put on the CPU
  kReplacedData,    // parameter.data = ...
  kForwardMove,     // .cpu() or .cuda() in forward()
  kMove,            // .cpu(), .to("cpu") elsewhere
  kDiscarded,       // x.to(device) whose result was dropped
  kScheduler,       // tables of a scheduler
  kFirstParameter,  // device of next(model.parameters())
};

/// Why a tensor is where it is: the statement to repair.
struct Source {
  SourceKind kind = SourceKind::kNone;
  Place place = {};
  const Expr* expr = nullptr;  // the call that made it; null when there is none
  std::string what = {};       // how it is called in messages: "torch.randn"
  std::string name = {};       // of an attribute
  bool in_forward = false;
  bool literal_device = false;        // the call names a device by a literal
  bool forced_cpu = false;            // .cpu() was called, wherever it was before
  bool ignored_default = false;       // the call does not follow the default device that is set
  std::weak_ptr<Module> module = {};  // that is to be blamed; it holds the source itself
  std::string device_hint = {};       // what to write for the device where it was made
};
/// A loop that computed something, and the turn in which it did.
struct LoopTurn {
  int loop = 0;
  int turn = 0;
  const Module* module = nullptr;  // only compared
};

/// What tensors, bundles of tensors and arrays have in common.
struct Facts {
  Device device = {};
  std::optional<DType> type = {};
  TensorShape shape = {};
  SourcePtr source = {};
  SourcePtr type_source = {};           // what decided the element type
  std::vector<LoopTurn> recorded = {};  // loops whose gradients it carries
  bool computed = false;                // by a module
  bool loaded = false;                  // comes from a file
  bool wide = false;  // type unknown, but of numpy's making and so not of two bytes
};

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

struct Function : Object {
  static constexpr Kind kKind = Kind::kFunction;
  explicit Function(const FunctionDef* d) : Object(kKind), definition(d) {}
  const FunctionDef* definition;
  std::shared_ptr<Scope> scope;  // shared with what else was defined there
  std::vector<Value> fallbacks;  // one a parameter; null where there is none
  Class* owner = nullptr;        // the class that it was defined in; outlives it
  enum class Binding { kMethod, kStatic, kClass, kProperty } binding = Binding::kMethod;
  std::vector<Value> contexts;  // decorators that are contexts: torch.no_grad()
  bool context_manager = false;
  bool decorated = false;  // by something unknown: arguments may come from elsewhere
};

struct Class : Object, std::enable_shared_from_this<Class> {
  static constexpr Kind kKind = Kind::kClass;
  explicit Class(std::string n) : Object(kKind), name(std::move(n)) {}
  std::string name;
  std::vector<Value> bases;
  Names members;
  std::vector<std::string> fields;  // annotated names, for data classes
  const ClassDef* definition = nullptr;
  bool module = false;  // derives from torch.nn.Module
  bool data = false;
};

struct Instance : Object {
  static constexpr Kind kKind = Kind::kInstance;
  explicit Instance(Value c) : Object(kKind), type(std::move(c)) {}
  Value type;  // a Class
  Names attributes;
};

/// A torch.nn.Module: of a class of the script, a layer of torch.nn, or a model of a library.
struct Module : Object, std::enable_shared_from_this<Module> {
  static constexpr Kind kKind = Kind::kModule;
  Module() : Object(kKind) {}
  enum class Role { kPlain, kChild, kParameter, kBuffer };

  Value type;           // the Class, or null for a library's
  std::string library;  // "Linear", "UNet2DConditionModel"; empty for one of the script
  bool opaque = false;  // members come into being when they are asked for
  Names members;
  std::map<std::string, Role, std::less<>> roles;
  Device device;  // of parameters that were not asked for
  std::optional<DType> dtype;
  SourcePtr source;  // blamed when it is on the wrong device
  const Expr* created = nullptr;
  bool training = true;
  bool trainable = true;
  bool ready = false;          // __init__ is over
  bool moved = false;          // .to(device) was called
  bool spread = false;         // a device map or offloading
  Place plain_container = {};  // a list or dict attribute that hides it
  std::string plain_name = {};
  Place ran_half_on_cpu = {};
  Place typed = {};                               // where it was given its element type
  std::optional<std::int64_t> out_features = {};  // of Linear and Embedding
};

/// A method of a value that is not written in Python here.
struct Bound : Object {
  static constexpr Kind kKind = Kind::kBound;
  Bound(Value r, std::string n) : Object(kKind), receiver(std::move(r)), name(std::move(n)) {}
  Value receiver;
  std::string name;
  Value function;  // set for methods of the script's own classes
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

/// An object of a library: what it is, and what the rules need to know of it.
struct Argument {
  std::string name;  // empty for a positional one
  Value value;
  const Expr* expr = nullptr;
};

struct Thing : Object, std::enable_shared_from_this<Thing> {
  static constexpr Kind kKind = Kind::kThing;
  enum class What {
    kScheduler,
    kTokenizer,
    kProcessor,
    kGenerator,
    kPipeline,
    kImage,
    kSession,
    kParser,
    kContext,
    kAccelerator,
    kEnvironment,
    kSuper,
    kOther
  };
  explicit Thing(What w) : Object(kKind), what(w) {}
  What what;
  Names attributes;
  std::string name;  // class or context: "no_grad"
  Device device;
  Device tables = Device::cpu();  // of a scheduler, but for its timesteps
  std::optional<DType> type;
  std::string mode;   // of an image; empty when unknown
  bool flag = false;  // a session was asked for its providers, a pipeline is offloaded, ...
  const Expr* created = nullptr;
  SourcePtr source;
  std::set<std::string, std::less<>> parts = {};  // of a pipeline, that came with it
  std::set<std::string, std::less<>> hung = {};   // attributes that are no components
  std::vector<std::pair<std::string, std::vector<Argument>>> options = {};  // of a parser
  Value attributes_type;  // the class whose bases super() starts from
  Value held;             // what it is about: the object of super(), a parser's arguments
};

struct Partial : Object {
  static constexpr Kind kKind = Kind::kPartial;
  explicit Partial(Value f) : Object(kKind), function(std::move(f)) {}
  Value function;
  std::vector<Argument> arguments;
  const Expr* created = nullptr;
};

/// A generator function that was called but not run yet, or a generator expression.
struct Generator : Object {
  static constexpr Kind kKind = Kind::kGenerator;
  Generator() : Object(kKind) {}
  Value function;
  std::vector<Argument> arguments;
  const Expr* comprehension = nullptr;  // of a generator expression; function is null then
  std::shared_ptr<Scope> scope = {};    // shared with the function around the expression
  Value source = {};                    // of a generator expression: what it goes through
  Value mapped = {};                    // map(): what the function is called with
};

Value unknown(std::string key = {});
Value none();
Value number(std::optional<double> value, bool integer = true);
Value boolean(std::optional<bool> value);
Value boolean_or_unknown(std::optional<bool> value);
Value text(std::string value);
Value device_value(Device device);
Value type_value(std::optional<DType> type);
Value tensor(Facts facts);
Value tuple(std::vector<Value> items);
Value list(std::vector<Value> items);

/// The facts of a tensor or bundle, or null.
Facts* facts_of(const Value& value);

/// A copy of it, members included; modules and tensors that occur twice stay one.
Value deep_copy(const Value& value);

}  // namespace sinter::lint
