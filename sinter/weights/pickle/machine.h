#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinter/weights/pickle/opcodes.h"
#include "sinter/weights/pickle/values.h"

namespace sinter::weights::pickle {

// Far above any checkpoint (full ones of Stable Diffusion make some 100,000 values), and low enough
// that a hostile file costs a fraction of a gigabyte for a moment.
inline constexpr std::size_t kMostValues = std::size_t{1} << 21;
inline constexpr std::size_t kMostDepth = 1000;
inline constexpr std::uint32_t kMostWrittenOut = std::uint32_t{1} << 24;
inline constexpr std::size_t kLongestName = 512;  // of a module or a class
inline constexpr std::size_t kMostExtents = 64;   // torch's own limit

/// A dangerous name and what is done with it.
struct DangerousUse {
  std::string global;  // "os.system"
  std::string call;    // "os.system('true')"; empty: it is only named

  friend bool operator==(const DangerousUse&, const DangerousUse&) = default;
};

/// What was noticed while programs ran.
struct Findings {
  std::set<std::string> globals;  // every name that is imported, as "module.name"
  std::set<std::string> unknown;  // those of them that no table here has
  std::vector<DangerousUse> dangerous;
  bool numpy_scalars = false;
  bool numpy_arrays = false;
  bool unread_tensors = false;                // sparse ones and such
  std::vector<std::string_view> saved_files;  // files inside the program that loading would load
};

/// Runs pickle programs, and executes nothing: a name that is imported stays a name, and calling
/// one writes a value down, whatever the name. Time and memory are linear in the program.
/// Source: CPython's Lib/pickle.py (_Unpickler) for what each instruction does.
class Machine {
 public:
  /// Both outlive the machine, and the programs outlive both. Values may hold those of earlier
  /// programs of the same file.
  Machine(Values& values, Findings& findings) : values_(values), findings_(findings) {}

  /// Runs to the first stop and returns what is left on the stack. What was noticed until then
  /// stays noticed when it throws.
  /// @throws Error{kBadFile} for a damaged program or one beyond the limits.
  Ref run(std::string_view program);

  /// Bytes that the last program took, its stop included.
  std::size_t consumed() const { return consumed_; }

 private:
  void step(const Instruction& read);
  bool step_scalar(const Instruction& read);
  bool step_container(const Instruction& read);
  bool step_memo(const Instruction& read);
  void step_call(const Instruction& read);

  // The stack.
  Ref add(Value value);
  void push(Ref ref);
  Ref pop();
  Ref top();
  std::vector<Ref> pop_to_mark();
  [[noreturn]] void fail(std::string_view what) const;

  // Values.
  void push_number(std::int64_t number, Kind kind = Kind::kInt);
  void push_text(Kind kind, std::string_view text);
  void push_decimal(std::string_view digits);
  void push_long(std::string_view bytes);
  Ref container(Kind kind, std::vector<Ref> items);
  Ref view_of(Kind kind, Ref other);
  void grow(Ref parent, Ref child);
  void charge(std::size_t units);
  void put_items(Ref target, const std::vector<Ref>& items);
  void put_entries(Ref target, const std::vector<Ref>& entries);
  void store(std::uint64_t key);
  void fetch(std::uint64_t key);
  std::uint64_t memo_key(std::string_view line) const;

  // Names and calls.
  Ref global(std::string_view module, std::string_view name);
  void call(Ref callee, Ref arguments);
  Ref result_of(Ref callee, Ref arguments, int nested = 0);
  Ref object(Ref callee, Ref arguments);
  Ref made_dict(Ref callee, Ref arguments);
  Ref made_sequence(Ref callee, Ref arguments);
  Ref made_tensor(Ref callee, Ref arguments);
  bool has_bit(const std::vector<Ref>& items, std::size_t index, std::string_view bit);
  Ref reconstructed(Ref arguments);
  void build(Ref target, Ref state);
  Ref persistent(Ref id);
  Ref storage_of(const std::vector<Ref>& id);
  void keep_saved_file(Ref arguments);
  void note_use(std::string call, Ref first, Ref second);
  std::string culprit(Ref ref) const;
  std::vector<std::int64_t> numbers_of(Ref ref, std::string_view what);
  const Value* argument(Ref arguments, std::size_t index) const;

  Values& values_;
  Findings& findings_;
  std::vector<Ref> stack_;
  std::vector<std::size_t> marks_;
  std::map<std::uint64_t, Ref> memo_;
  std::map<std::pair<std::string_view, std::string_view>, Ref> names_;
  std::map<std::string_view, Ref> storages_;
  std::size_t charged_ = 0;
  std::size_t noted_ = 0;  // uses of dangerous names
  std::size_t at_ = 0;     // of the instruction that runs, for messages
  std::size_t consumed_ = 0;
};

}  // namespace sinter::weights::pickle
