#include "sinter/base/process.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace sinter {

namespace {

// The number behind a word of a file in /proc that counts KiB, in bytes.
std::uint64_t proc_bytes(const char* file, std::string_view name) {
  std::ifstream stream(file);
  std::string word;
  while (stream >> word) {
    std::uint64_t kib = 0;
    if (word == name && stream >> kib) return kib * 1024;
  }
  return 0;
}

}  // namespace

std::uint64_t peak_rss_bytes() { return proc_bytes("/proc/self/status", "VmHWM:"); }

std::uint64_t available_memory_bytes() { return proc_bytes("/proc/meminfo", "MemAvailable:"); }

std::uint64_t user_id() { return ::geteuid(); }

void reset_peak_rss() {
  // proc(5): 5 resets the peak resident set of the process.
  std::ofstream("/proc/self/clear_refs") << "5";
}

std::string system_name() {
  utsname names{};
  if (::uname(&names) != 0) return "unknown";
  return std::string(names.sysname) + " " + names.release + " " + names.machine;
}

std::filesystem::path executable_path() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored);
}

void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest free number is the one that was closed.
    if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) < 0) return;
  }
}

void set_default_environment(const char* name, const char* value) { ::setenv(name, value, 0); }

bool interactive() { return ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0; }

int terminal_columns() {
  if (::isatty(STDERR_FILENO) == 0) return 0;
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace sinter
