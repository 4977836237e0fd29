#include "sinter/diagnose/environment/host_machine.h"

#include "sinter/base/host.h"

namespace sinter::diagnose::environment {
namespace {

constexpr std::size_t kMostText = std::size_t{1} << 20;
constexpr int kPatienceMs = 10'000;  // a GPU that hangs must not hang the doctor

}  // namespace

std::optional<std::string> HostMachine::read(const std::string& path) const {
  return read_beginning(path, kMostText);
}

std::vector<std::string> HostMachine::list(const std::string& path) const {
  return list_folder(path);
}

bool HostMachine::exists(const std::string& path) const { return path_exists(path); }

std::string HostMachine::resolved(const std::string& path) const { return resolve_path(path); }

std::optional<std::string> HostMachine::variable(const std::string& name) const {
  return environment_variable(name);
}

std::optional<std::string> HostMachine::run(const std::vector<std::string>& words) const {
  return run_program(words, kPatienceMs, kMostText);
}

std::optional<std::uint64_t> HostMachine::free_bytes(const std::string& path) const {
  return free_disk_bytes(path);
}

std::string HostMachine::current_folder() const { return resolve_path("."); }

}  // namespace sinter::diagnose::environment
