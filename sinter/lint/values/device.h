#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sinter::lint {

/// Where a tensor is, as far as reading the script can tell.
struct Device {
  enum class Type {
    kUnknown,
    kCpu,
    kCuda,
    kOther,   // name: "mps", "xpu", ...
    kSymbol,  // name: one unknown device, the same wherever the name is the same
  };
  static constexpr int kCurrent = -1;       // "cuda" without a number
  static constexpr int kUnknownIndex = -2;  // a number that is not known

  Type type = Type::kUnknown;
  int index = kCurrent;
  std::string name = {};

  static Device cpu() { return {.type = Type::kCpu}; }
  static Device cuda(int index = kCurrent) { return {.type = Type::kCuda, .index = index}; }
  static Device symbol(std::string name) { return {Type::kSymbol, kCurrent, std::move(name)}; }

  bool known() const { return type != Type::kUnknown; }
  bool is_cpu() const { return type == Type::kCpu; }
  bool is_cuda() const { return type == Type::kCuda; }
  /// A place that is surely not the CPU's memory.
  bool is_accelerator() const { return type == Type::kCuda || type == Type::kOther; }
};

enum class Relation { kSame, kDifferent, kUnknown };

/// "cuda" is cuda:0. Whatever is not known is kUnknown.
Relation relation(const Device& a, const Device& b);

/// "cuda:1", "cpu", "mps"; '\x01' in the text stands for a part that is not known ("cuda:\x01").
/// Empty for text that names no device.
std::optional<Device> parse_device(std::string_view text);

/// As it is written in a script: cuda:1; empty when unknown.
std::string to_string(const Device& device);

}  // namespace sinter::lint
