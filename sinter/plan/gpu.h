#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sinter::plan {

/// A GPU architecture as CUDA numbers it: 8.9.
struct ComputeCapability {
  int major = 0;
  int minor = 0;

  /// "sm89".
  std::string name() const;

  friend auto operator<=>(const ComputeCapability&, const ComputeCapability&) = default;
};

/// A GPU, or a whole architecture ("sm89"), whose memory is not known.
struct Gpu {
  std::string_view name;   // as the command line takes it: "rtx4090", "sm89"
  std::string_view words;  // "GeForce RTX 4090"
  ComputeCapability capability;
  int memory_gib = 0;  // as sold; 0: an architecture

  std::uint64_t memory_bytes() const { return static_cast<std::uint64_t>(memory_gib) << 30; }
};

/// Every GPU that has a name here, by architecture; architectures themselves are the first rows.
std::span<const Gpu> gpus();

/// By name, by words or by architecture, case and punctuation aside: "rtx4090", "RTX 4090",
/// "NVIDIA GeForce RTX 4090", "sm89", "sm_89", "8.9".
/// @throws Error{kUsage} for a name that is not in the table, with the nearest.
const Gpu& gpu_named(std::string_view name);

}  // namespace sinter::plan
