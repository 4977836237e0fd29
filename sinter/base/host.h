#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sinter {

/// Looking around on the machine; what is not there or not allowed is nothing, never an error.

std::optional<std::string> environment_variable(const std::string& name);

/// The first `most` bytes of a regular file.
std::optional<std::string> read_beginning(const std::string& path, std::size_t most);

/// Names in a folder, sorted.
std::vector<std::string> list_folder(const std::string& path);

bool path_exists(const std::string& path);

/// The absolute path without symbolic links; the path as given when there is none.
std::string resolve_path(const std::string& path);

std::optional<std::uint64_t> free_disk_bytes(const std::string& path);

/// Runs a program (looked for in PATH) without input and returns what it printed, at most that many
/// bytes. Nothing when it cannot be started, ends with another status than 0, or takes longer than
/// that, in which case it is ended.
std::optional<std::string> run_program(const std::vector<std::string>& words, int timeout_ms,
                                       std::size_t most);

}  // namespace sinter
