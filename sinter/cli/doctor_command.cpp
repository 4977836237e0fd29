#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/cli/command.h"
#include "sinter/cli/doctor_report.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/language_option.h"
#include "sinter/cli/log_input.h"
#include "sinter/cli/option_rules.h"
#include "sinter/diagnose/environment/collect.h"
#include "sinter/diagnose/environment/host_machine.h"

namespace sinter::cli {
namespace environment = diagnose::environment;
namespace {

struct Options {
  std::vector<std::string> pythons;
  std::string lock;
  std::string against;
  std::string collect_env;
  std::string language = "en";
  bool json = false;
};

environment::Snapshot locked(const std::string& path) {
  try {
    return environment::from_lock(LogInput(path).text());
  } catch (Error& error) {
    error.add_context(fmt::format("reading {}", path));
    throw;
  }
}

int run(const Options& options) {
  const diagnose::Language language = language_named(options.language);
  if (!options.collect_env.empty() && !options.pythons.empty())
    throw Error(ErrorCode::kUsage, "--collect-env speaks of another machine, --python of this one",
                "give one of the two");
  DoctorReport report;
  if (!options.against.empty()) report.before = locked(options.against);
  report.snapshot = options.collect_env.empty()
                        ? environment::collect(environment::HostMachine(), options.pythons)
                        : environment::collect_env_report(LogInput(options.collect_env).text());
  report.diagnosis = environment::examine(report.snapshot);
  if (report.before) report.drifts = environment::drift(*report.before, report.snapshot);
  if (!options.lock.empty()) {
    AtomicFile file(options.lock);
    file.write(environment::to_lock(report.snapshot));
    file.commit();
    report.lock = options.lock;
  }
  if (options.json) {
    print_json(to_json(report, language));
  } else {
    print_text(report, language);
  }
  return report.diagnosis.sound() && report.drifts.empty() ? kDone : kFindings;
}

}  // namespace

Run declare_doctor(CLI::App& app) {
  auto options =
      std::make_shared<Options>();  // shared by the parser's bindings and the returned function
  one_by_one(app.add_option("--python", options->pythons,
                            "look at this Python only: its program, or the folder of its "
                            "environment (repeatable)"));
  app.add_option("--lock", options->lock, "also write the environment to this file");
  app.add_option("--against", options->against,
                 "say what has changed since that file was written with --lock");
  app.add_option("--collect-env", options->collect_env,
                 "read the output of `python -m torch.utils.collect_env` instead of this machine; "
                 "- for standard input");
  declare_language(app, options->language);
  app.add_flag("--json", options->json, "print the result as JSON");
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
