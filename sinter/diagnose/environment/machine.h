#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sinter::diagnose::environment {

/// What the doctor looks at: files, variables and a few programs. The real one is HostMachine;
/// tests have one in memory. Paths are absolute, with '/'.
class Machine {
 public:
  virtual ~Machine() = default;

  /// The beginning of a text file (a megabyte at most), or nothing.
  virtual std::optional<std::string> read(const std::string& path) const = 0;

  /// Names in a folder, sorted; empty for what is no folder.
  virtual std::vector<std::string> list(const std::string& path) const = 0;

  virtual bool exists(const std::string& path) const = 0;

  /// Where a symbolic link leads in the end; the path itself when it is none.
  virtual std::string resolved(const std::string& path) const = 0;

  virtual std::optional<std::string> variable(const std::string& name) const = 0;

  /// What a program prints, or nothing when it is not there, fails, or takes too long.
  virtual std::optional<std::string> run(const std::vector<std::string>& words) const = 0;

  /// Space for new files in that folder's disk.
  virtual std::optional<std::uint64_t> free_bytes(const std::string& path) const = 0;

  /// The current folder.
  virtual std::string current_folder() const = 0;
};

}  // namespace sinter::diagnose::environment
