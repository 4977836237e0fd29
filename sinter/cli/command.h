#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string_view>
#include <vector>

namespace sinter::cli {

/// Runs a command whose options have been parsed; returns the exit status.
using Run = std::function<int()>;

/// One row of the command table.
struct Command {
  std::string_view name;
  std::string_view summary;
  std::string_view example;  // a command line that works, for --help
  /// Declares the options on the command's own parser and returns what runs it.
  Run (*declare)(CLI::App& app);
};

/// All commands in the order of --help.
const std::vector<Command>& commands();

Run declare_bench(CLI::App& app);
Run declare_build(CLI::App& app);
Run declare_check(CLI::App& app);
Run declare_check_image(CLI::App& app);
Run declare_convert(CLI::App& app);
Run declare_diagnose(CLI::App& app);
Run declare_doctor(CLI::App& app);
Run declare_engines(CLI::App& app);
Run declare_export(CLI::App& app);
Run declare_fold(CLI::App& app);
Run declare_generate(CLI::App& app);
Run declare_guide(CLI::App& app);
Run declare_inspect(CLI::App& app);
Run declare_layers(CLI::App& app);
Run declare_lint(CLI::App& app);
Run declare_memlog(CLI::App& app);
Run declare_plan(CLI::App& app);
Run declare_repack(CLI::App& app);
Run declare_verify(CLI::App& app);

// Exit statuses that are no errors.
inline constexpr int kDone = 0;
inline constexpr int kFindings = 1;  // a mismatch, or something found

}  // namespace sinter::cli
