#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/base/dtype.h"
#include "sinter/base/shape.h"

namespace sinter::synth {

/// One row of a manifest: a tensor of the original checkpoint.
struct ManifestTensor {
  std::string key;
  DType dtype;
  Shape shape;
};

/// The keys and shapes of a network.
struct Manifest {
  std::string name;
  std::vector<ManifestTensor> tensors;
};

/// Reads {name, tensors: [[key, dtype, shape], ...]}; dtypes by their words ("float32", "int64").
/// @throws Error{kIo}; Error{kBadFile} for anything else, naming the row.
Manifest load_manifest(const std::filesystem::path& path);

struct Options {
  DType dtype = DType::kF16;  // kF16, kF32 or kBF16: of the floating tensors
  std::string prefix = {};    // only keys that begin with it; they keep it
  int threads = 0;            // 0: one a core
  /// Called after every block with the bytes of data written and their total; may be empty.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
};

/// The element type under which a tensor is stored: integers keep theirs, keys without a dot
/// (schedule buffers) stay float32, all others take `floating`.
DType stored_dtype(const ManifestTensor& tensor, DType floating);

/// Writes the stand-in checkpoint of a manifest: deterministic weights from a formula over the
/// keys, in the order and with the bytes of the reference writer.
///
/// Element i of tensor `key`, with h = FNV-1a 64 of the key and z = splitmix64 of
/// h + (i + 1) * 0x9E3779B97F4A7C15: v = (z >> 40) / 2^23 - 1. Matrices and filters are
/// v * sqrt(3 / fan_in), vectors called "weight" are 1 + 0.1 v, others 0.1 v; in float64, rounded
/// to float32, then to the stored type. Integers count 0, 1, 2, ... Float vectors of 1000 whose key
/// has no dot hold Stable Diffusion's scaled-linear schedule (betas, alphas_cumprod) or zeros.
///
/// Memory stays bounded by a few blocks whatever the size.
/// @throws Error{kUsage} for another dtype or a prefix that no key has; what load_manifest and
///         SafetensorsWriter throw.
void write_stand_in(const std::filesystem::path& manifest, const std::filesystem::path& out,
                    const Options& options = {});

/// Writes a checkpoint of a manifest's names and shapes whose numbers are all zero, as one hole of
/// a file: whatever its size, it takes no space on the disk. For what looks at shapes only.
/// @throws what load_manifest throws; Error{kIo} when the file cannot be written.
void write_outline(const std::filesystem::path& manifest, const std::filesystem::path& out,
                   DType dtype = DType::kF16);

/// The tensor's values as float32, rounded through `stored` first. Row-major.
/// @throws Error{kUsage} when `stored` is not kF16, kF32, kBF16 or an integer type.
std::vector<float> stand_in_values(const ManifestTensor& tensor, DType stored);

}  // namespace sinter::synth
