#include "tests/cli/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>

namespace sinter::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  }
  ~Pipe() {
    close_reader();
    close_writer();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_reader() { close(ends[0]); }
  void close_writer() { close(ends[1]); }
  static void close(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }

  std::array<int, 2> ends{-1, -1};
};

/// In the child: never returns.
[[noreturn]] void become(const Invocation& invocation, const Pipe& out, const Pipe& err) {
  for (const auto& [name, value] : invocation.environment) ::setenv(name.c_str(), value.c_str(), 1);
  if (::chdir(invocation.directory.c_str()) != 0) ::_exit(126);
  int target = out.ends[1];
  if (!invocation.output_to.empty()) target = ::open(invocation.output_to.c_str(), O_WRONLY);
  if (target < 0) ::_exit(126);
  ::dup2(target, STDOUT_FILENO);
  ::dup2(err.ends[1], STDERR_FILENO);
  if (invocation.closed_stream) ::close(*invocation.closed_stream);
  if (invocation.largest_file) {
    const rlimit limit{.rlim_cur = *invocation.largest_file, .rlim_max = *invocation.largest_file};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  std::vector<std::string> words{invocation.program.string()};
  words.insert(words.end(), invocation.arguments.begin(), invocation.arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(invocation.program.c_str(), pointers.data());
  ::_exit(127);
}

/// Reads both ends until they are closed, killing at the given moment.
void gather(Pipe& out, Pipe& err, pid_t child, const Invocation& invocation, Ended& ended) {
  const Clock::time_point start = Clock::now();
  bool alive = invocation.kill_after.has_value();
  std::array<pollfd, 2> waiting{pollfd{out.ends[0], POLLIN, 0}, pollfd{err.ends[0], POLLIN, 0}};
  const std::array<std::string*, 2> texts{&ended.out, &ended.err};
  while (waiting[0].fd >= 0 || waiting[1].fd >= 0) {
    ::poll(waiting.data(), waiting.size(), alive ? 0 : -1);
    if (alive && Clock::now() - start >= *invocation.kill_after) {
      ::kill(child, SIGKILL);
      alive = false;
    }
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
      std::array<char, 65536> piece;
      const ssize_t count = ::read(waiting[i].fd, piece.data(), piece.size());
      if (count > 0) {
        texts[i]->append(piece.data(), static_cast<std::size_t>(count));
      } else {
        waiting[i].fd = -1;
      }
    }
  }
}

}  // namespace

Ended run(const Invocation& invocation) {
  Pipe out;
  Pipe err;
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) become(invocation, out, err);
  out.close_writer();
  err.close_writer();
  if (invocation.output_unread) out.close_reader();
  Ended ended;
  gather(out, err, child, invocation, ended);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status)) ended.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  return ended;
}

}  // namespace sinter::cli
