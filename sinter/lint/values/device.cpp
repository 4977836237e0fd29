#include "sinter/lint/values/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace sinter::lint {
namespace {

constexpr std::array<std::string_view, 8> kOthers{"mps", "xpu", "hpu",  "npu",
                                                  "xla", "ipu", "mtia", "privateuseone"};

}  // namespace

Relation relation(const Device& a, const Device& b) {
  using Type = Device::Type;
  if (!a.known() || !b.known()) return Relation::kUnknown;
  if (a.type == Type::kSymbol || b.type == Type::kSymbol) {
    if (a.type == b.type) return a.name == b.name ? Relation::kSame : Relation::kUnknown;
    return Relation::kUnknown;
  }
  if (a.type != b.type) return Relation::kDifferent;
  if (a.type == Type::kOther && a.name != b.name) return Relation::kDifferent;
  if (a.type == Type::kCpu) return Relation::kSame;
  if (a.index == Device::kUnknownIndex || b.index == Device::kUnknownIndex)
    return Relation::kUnknown;
  return std::max(a.index, 0) == std::max(b.index, 0) ? Relation::kSame : Relation::kDifferent;
}

std::optional<Device> parse_device(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view type = text.substr(0, colon);
  int index = Device::kCurrent;
  if (colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    if (digits.empty()) return std::nullopt;
    index = 0;
    for (const char c : digits) {
      if (c == '\x01') {
        index = Device::kUnknownIndex;
        break;
      }
      if (std::isdigit(static_cast<unsigned char>(c)) == 0 || index > 1000) return std::nullopt;
      index = index * 10 + (c - '0');
    }
  }
  if (type == "cpu") return Device::cpu();
  if (type == "cuda") return Device::cuda(index);
  if (std::find(kOthers.begin(), kOthers.end(), type) != kOthers.end())
    return Device{.type = Device::Type::kOther, .index = index, .name = std::string(type)};
  return std::nullopt;
}

std::string to_string(const Device& device) {
  switch (device.type) {
    case Device::Type::kCpu:
      return "cpu";
    case Device::Type::kCuda:
      return device.index >= 0 ? fmt::format("cuda:{}", device.index) : "cuda";
    case Device::Type::kOther:
      return device.name;
    case Device::Type::kSymbol:
      return device.name;
    case Device::Type::kUnknown:
      break;
  }
  return {};
}

}  // namespace sinter::lint
