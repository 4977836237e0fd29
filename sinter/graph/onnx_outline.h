#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sinter::graph {

/// What can be wrong with a tensor's data, without its numbers being looked at.
enum class DataFlaw {
  kPayload,  // its own data is not that of its shape and type
  kEntry,    // the entries that say where its external data lies make no sense
  kOutside,  // its external data leads out of the model's folder
  kMissing,  // there is no such file
  kChanged,  // the file is not the one that sinter linked
  kRange,    // the range is not that of the tensor or leaves the file
};

struct TensorFlaw {
  DataFlaw kind;
  std::string why;   // what was expected and what was found
  std::string hint;  // may be empty
};

/// A constant tensor as a file declares it. Element types are numbers of TensorProto.DataType: a
/// foreign file may use types for which sinter has no name.
struct OutlineTensor {
  std::string name;
  int type = 0;
  std::vector<std::int64_t> dims;  // as written, sound only where there is no flaw
  bool external = false;
  bool sparse = false;
  std::string location;                       // of external data
  std::uint64_t offset = 0;                   // of external data
  std::optional<TensorFlaw> flaw;             // the first one found
  std::optional<std::vector<double>> values;  // of up to kSmallTensor numbers; int64 to 2^53 exact

  /// Elements; 0 where the shape makes none.
  std::uint64_t elements() const;
};

/// Tensors of so many elements or fewer have their values in the outline: sizes, axes, scales.
inline constexpr std::uint64_t kSmallTensor = 64;

struct OutlineGraph;

/// An attribute; the members that its kind does not use are empty.
struct OutlineAttribute {
  enum class Kind { kUndefined, kNumber, kNumbers, kText, kTexts, kTensor, kGraphs, kOther };
  std::string name;
  Kind kind = Kind::kUndefined;
  bool integer = false;         // of numbers: whether they are integers
  std::vector<double> numbers;  // one for kNumber
  std::string text;             // of kText
  std::vector<OutlineTensor> tensors;
  std::vector<OutlineGraph> graphs;  // bodies of If, Loop, Scan
  std::string parameter;             // inside a function: the parameter that it stands for
};

struct OutlineNode {
  std::string name;
  std::string op;
  std::string domain;               // "" is ONNX's own, also where the file writes "ai.onnx"
  std::vector<std::string> inputs;  // "" where an optional one is left out
  std::vector<std::string> outputs;
  std::vector<OutlineAttribute> attributes;

  const OutlineAttribute* attribute(std::string_view attribute_name) const;  // null: not there
  double number(std::string_view attribute_name, double otherwise) const;
  std::string_view text(std::string_view attribute_name, std::string_view otherwise) const;
};

/// A named value with what the file says of its type. dims: -1 dynamic.
struct OutlineValue {
  std::string name;
  int type = 0;         // 0: not a dense tensor, or not said
  bool tensor = true;   // false: a sequence, a map, an optional
  bool ranked = false;  // false: not even the rank is said
  std::vector<std::int64_t> dims;
  std::vector<std::string> symbols;  // name of a dynamic dimension, else empty
};

struct OutlineGraph {
  std::string name;
  std::vector<OutlineNode> nodes;
  std::vector<OutlineTensor> initializers;
  std::vector<OutlineValue> inputs;  // as written, so those of initializers too
  std::vector<OutlineValue> outputs;
  std::vector<OutlineValue> values;
};

/// A function of the file's own: nodes under another operator's name.
struct OutlineFunction {
  std::string domain;
  std::string name;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<OutlineNode> nodes;
  std::map<std::string, std::int64_t> opsets;
};

/// Everything that an ONNX file says, but for the numbers of its weights. For those who judge a
/// file: what is wrong with it is in the outline and no exception, unlike OnnxModel::load().
struct Outline {
  std::filesystem::path path;
  std::uint64_t bytes = 0;  // of the ONNX file
  std::int64_t ir_version = 0;
  std::string producer;                        // name and version
  std::map<std::string, std::int64_t> opsets;  // domain -> version; "" is ONNX's own
  std::vector<std::string> repeated_domains;   // imported more than once
  bool linked = false;                         // sinter linked weights to a checkpoint
  OutlineGraph graph;
  std::vector<OutlineFunction> functions;
};

/// Reads a file and looks at every range of external data.
/// @throws Error{kIo} when the ONNX file is missing, Error{kBadFile} when it is none.
Outline read_outline(const std::filesystem::path& path);

/// The same from bytes; relative locations start at the folder of `path`.
Outline outline_of(std::span<const std::byte> bytes, const std::filesystem::path& path);

/// "down_blocks.0.resnets.0" of "/down_blocks.0/resnets.0/conv1/Conv": the part of a node's name
/// that says where it is in the network. Empty where the name says nothing.
std::string module_of(std::string_view node_name);

}  // namespace sinter::graph
