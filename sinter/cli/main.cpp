#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/base/process.h"
#include "sinter/cli/command.h"
#include "sinter/cli/failure.h"
#include "sinter/base/nearest.h"
#include "sinter/cli/version.h"

namespace sinter::cli {
namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// "sinter convert --help" of the chosen command, or of all.
std::string help_command(const CLI::App* chosen) {
  return fmt::format("sinter {}--help", chosen == nullptr ? "" : chosen->get_name() + " ");
}

/// A command or an option that does not exist, with the one that was probably meant.
Error unknown_word(const CLI::App& app, const CLI::App* chosen, const std::string& word) {
  std::vector<std::string> candidates = option_names(chosen != nullptr ? *chosen : app);
  if (chosen == nullptr) {
    for (const Command& command : commands()) candidates.emplace_back(command.name);
  }
  const char* kind = word.starts_with("-") ? "option" : chosen != nullptr ? "argument" : "command";
  const std::string meant = nearest(word.substr(0, word.find('=')), candidates);
  return {ErrorCode::kUsage, fmt::format("unknown {} '{}'", kind, word),
          meant.empty() ? help_command(chosen) + " lists them"
                        : fmt::format("did you mean '{}'?", meant)};
}

/// What was printed must have arrived: a full disk shows only when the last of it is written.
void finish_output() {
  if (std::fflush(stdout) == 0) return;
  throw Error(ErrorCode::kIo, fmt::format("cannot write to standard output: {}",
                                          std::generic_category().message(errno)));
}

int run(int argc, char** argv) {
  CLI::App app("Stable Diffusion checkpoints to ONNX, verified, and drawn with; no PyTorch.",
               "sinter");
  app.set_version_flag("--version", std::string("sinter ") + kVersion);
  app.get_formatter()->column_width(34);
  app.require_subcommand(0, 1);
  // The commands take this over. What stands twice, as behind an alias, counts as it stands last.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  std::map<const CLI::App*, Run> runs;
  for (const Command& command : commands()) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
    sub->footer(fmt::format("Example:\n  {}", command.example));
    runs.emplace(sub, command.declare(*sub));
  }
  const auto chosen = [&]() -> const CLI::App* {
    const std::vector<CLI::App*> subs = app.get_subcommands();
    return subs.empty() ? nullptr : subs.front();
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    const std::vector<std::string> left = app.remaining(true);
    throw unknown_word(app, chosen(), left.empty() ? "" : left.front());
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorCode::kUsage, error.what(),
                help_command(chosen()) + " shows the options and an example");
  }
  if (chosen() == nullptr) {
    fmt::print("{}", app.help());
    return kDone;
  }
  return runs.at(chosen())();
}

}  // namespace
}  // namespace sinter::cli

int main(int argc, char** argv) {
  sinter::open_standard_streams();
  // Past a file-size limit the write shall fail with an error of its own, not end the process.
#ifdef SIGXFSZ
  std::signal(SIGXFSZ, SIG_IGN);
#endif
  const bool json = std::any_of(
      argv, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
  try {
    const int status = sinter::cli::run(argc, argv);
    sinter::cli::finish_output();
    return status;
  } catch (const std::exception& error) {
    return sinter::cli::report(sinter::cli::as_error(error), json);
  }
}
