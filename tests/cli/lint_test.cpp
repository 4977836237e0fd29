#include <filesystem>
#include <fstream>

#include "sinter/base/file.h"
#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kTwoDevices =
    "import torch\n"
    "device = torch.device('cuda')\n"
    "x = torch.zeros(3)\n"
    "print(x + torch.ones(3, device=device))\n";

class Lint : public CommandTest {
 protected:
  void write(const std::string& file, std::string_view text) const {
    fs::create_directories((folder() / file).parent_path());
    std::ofstream(folder() / file, std::ios::binary) << text;
  }
};

TEST_F(Lint, SaysWhereAndWhyAndWhatToWrite) {
  write("a.py", kTwoDevices);
  const Ended ended = sinter({"lint", "a.py"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.out,
            "a.py:3:5: error: torch.zeros makes a CPU tensor that meets tensors on cuda ('+', line "
            "4) [tensor-without-device]\n"
            "    -x = torch.zeros(3)\n"
            "    +x = torch.zeros(3, device=device)\n"
            "1 error, 0 warnings, 0 notes in 1 script\n");
  EXPECT_EQ(ended.err, "");
}

TEST_F(Lint, IsContentWithCleanScripts) {
  write("a.py", "import torch\nprint(torch.zeros(3))\n");
  const Ended ended = sinter({"lint", "a.py"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.out, "nothing found in 1 script\n");
}

TEST_F(Lint, ReportsTheSameAsJson) {
  write("a.py", kTwoDevices);
  write("broken.py", "def f(:\n");
  const nlohmann::json report = json({"lint", "."}, 3);
  expect_documented("lint", report);
  const nlohmann::json& finding = report["findings"][0];
  EXPECT_EQ(finding["line"], 3);
  EXPECT_EQ(finding["column"], 5);
  EXPECT_EQ(finding["rule"], "tensor-without-device");
  EXPECT_EQ(finding["severity"], "error");
  EXPECT_EQ(finding["use_line"], 4);
  EXPECT_EQ(finding["safe"], true);
  EXPECT_EQ(report["errors"][0]["message"], "./broken.py:1:7: this cannot be read as Python");
  EXPECT_EQ(report["scripts"], 2);
}

TEST_F(Lint, WritesSarif) {
  write("a b.py", kTwoDevices);
  const Ended ended = sinter({"lint", "a b.py", "--sarif"});
  EXPECT_EQ(ended.status, 1);
  const nlohmann::json log = nlohmann::json::parse(ended.out);
  EXPECT_EQ(log["version"], "2.1.0");
  const nlohmann::json& run = log["runs"][0];
  const nlohmann::json& result = run["results"][0];
  EXPECT_EQ(result["ruleId"], "tensor-without-device");
  EXPECT_EQ(run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"],
            result["ruleId"]);
  EXPECT_EQ(result["level"], "error");
  const nlohmann::json& place = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "a%20b.py");
  EXPECT_EQ(place["region"]["startLine"], 3);
  const nlohmann::json& change = result["fixes"][0]["artifactChanges"][0]["replacements"][0];
  EXPECT_EQ(change["insertedContent"]["text"], ", device=device");
  EXPECT_EQ(change["deletedRegion"]["startColumn"], 18);
}

TEST_F(Lint, FixesWhatIsSafeAndShowsItBefore) {
  write("a.py", kTwoDevices);
  const Ended shown = sinter({"lint", "a.py", "--diff"});
  EXPECT_EQ(shown.status, 1);
  EXPECT_EQ(shown.out,
            "--- a/a.py\n+++ b/a.py\n@@ -1,4 +1,4 @@\n import torch\n device = "
            "torch.device('cuda')\n-x = torch.zeros(3)\n+x = torch.zeros(3, device=device)\n "
            "print(x + torch.ones(3, device=device))\n");
  EXPECT_EQ(read_text(folder() / "a.py"), kTwoDevices);
  const Ended fixed = sinter({"lint", "a.py", "--fix"});
  EXPECT_EQ(fixed.status, 0);
  EXPECT_EQ(fixed.out, "1 finding repaired\nnothing found in 1 script\n");
  EXPECT_NE(read_text(folder() / "a.py").find("torch.zeros(3, device=device)"), std::string::npos);
  EXPECT_EQ(entries(), std::vector<std::string>{"a.py"});
}

TEST_F(Lint, FixesBehindALinkAndKeepsTheRights) {
  write("run.py", kTwoDevices);
  fs::permissions(folder() / "run.py", fs::perms::owner_exec, fs::perm_options::add);
  fs::create_symlink("run.py", folder() / "link.py");
  EXPECT_EQ(sinter({"lint", "link.py", "--fix"}).status, 0);
  EXPECT_TRUE(fs::is_symlink(folder() / "link.py"));
  EXPECT_NE(read_text(folder() / "run.py").find("device=device)\n"), std::string::npos);
  const fs::perms rights = fs::status(folder() / "run.py").permissions();
  EXPECT_NE(rights & fs::perms::owner_exec, fs::perms::none);
}

TEST_F(Lint, ListensToSettingsAndComments) {
  write("project/pyproject.toml", "[tool.sinter.lint]\nignore = [\"tensor-without-device\"]\n");
  write("project/deep/a.py", kTwoDevices);
  write("project/deep/b.py", "import torch\nx = torch.load('f')  # sinter: ignore[no-rule]\n");
  write("project/.venv/skipped.py", "def f(:\n");
  const Ended ended = sinter({"lint", "project"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.out.find("0 errors, 1 warning, 1 note in 2 scripts\n"), std::string::npos)
      << ended.out;
  EXPECT_EQ(ended.err,
            "warning: project/deep/b.py: a comment ignores the rule 'no-rule', which does not "
            "exist\n");
  write("project/pyproject.toml", "[tool.sinter.lint]\nignore = [\"nothing\"]\n");
  EXPECT_EQ(sinter({"lint", "project"}).status, 3);
}

TEST_F(Lint, RefusesWhatMakesNoSense) {
  write("a.py", "x = 1\n");
  expect_error(sinter({"lint", "a.py", "--diff", "--fix"}), 2,
               "error: --fix writes what --diff shows; give one\n");
  expect_error(sinter({"lint", "missing.py"}), 3, "error: missing.py does not exist\n");
}

TEST_F(Lint, NotesAloneAreNoFailure) {
  write("a.py", "import torch\ntorch.load('x', map_location='cpu')\n");
  EXPECT_EQ(sinter({"lint", "a.py"}).status, 0);
}

}  // namespace
}  // namespace sinter::cli
