#pragma once

#include "sinter/diagnose/environment/machine.h"

namespace sinter::diagnose::environment {

/// The machine that this program runs on.
class HostMachine : public Machine {
 public:
  std::optional<std::string> read(const std::string& path) const override;
  std::vector<std::string> list(const std::string& path) const override;
  bool exists(const std::string& path) const override;
  std::string resolved(const std::string& path) const override;
  std::optional<std::string> variable(const std::string& name) const override;
  std::optional<std::string> run(const std::vector<std::string>& words) const override;
  std::optional<std::uint64_t> free_bytes(const std::string& path) const override;
  std::string current_folder() const override;
};

}  // namespace sinter::diagnose::environment
