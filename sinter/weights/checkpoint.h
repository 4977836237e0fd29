#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/base/dtype.h"
#include "sinter/base/file.h"
#include "sinter/base/shape.h"
#include "sinter/weights/computed_tensor.h"

namespace sinter::weights {

/// Where one tensor lies: a contiguous row-major range of a file, little-endian, or else a place
/// that its elements have to be gathered from.
struct TensorEntry {
  std::string name;  // of a pipeline folder, behind its component: "unet/conv_in.weight"
  DType dtype;
  Shape shape;
  std::size_t file;     // index into Checkpoint::files()
  std::uint64_t begin;  // bytes from the start of the file
  std::uint64_t bytes;
  /// Of a strided or negative view, a compressed record or numbers in the other byte order, which
  /// no range of the file holds as they are (`begin` is 0): its number among
  /// Checkpoint::gathered().
  std::optional<std::size_t> gathered = {};
};

/// A file behind a checkpoint, and what tells it from a later one under the same name.
struct SourceFile {
  std::filesystem::path path;  // as given
  FileStamp stamp;
  std::uint64_t header_bytes;  // of the bytes that say what is in the file (source_header.h)
  std::string header_sha256;   // of those bytes
};

/// How a checkpoint is opened.
struct OpenOptions {
  /// Take the tensors of a PyTorch file that would run code if Python loaded it. Nothing of it is
  /// executed in any case.
  bool allow_unsafe_keys = false;
  /// Take the moving averages of weights (ema.h) in place of the weights.
  bool ema = false;
  /// Of a folder: which of several files of a component ("fp16", "non_ema"), as plan_folder() takes
  /// it.
  std::string variant = {};
};

/// A checkpoint: names, shapes, and where the bytes are. Opening reads headers only.
///
/// Owns the mapping of its files; movable, not copyable. Entries and spans live as long as it does.
/// Const members may be called from several threads.
class Checkpoint {
 public:
  /// Opens a .safetensors file, a file that torch.save wrote (zip or the older stream), or a folder
  /// laid out like a diffusers pipeline or one of its components.
  /// @throws Error{kBadFile} for a damaged or foreign file, with the offset, the expected and the
  ///         found, and for one that would run code when Python loads it, with the call;
  ///         Error{kUnsupported} for a format or element type that sinter knows but does not read;
  ///         Error{kMissingTensor} for moving averages that are not there; Error{kIo}.
  static Checkpoint open(const std::filesystem::path& path, const OpenOptions& options = {});

  struct Layer;

  /// One checkpoint over another. What is found in the upper one takes the place of what the lower
  /// one has under the same name; its files come after the lower one's. The path stays the lower
  /// one's. Entries of both keep their addresses no longer.
  static Checkpoint layered(Checkpoint base, Layer layer);

  ~Checkpoint();
  Checkpoint(Checkpoint&&) noexcept;
  Checkpoint& operator=(Checkpoint&&) noexcept;

  /// The file or folder that was opened, as given.
  const std::filesystem::path& path() const;

  /// Sorted by file, then by offset.
  const std::vector<TensorEntry>& tensors() const;

  /// The entry of that name, or null.
  const TensorEntry* find(std::string_view name) const;

  /// The tensor's bytes, mapped: pages are read on first touch. The address may be unaligned. Those
  /// of a gathered tensor are gathered into memory at the first call and stay there; what needs
  /// them once or in order calls gathered().
  std::span<const std::byte> bytes(const TensorEntry& tensor) const;

  /// A tensor whose elements are gathered, as one that is written. Lives as long as the checkpoint,
  /// or one that it was layered into.
  ComputedTensor gathered(const TensorEntry& tensor) const;

  const std::vector<SourceFile>& files() const;
  const MappedFile& mapping(std::size_t file) const;

  /// The format's free metadata (safetensors' __metadata__); of a folder, that of its files
  /// together.
  const std::map<std::string, std::string>& metadata() const;

  /// What a user should know of how it was opened, sentences without a full stop.
  const std::vector<std::string>& notes() const;

  /// Of a folder: its JSON configuration files by relative path ("unet/config.json",
  /// "model_index.json").
  const std::map<std::string, std::string>& configs() const;

 private:
  struct State;
  explicit Checkpoint(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// What is put on a checkpoint, and how.
struct Checkpoint::Layer {
  Checkpoint top;
  // Only what begins so is put on, without this beginning: the autoencoder of a checkpoint.
  std::string below = {};
  std::string prefix = {};  // before the names of its tensors and configs: "vae/"
  // Tensors and configs of the lower one that are left out, by how their names begin.
  std::vector<std::string> instead_of = {};
};

}  // namespace sinter::weights
