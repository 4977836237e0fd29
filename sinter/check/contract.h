#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sinter::check {

/// An input or output that a program expects by name.
struct ContractValue {
  std::string name;
  std::string also = {};  // another name for the same, or empty
  bool required = true;
  bool numbered = false;        // stands for name.0, name.1, ... or name_0, name_1, ...
  std::vector<int> types = {};  // allowed, of TensorProto.DataType; empty: any
  std::vector<int> ranks = {};  // allowed; empty: any
};

/// What a program expects of one graph.
struct Contract {
  std::string name;       // "optimum"
  std::string component;  // "unet"
  std::vector<ContractValue> inputs = {};
  std::vector<ContractValue> outputs = {};
};

/// The sizes for which an engine would be built, one dynamic input; elements.
struct InputProfile {
  std::string input;
  std::vector<std::int64_t> min;
  std::vector<std::int64_t> opt;
  std::vector<std::int64_t> max;
};

}  // namespace sinter::check
