#include "sinter/base/host.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

extern char** environ;

namespace sinter {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

/// A child process whose standard output is read through a pipe; error output is dropped.
class Child {
 public:
  explicit Child(const std::vector<std::string>& words) {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
    output_ = ends[0];
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::vector<std::string> copies = words;
    std::vector<char*> arguments;
    for (std::string& word : copies) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    if (::posix_spawnp(&process_, arguments[0], &actions, nullptr, arguments.data(), environ) != 0)
      process_ = -1;
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
  }
  ~Child() {
    if (output_ >= 0) ::close(output_);
    if (process_ > 0 && !ended_) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool started() const { return process_ > 0 && output_ >= 0; }

  /// Waits for output until then; nothing when the time is up, "" at the end.
  std::optional<std::string> read_until(Clock::time_point end) const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    pollfd wait{output_, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&wait, 1, static_cast<int>(left.count())) <= 0)
      return std::nullopt;
    std::array<char, 4096> buffer{};
    const ssize_t got = ::read(output_, buffer.data(), buffer.size());
    return std::string(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }

  /// Whether it ended with status 0 until then.
  bool succeeded_until(Clock::time_point end) {
    int status = 0;
    while (true) {
      const pid_t ended = ::waitpid(process_, &status, WNOHANG);
      if (ended != 0) {
        ended_ = true;
        return ended == process_ && WIFEXITED(status) && WEXITSTATUS(status) == 0;
      }
      if (Clock::now() >= end) return false;
      ::usleep(2000);
    }
  }

 private:
  pid_t process_ = -1;
  int output_ = -1;
  bool ended_ = false;
};

}  // namespace

std::optional<std::string> environment_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::optional<std::string> read_beginning(const std::string& path, std::size_t most) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text(most, '\0');
  file.read(text.data(), static_cast<std::streamsize>(most));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

std::vector<std::string> list_folder(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error))
    names.push_back(entry->path().filename().string());
  std::ranges::sort(names);
  return names;
}

bool path_exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string resolve_path(const std::string& path) {
  std::error_code error;
  const fs::path resolved = fs::canonical(path, error);
  return error ? path : resolved.string();
}

std::optional<std::uint64_t> free_disk_bytes(const std::string& path) {
  std::error_code error;
  const fs::space_info space = fs::space(path, error);
  return error ? std::nullopt : std::optional<std::uint64_t>(space.available);
}

std::optional<std::string> run_program(const std::vector<std::string>& words, int timeout_ms,
                                       std::size_t most) {
  if (words.empty()) return std::nullopt;
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(timeout_ms);
  Child child(words);
  if (!child.started()) return std::nullopt;
  std::string output;
  while (true) {
    const std::optional<std::string> piece = child.read_until(end);
    if (!piece) return std::nullopt;
    if (piece->empty()) break;
    if (output.size() < most) output += piece->substr(0, most - output.size());
  }
  if (!child.succeeded_until(end)) return std::nullopt;
  return output;
}

}  // namespace sinter
