#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace sinter {

/// What tells a file from a later one under the same name.
struct FileStamp {
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;  // since the epoch

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// @throws Error{kIo} when there is no such file, or what has the name is none: a folder, a named
///         pipe, a socket, a device. The same holds for all that read a file here.
FileStamp file_stamp(const std::filesystem::path& path);

/// A whole file mapped read-only. Pages are read on first touch and belong to the page cache.
class MappedFile {
 public:
  /// @throws Error{kIo} when the file cannot be opened or mapped.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// Valid while the object lives.
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const std::filesystem::path& path() const { return path_; }

  /// The open file, for copying within the system; valid while the object lives.
  int descriptor() const { return descriptor_; }

  /// Tells the system that this range will not be read again, so that streaming keeps memory
  /// bounded.
  void forget(std::size_t begin, std::size_t length) const;

 private:
  std::filesystem::path path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  int descriptor_ = -1;
};

/// The whole of a small text file.
/// @throws Error{kIo} when it cannot be read.
std::string read_text(const std::filesystem::path& path);

/// Whether a finished file also survives a power loss (it is synced, which waits for the disk) or
/// only the end of the process.
enum class Durability { kPowerLoss, kProcess };

/// A file that appears under its name complete or not at all: written beside it, renamed.
///
/// A symbolic link goes on leading to its target, which is what is replaced; a device or a pipe is
/// written to as it is.
///
/// Destroyed without commit(), it leaves nothing. A killed process leaves a hidden temporary that
/// the next AtomicFile or AtomicFolder of the same name removes.
class AtomicFile {
 public:
  /// @throws Error{kIo} when the folder cannot be written.
  explicit AtomicFile(std::filesystem::path path, Durability durability = Durability::kPowerLoss);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends.
  /// @throws Error{kIo} with the bytes written and wanted when the disk is full.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);

  /// Appends length bytes of another file from begin; memory stays at a quarter of a megabyte.
  void copy_from(const MappedFile& source, std::size_t begin, std::size_t length);

  std::uint64_t written() const { return written_; }

  /// Gives the file its name.
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  Durability durability_;
  int descriptor_ = -1;
  std::uint64_t written_ = 0;
};

/// A folder that appears under its name complete or not at all, replacing an earlier one in one
/// step.
class AtomicFolder {
 public:
  /// Creates the temporary folder beside `path`.
  explicit AtomicFolder(std::filesystem::path path);
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  /// Where to write until commit().
  const std::filesystem::path& staging() const { return staging_; }

  /// Exchanges the folder with what stands under the final name.
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path staging_;
};

/// Makes a folder that no other user can enter, or finds the one made earlier. Its parent exists.
/// @throws Error{kIo} when what stands there is a link, no folder, another user's, or open to
/// others: in a place where everybody writes, somebody else may have put it there.
void make_private_folder(const std::filesystem::path& path);

/// Whether a file has got another name, and why not.
enum class HardLink {
  kMade,
  kOtherDisk,     // the two names would be on different disks
  kNotPermitted,  // the file is another user's, and the system protects it from that
  kNotPossible,   // the disk has no hard links, or no more of them for this file
};

/// Makes `link` another name of the file `target` on the same disk, taking no space.
/// @throws Error{kIo} when something else is in the way, as a file of that name.
HardLink hard_link(const std::filesystem::path& target, const std::filesystem::path& link);

}  // namespace sinter
