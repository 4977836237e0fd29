#include "sinter/cli/language_option.h"

#include "sinter/cli/failure.h"

namespace sinter::cli {

void declare_language(CLI::App& app, std::string& name) {
  app.add_option("--lang", name, "en or zh")->capture_default_str();
}

diagnose::Language language_named(const std::string& name) {
  const auto language = diagnose::language_from_name(name);
  if (!language) throw unknown_name("language", name, {"en", "zh"});
  return *language;
}

}  // namespace sinter::cli
