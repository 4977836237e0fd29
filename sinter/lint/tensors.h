#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/lint/interpreter.h"

namespace sinter::lint {

enum class Role { kPlain, kIndex, kTarget };

/// A tensor that takes part in an operation.
struct Operand {
  Facts* facts = nullptr;
  Role role = Role::kPlain;
};

/// How the operator wants its operands: kJoin lets CPU tensors of no dimension in.
enum class Meeting { kJoin, kStrict };

/// Checks the devices of an operation and returns device, source and history of its result.
/// Type and shape are the caller's.
Facts meet(Interpreter& in, std::string_view what, std::span<const Operand> operands,
           Meeting meeting, const Place& use);

/// Reports that `wrong` is not where `other` is.
void blame(Interpreter& in, const Facts& wrong, const Facts& other, Role role,
           std::string_view what, const Place& use);

/// Reports float input for half weights and the like.
void check_types(Interpreter& in, const Facts& input, std::optional<DType> weights,
                 std::string_view what, const Place& use);

/// Reports a generator of another device than the tensor that it fills.
void check_generator(Interpreter& in, const Device& filled, const Invocation& call);

/// The type of an operation on two tensors (PyTorch's promotion).
std::optional<DType> promote(const Facts& a, const Facts& b);
bool is_floating(std::optional<DType> type);
bool is_half(std::optional<DType> type);

Value tensor_binary(Interpreter& in, const std::string& op, const Value& left, const Value& right,
                    const Place& place);
Value index_tensor(Interpreter& in, const Value& self, const Value& index, const Place& place);
Value index_bundle(Interpreter& in, Bundle& bundle, const Value& index, const Place& place);
void store_in_tensor(Interpreter& in, const Value& self, const Value& index, const Value& value,
                     const Place& place);
void store_in_bundle(Bundle& bundle, const Value& value);
void replace_data(Interpreter& in, Tensor& target, const Value& value, const Place& place);
TensorShape index_shape(const TensorShape& shape, const Value& index);

/// Tensor.to() and its kin: where it goes and what type it becomes.
struct Move {
  std::optional<Device> device;
  std::optional<DType> type;
  bool type_unknown = false;
  bool literal = false;  // a device written out at the call
  SourcePtr like = {};   // the tensor whose device was asked for
};
/// "cuda" after torch.cuda.set_device(1) is cuda:1.
Device settled(const Interpreter& in, Device device);
Move read_move(Interpreter& in, const std::string& name, const Invocation& call);
/// The device that a value names; empty for None and what names none.
std::optional<Device> device_of(const Value& value);
std::optional<DType> type_of(const Value& value);

/// A CUDA tensor put into a list or dict inside a loop.
void watch_kept(Interpreter& in, const Value& container, const Value& value, const Place& place);

/// What a container that is an attribute of a module gives out is blamed on that attribute.
Value mark_attribute(const Sequence& sequence, const Value& item);
Value mark_attribute(const Dict& dict, const Value& item);
void note_container_module(const Place& attribute, const std::string& name, const Value& value);
Value slice_sequence(const Sequence& sequence, const Slice& slice);

Value index_module(Interpreter& in, const Value& self, const Value& index, const Place& place);
std::vector<std::pair<std::string, Value>> module_items(Module& module);
Value index_thing(Interpreter& in, const Value& self, const Value& index);
void set_environment(Interpreter& in, Thing& thing, const Value& index, const Value& value,
                     const Place& place);
Value item_of(Interpreter& in, const Value& value);
Value index_array(const Array& array, const Value& index);
Value array_attribute(const Array& array, const Value& self, const std::string& name);
Value path_attribute(const Text& path, const std::string& name);

/// All tensors in a value: itself, or those in lists and dicts.
void gather_facts(const Value& value, std::vector<Facts*>& into, int depth = 0);

}  // namespace sinter::lint
