#include "sinter/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "sinter/base/error.h"

namespace sinter {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(std::string_view what, const fs::path& path, int number,
                       std::string hint = {}) {
  throw Error(
      ErrorCode::kIo,
      fmt::format("{} {}: {}", what, path.string(), std::generic_category().message(number)),
      std::move(hint));
}

struct KindRow {
  mode_t kind;
  std::string_view words;
};

constexpr std::array kOtherKinds{
    KindRow{S_IFDIR, "a folder"}, KindRow{S_IFIFO, "a named pipe"}, KindRow{S_IFSOCK, "a socket"},
    KindRow{S_IFCHR, "a device"}, KindRow{S_IFBLK, "a device"},
};

/// What stands under the name, where it is no file with bytes of its own; else empty.
std::string_view other_kind(const struct stat& status) {
  for (const KindRow& row : kOtherKinds) {
    if ((status.st_mode & S_IFMT) == row.kind) return row.words;
  }
  return {};
}

void require_file(const struct stat& status, const fs::path& path) {
  if (const std::string_view kind = other_kind(status); !kind.empty())
    throw Error(ErrorCode::kIo, fmt::format("{} is {}, expected a file", path.string(), kind));
}

struct stat status_of(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) fail("cannot open", path, errno);
  require_file(status, path);
  return status;
}

// Looked at before it is opened, because opening a device may already do something, and again
// behind it, because the name may have changed hands. O_NONBLOCK: a pipe would wait for its writer.
int open_to_read(const fs::path& path, struct stat& status) {
  status_of(path);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fail("cannot open", path, errno);
  const int number = ::fstat(descriptor, &status) == 0 ? 0 : errno;
  if (number == 0 && other_kind(status).empty()) return descriptor;
  ::close(descriptor);
  if (number != 0) fail("cannot read", path, number);
  require_file(status, path);
  return -1;
}

std::string write_hint(int number) {
  if (number == ENOSPC || number == EDQUOT)
    return "the disk is full; nothing was left under the final name";
  if (number == EFBIG)
    return "a file-size limit stopped the write; nothing was left under the final name";
  return {};
}

// ".NAME.PID.partial": hidden, beside the final name, and its writer can be asked for.
fs::path temporary_beside(const fs::path& path) {
  return path.parent_path() / fmt::format(".{}.{}.partial", path.filename().string(), ::getpid());
}

bool process_is_gone(std::string_view digits) {
  int id = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  if (error != std::errc{} || end != digits.data() + digits.size() || id <= 0) return false;
  return ::kill(id, 0) != 0 && errno == ESRCH;
}

// Removes what killed writers of the same name left.
void sweep(const fs::path& path) {
  const std::string prefix = fmt::format(".{}.", path.filename().string());
  constexpr std::string_view kSuffix = ".partial";
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || !name.ends_with(kSuffix) ||
        name.size() <= prefix.size() + kSuffix.size())
      continue;
    const std::string_view id =
        std::string_view(name).substr(prefix.size(), name.size() - prefix.size() - kSuffix.size());
    if (process_is_gone(id)) fs::remove_all(entry.path(), ignored);
  }
}

// "out/" names the folder "out".
fs::path without_trailing_slash(fs::path path) {
  return path.has_filename() ? path : path.parent_path();
}

void sync_folder(const fs::path& folder) {
  const int descriptor =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

FileStamp file_stamp(const fs::path& path) {
  const struct stat status = status_of(path);
  return {.bytes = static_cast<std::uint64_t>(status.st_size),
          .modified_ns = static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 +
                         status.st_mtim.tv_nsec};
}

MappedFile::MappedFile(const fs::path& path) : path_(path) {
  struct stat status {};
  descriptor_ = open_to_read(path, status);
  if (status.st_size == 0) return;
  size_ = static_cast<std::size_t>(status.st_size);
  void* data = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor_, 0);
  if (data == MAP_FAILED) {
    const int number = errno;
    ::close(descriptor_);
    fail("cannot read", path, number);
  }
  data_ = static_cast<const std::byte*>(data);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

void MappedFile::forget(std::size_t begin, std::size_t length) const {
  const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t first = (begin + page - 1) / page * page;
  const std::size_t last = (begin + length) / page * page;
  if (first < last && last <= size_)
    ::madvise(const_cast<std::byte*>(data_) + first, last - first, MADV_DONTNEED);
}

std::string read_text(const fs::path& path) {
  struct stat status {};
  const int descriptor = open_to_read(path, status);
  std::string text;
  std::array<char, 16384> buffer;
  ssize_t count = 0;
  int number = 0;
  do {
    count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0) number = errno;
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  } while (count > 0 || (count < 0 && number == EINTR));
  ::close(descriptor);
  if (count < 0) fail("cannot read", path, number);
  return text;
}

AtomicFile::AtomicFile(fs::path path, Durability durability)
    : path_(std::move(path)), durability_(durability) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path_, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) {
    // Renaming over a device would put a file in its place.
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail("cannot open", path_, errno);
    return;
  }
  if (fs::is_symlink(fs::symlink_status(path_, ignored)))
    if (fs::path target = fs::canonical(path_, ignored); !ignored) path_ = std::move(target);
  temporary_ = temporary_beside(path_);
  sweep(path_);
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("cannot create", path_, errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      fail(fmt::format("after {} bytes, cannot write {} more to", written_, bytes.size()), path_,
           errno, write_hint(errno));
    written_ += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void AtomicFile::write(std::string_view text) { write(std::as_bytes(std::span(text))); }

void AtomicFile::copy_from(const MappedFile& source, std::size_t begin, std::size_t length) {
  // Read and written through a buffer that stays in the processor's cache: measured at 0.75 of the
  // time of copy_file_range within one ext4, and a half of writing from the mapping, whose pages
  // would have to be faulted in.
  constexpr std::size_t kPiece = std::size_t{256} << 10;
  std::vector<std::byte> buffer(std::min(kPiece, length));
  for (std::size_t done = 0; done < length;) {
    const std::size_t piece = std::min(buffer.size(), length - done);
    const ssize_t count =
        ::pread(source.descriptor(), buffer.data(), piece, static_cast<off_t>(begin + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0)
      fail(fmt::format("cannot read byte {} of", begin + done), source.path(),
           count == 0 ? EIO : errno);
    write(std::span(buffer).first(static_cast<std::size_t>(count)));
    done += static_cast<std::size_t>(count);
  }
}

void AtomicFile::commit() {
  if (temporary_.empty()) {
    const int closed = ::close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) fail("cannot finish writing", path_, errno, write_hint(errno));
    return;
  }
  if (durability_ == Durability::kPowerLoss && ::fsync(descriptor_) != 0)
    fail("cannot finish writing", path_, errno, write_hint(errno));
  const int status = ::close(descriptor_);
  descriptor_ = -1;
  if (status != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int number = errno;
    ::unlink(temporary_.c_str());
    fail("cannot finish writing", path_, number, write_hint(number));
  }
  if (durability_ == Durability::kPowerLoss) sync_folder(path_.parent_path());
}

AtomicFolder::AtomicFolder(fs::path path)
    : path_(without_trailing_slash(std::move(path))), staging_(temporary_beside(path_)) {
  std::error_code error;
  if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), error);
  sweep(path_);
  fs::remove_all(staging_, error);
  if (!fs::create_directory(staging_, error)) fail("cannot create", path_, error.value());
}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;
  fs::remove_all(staging_, ignored);
}

void AtomicFolder::commit() {
  // Exchanging leaves no moment without a folder under the name; the old one is removed by the
  // destructor.
  if (::renameat2(AT_FDCWD, staging_.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) != 0 &&
      ::rename(staging_.c_str(), path_.c_str()) != 0) {
    fail("cannot finish writing", path_, errno, write_hint(errno));
  }
  sync_folder(path_.parent_path());
}

void make_private_folder(const fs::path& path) {
  if (::mkdir(path.c_str(), S_IRWXU) == 0) return;
  if (errno != EEXIST) fail("cannot create", path, errno);
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) fail("cannot open", path, errno);
  const auto refuse = [&](std::string_view what) {
    throw Error(ErrorCode::kIo, fmt::format("{} is {}, expected a folder of this user's alone",
                                            path.string(), what));
  };
  if (S_ISLNK(status.st_mode)) refuse("a symbolic link");
  if (!S_ISDIR(status.st_mode)) refuse("no folder");
  if (status.st_uid != ::geteuid()) refuse(fmt::format("user {}'s", status.st_uid));
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) refuse("open to other users");
}

HardLink hard_link(const fs::path& target, const fs::path& link) {
  const fs::path file = fs::canonical(target);
  if (::link(file.c_str(), link.c_str()) == 0) return HardLink::kMade;
  const int number = errno;
  struct stat status {};
  switch (number) {
    case EXDEV:
      return HardLink::kOtherDisk;
    case EPERM:  // of a disk without hard links too; that is no matter of the owner
      return ::stat(file.c_str(), &status) == 0 && status.st_uid != ::geteuid()
                 ? HardLink::kNotPermitted
                 : HardLink::kNotPossible;
    case EMLINK:
    case ENOSYS:
    case EOPNOTSUPP:
      return HardLink::kNotPossible;
    default:
      fail("cannot link", link, number);
  }
}

}  // namespace sinter
