#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace sinter {

/// The largest resident set of this process since its start or the last reset, in bytes.
std::uint64_t peak_rss_bytes();

/// Starts a new peak where the system allows it; elsewhere the peak goes on from the start.
void reset_peak_rss();

/// Memory that can be had without swapping, in bytes; 0 where the system does not say.
std::uint64_t available_memory_bytes();

/// The number of the user whose rights this process has.
std::uint64_t user_id();

/// The operating system with its machine, "Linux 6.1.0 x86_64".
std::string system_name();

/// The running program's file.
std::filesystem::path executable_path();

/// Gives standard input, output and error a place where the caller closed them: else the next file
/// opened would get their number, and with it what is printed.
void open_standard_streams();

/// Sets an environment variable of this process unless it is set. Before other threads start.
void set_default_environment(const char* name, const char* value);

/// Whether a person can be asked: standard input and output are a terminal.
bool interactive();

/// Columns of the terminal on standard error, or 0 where it is not a terminal.
int terminal_columns();

}  // namespace sinter
