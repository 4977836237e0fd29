#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/base/shape.h"
#include "sinter/weights/file_format.h"
#include "sinter/weights/pickle/elements.h"
#include "sinter/weights/pickle/machine.h"

namespace sinter::weights::torch {

/// The bytes of a storage in a file.
struct Block {
  std::string name;  // of the storage: "0"
  std::string device;
  std::uint64_t begin = 0;         // of the bytes as the file has them
  std::uint64_t packed_bytes = 0;  // as the file has them
  std::uint64_t bytes = 0;         // of the elements
  bool deflated = false;
  std::uint32_t crc = 0;       // of the elements' bytes; 0: not known
  std::size_t swap_bytes = 1;  // the file has each group of so many in reverse
};

/// A tensor of a file, checked: every element lies in its block.
struct TorchTensor {
  std::string name;
  const pickle::Element* element = nullptr;
  Shape shape;
  std::vector<std::int64_t> strides;  // in elements, none negative
  std::size_t block = 0;
  std::uint64_t begin = 0;  // of the first element, bytes into the block
  std::uint64_t bytes = 0;  // of all elements, written out
  bool negated = false;     // written out, each element is the negative of the block's

  /// Whether the elements stand in the block in the order in which they are written out.
  bool is_contiguous() const;
};

/// What is in a file that torch.save wrote, or in a plain pickle.
struct TorchFile {
  std::vector<Block> blocks;
  std::vector<TorchTensor> tensors;  // of the model, sorted by name
  std::size_t tensors_elsewhere = 0;
  std::set<std::string> devices;  // of all storages, as written
  std::set<std::string> globals;  // every name that the programs import: "collections.OrderedDict"
  std::set<std::string> unknown;  // those that nobody here knows
  std::vector<pickle::DangerousUse> dangerous;
  bool numpy_scalars = false;
  bool numpy_arrays = false;
  std::vector<std::string> notes;         // sentences
  std::uint64_t stream_header_bytes = 0;  // of the old stream: what is before its first storage
  std::uint64_t header_bytes = 0;         // read to list the tensors
  std::optional<Error> damage;            // why its tensors cannot be read
};

/// Reads the programs of a file, which runs nothing of them, and places its tensors. Never throws
/// for any content. Touches the programs and the directory; of files up to 16 MiB all bytes, to
/// check their sums.
///
/// format: kTorchZip, kTorchLegacy or kPickle, as recognise() says.
/// Source: torch/serialization.py (_save, _legacy_save, _load, _legacy_load).
TorchFile read_torch_file(std::span<const std::byte> file, FileFormat format);

/// What makes a file dangerous, with the calls quoted: "loading it would call os.system('true')".
std::string danger_of(const TorchFile& file);

}  // namespace sinter::weights::torch
