#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sinter/engine/flavour.h"
#include "sinter/plan/gpu.h"

namespace sinter::engine {

/// Bytes from the beginning of an engine file that read_engine_header needs.
inline constexpr std::size_t kEngineHeaderBytes = 0x70;

/// What the first bytes of an engine file say. Needs neither the library nor a GPU.
struct EngineHeader {
  Flavour flavour = Flavour::kTensorRtRtx;
  Version version;  // of the library that wrote it: no other loads it
  /// TensorRT-RTX: those that it was built for. Empty: the file does not say.
  std::vector<plan::ComputeCapability> architectures;
  bool every_architecture = false;             // TensorRT-RTX: built without naming any
  std::optional<std::uint64_t> file_bytes;     // TensorRT-RTX: the size of a whole file
  std::optional<std::uint64_t> weights_bytes;  // TensorRT-RTX: of the weights within
};

/// Reads the header of an engine; docs/formats.md has the layout.
///
/// beginning: at least the first kEngineHeaderBytes, or the whole of a shorter file.
/// file_bytes: the size of the file.
/// @throws Error{kBadFile} when it is no engine of either flavour, of an unknown serialization, or
///         shorter or longer than its header says.
EngineHeader read_engine_header(std::span<const std::byte> beginning, std::uint64_t file_bytes);

}  // namespace sinter::engine
