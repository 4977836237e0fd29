// The pages under docs/ against the tables in the program, so that they cannot go stale.
// SINTER_UPDATE_DOCS=1 writes the tables of options anew.
#include "tests/cli/manual.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sinter/base/error.h"
#include "sinter/cli/command.h"
#include "sinter/convert/io_profile.h"
#include "sinter/verify/tolerance.h"

namespace sinter::cli {
namespace {

constexpr std::string_view kTableHead = "| option | meaning | default |\n|---|---|---|\n";

/// The options of a command as the page has them.
std::string option_table(const Command& command) {
  CLI::App app;
  command.declare(app);
  std::string table(kTableHead);
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_name() == "--help") continue;
    const bool flag = option->get_items_expected_max() == 0;
    const std::string name =
        option->get_positional()
            ? "`" + option->get_name(true) + "`"
            : fmt::format("`{}`", option->get_name(false, true)) + (flag ? "" : " VALUE");
    const std::string fallback = option->get_default_str();
    table += fmt::format("| {} | {} | {} |\n", name, option->get_description(),
                         option->get_required() ? "required"
                         : fallback.empty()     ? ""
                                                : "`" + fallback + "`");
  }
  return table;
}

/// Puts a command's table of options into the page in place of the one there.
void update_page(const Command& command) {
  std::string page = manual_page("cli.md");
  const std::size_t section = page.find(fmt::format("\n## sinter {}\n", command.name));
  const std::size_t begin = page.find("| option |", section);
  const std::size_t end = page.find("\n\n", begin) + 1;
  page.replace(begin, end - begin, option_table(command));
  std::ofstream(std::filesystem::path(SINTER_SOURCE_DIR) / "docs/cli.md") << page;
}

TEST(Manual, DescribesEveryCommandAndOption) {
  for (const Command& command : commands()) {
    if (std::getenv("SINTER_UPDATE_DOCS") != nullptr) update_page(command);
    const std::string section = manual_section(command.name);
    ASSERT_FALSE(section.empty()) << "docs/cli.md has no section '## sinter " << command.name
                                  << "'";
    EXPECT_NE(section.find(option_table(command)), section.npos)
        << "docs/cli.md is stale; `SINTER_UPDATE_DOCS=1 cli_test` writes this table:\n"
        << option_table(command);
    EXPECT_NE(section.find(fmt::format("    {}\n", command.example)), section.npos)
        << "the section of " << command.name << " lacks the example of its --help";
    EXPECT_FALSE(manual_keys(command.name).empty()) << command.name;
  }
}

TEST(Manual, ListsEveryErrorCodeWithItsStatus) {
  const std::string page = manual_page("errors.md");
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code) {
    const auto value = static_cast<ErrorCode>(code);
    const std::string row =
        fmt::format("| `{}` | {} |", error_code_name(value), exit_status(value));
    EXPECT_NE(page.find(row), page.npos) << "docs/errors.md lacks " << row;
  }
}

TEST(Manual, ListsEveryInterface) {
  const std::string page = manual_page("formats.md");
  const auto cell = [](std::string_view name) {
    return name.empty() ? std::string("-") : fmt::format("`{}`", name);
  };
  for (const convert::IoProfile& profile : convert::io_profiles()) {
    const std::string unet = fmt::format(
        "| `{}` | {}, {}, {} | {} | {} |", profile.name, cell(profile.sample),
        cell(profile.timestep), cell(profile.context),
        profile.vector.empty() ? fmt::format("{}, {}", cell(profile.pooled), cell(profile.time_ids))
                               : cell(profile.vector),
        cell(profile.noise));
    EXPECT_NE(page.find(unet), page.npos) << "docs/formats.md lacks " << unet;
    const std::string vae =
        fmt::format("| `{}` | {} | {} | {} | {} |", profile.name, cell(profile.latent_in),
                    cell(profile.image_out), cell(profile.image_in), cell(profile.latent_out));
    EXPECT_NE(page.find(vae), page.npos) << "docs/formats.md lacks " << vae;
    const std::string text = fmt::format(
        "| `{}` | {} | {} | {} | {} | {} |", profile.name, cell(profile.ids),
        cell(profile.last_hidden_state), cell(profile.pooler_output),
        profile.hidden_states.empty() ? cell(profile.penultimate_state)
                                      : fmt::format("`{}.0` ...", profile.hidden_states),
        cell(profile.text_embeds));
    EXPECT_NE(page.find(text), page.npos) << "docs/formats.md lacks " << text;
  }
}

TEST(Manual, ListsEveryTolerance) {
  const std::string page = manual_page("numerics.md");
  for (const verify::Tolerance& tolerance :
       {verify::tolerance_for(DType::kF32), verify::tolerance_for(DType::kF16),
        verify::tolerance_for(DType::kBF16), verify::kTensorRtTolerance}) {
    const std::string row =
        fmt::format("| {} | {:.0e} | {:.0e} |", tolerance.name, tolerance.max, tolerance.mean);
    EXPECT_NE(page.find(row), page.npos) << "docs/numerics.md lacks " << row;
  }
}

}  // namespace
}  // namespace sinter::cli
