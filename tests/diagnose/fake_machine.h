#pragma once

#include <map>
#include <set>
#include <string>

#include "sinter/diagnose/environment/machine.h"

namespace sinter::diagnose::environment {

/// A machine in memory: files, variables, and what programs print.
class FakeMachine : public Machine {
 public:
  std::map<std::string, std::string> files;
  std::map<std::string, std::string> links;  // from a path to where it leads
  std::map<std::string, std::string> variables;
  std::map<std::string, std::string> programs;  // by the words, joined with blanks
  std::uint64_t free = 100'000'000'000;

  /// Adds a package's metadata to a folder of packages.
  void install(const std::string& site, const std::string& name, const std::string& version,
               const std::string& more = "") {
    files[site + "/" + name + "-" + version + ".dist-info/METADATA"] =
        "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n" + more +
        "\nText.\n";
  }

  std::optional<std::string> read(const std::string& path) const override {
    const auto found = files.find(path);
    return found == files.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<std::string> list(const std::string& path) const override {
    std::set<std::string> names;
    for (const auto& [file, text] : files)
      if (file.starts_with(path + "/"))
        names.insert(
            file.substr(path.size() + 1, file.find('/', path.size() + 1) - path.size() - 1));
    return {names.begin(), names.end()};
  }
  bool exists(const std::string& path) const override {
    return files.contains(path) || !list(path).empty();
  }
  std::string resolved(const std::string& path) const override {
    const auto found = links.find(path);
    return found == links.end() ? path : found->second;
  }
  std::optional<std::string> variable(const std::string& name) const override {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<std::string> run(const std::vector<std::string>& words) const override {
    std::string line;
    for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
    const auto found = programs.find(line);
    return found == programs.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<std::uint64_t> free_bytes(const std::string&) const override { return free; }
  std::string current_folder() const override { return "/home/ann/work"; }
};

}  // namespace sinter::diagnose::environment
