#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/cli/command.h"
#include "sinter/cli/nearest.h"
#include "sinter/cli/version.h"

namespace sinter::cli {
namespace {

int print_error(const Error& error) {
  fmt::print(stderr, "error: {}\n", error.what());
  return exit_status(error.code());
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// A command or an option that does not exist, with the one that was probably meant.
int unknown_word(const CLI::App& app, const CLI::App* chosen, const std::string& word) {
  std::vector<std::string> candidates;
  if (chosen != nullptr) {
    candidates = option_names(*chosen);
  } else {
    candidates = option_names(app);
    for (const Command& command : commands()) candidates.emplace_back(command.name);
  }
  const bool option = word.starts_with("-");
  fmt::print(stderr, "error: unknown {} '{}'\n",
             option              ? "option"
             : chosen != nullptr ? "argument"
                                 : "command",
             word);
  const std::string meant = nearest(word.substr(0, word.find('=')), candidates);
  if (!meant.empty()) {
    fmt::print(stderr, "hint: did you mean '{}'?\n", meant);
  } else {
    fmt::print(stderr, "hint: sinter {}--help lists them\n",
               chosen != nullptr ? chosen->get_name() + " " : "");
  }
  return exit_status(ErrorCode::kUsage);
}

int run(int argc, char** argv) {
  CLI::App app("Stable Diffusion checkpoints to ONNX, verified, and drawn with; no PyTorch.",
               "sinter");
  app.set_version_flag("--version", std::string("sinter ") + kVersion);
  app.get_formatter()->column_width(34);
  app.require_subcommand(0, 1);
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
    return unknown_word(app, chosen(), left.empty() ? "" : left.front());
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    const CLI::App* sub = chosen();
    fmt::print(stderr, "hint: sinter {}--help shows the options and an example\n",
               sub != nullptr ? sub->get_name() + " " : "");
    return exit_status(ErrorCode::kUsage);
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
  // Past a file-size limit the write shall fail with an error of its own, not end the process.
#ifdef SIGXFSZ
  std::signal(SIGXFSZ, SIG_IGN);
#endif
  try {
    return sinter::cli::run(argc, argv);
  } catch (const sinter::Error& error) {
    return sinter::cli::print_error(error);
  } catch (const std::exception& error) {
    return sinter::cli::print_error({sinter::ErrorCode::kInternal, error.what(),
                                     "this is a bug of sinter; please report it with the command"});
  }
}
