// Suggested edits, the diff that shows them, and what comments and settings leave out.
#include <gtest/gtest.h>

#include "sinter/base/error.h"
#include "sinter/lint/edits.h"
#include "tests/lint/script_test.h"

namespace sinter::lint {
namespace {

/// The script after all safe edits.
std::string repaired(const std::string& text) {
  const ScriptReport report = check_script("script.py", text);
  std::vector<const Edit*> edits;
  for (const Finding& finding : report.findings)
    if (finding.edit.safe) edits.push_back(&finding.edit);
  return apply_edits(report.text, edits);
}

TEST(Repair, WritesTheDeviceThatIsInReach) {
  EXPECT_EQ(repaired("import torch\n"
                     "device = torch.device('cuda')\n"
                     "x = torch.zeros(3)\n"
                     "print(x + torch.ones(3, device=device))\n"),
            "import torch\n"
            "device = torch.device('cuda')\n"
            "x = torch.zeros(3, device=device)\n"
            "print(x + torch.ones(3, device=device))\n");
}

TEST(Repair, AssignsADroppedMove) {
  EXPECT_EQ(repaired("import torch\nx = torch.zeros(3)\nx.to('cuda')\n"),
            "import torch\nx = torch.zeros(3)\nx = x.to('cuda')\n");
}

TEST(Repair, MakesABuffer) {
  EXPECT_EQ(repaired("import torch\n"
                     "from torch import nn\n"
                     "class N(nn.Module):\n"
                     "    def __init__(self):\n"
                     "        super().__init__()\n"
                     "        self.s = torch.ones(3)\n"
                     "    def forward(self, x):\n"
                     "        return x * self.s\n"
                     "N().cuda()(torch.ones(3, device='cuda'))\n"),
            "import torch\n"
            "from torch import nn\n"
            "class N(nn.Module):\n"
            "    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.register_buffer(\"s\", torch.ones(3), persistent=False)\n"
            "    def forward(self, x):\n"
            "        return x * self.s\n"
            "N().cuda()(torch.ones(3, device='cuda'))\n");
}

TEST(Repair, DoesNotGuessADevice) {
  const std::string script =
      "import torch\nx = torch.zeros(3)\nprint(x + torch.ones(3, device='cuda'))\n";
  EXPECT_EQ(repaired(script), script);
}

TEST(Repair, ShowsAUnifiedDiff) {
  std::string before;
  for (int i = 1; i <= 12; ++i) before += fmt::format("line {}\n", i);
  std::string after = before;
  after.replace(after.find("line 5\n"), 7, "line five\nmore\n");
  EXPECT_EQ(unified_diff("a.py", before, after),
            "--- a/a.py\n+++ b/a.py\n@@ -2,7 +2,8 @@\n line 2\n line 3\n line 4\n-line 5\n"
            "+line five\n+more\n line 6\n line 7\n line 8\n");
  EXPECT_EQ(unified_diff("a.py", before, before), "");
  EXPECT_EQ(unified_diff("a.py", "x", "y"),
            "--- a/a.py\n+++ b/a.py\n@@ -1,1 +1,1 @@\n-x\n\\ No newline at end of file\n+y\n\\ No "
            "newline at end of file\n");
}

TEST(Repair, DropsEditsThatOverlap) {
  const Edit outer{.replacements = {{0, 5, "a"}}, .safe = true};
  const Edit inner{.replacements = {{2, 3, "b"}}, .safe = true};
  const Edit behind{.replacements = {{5, 5, "c"}}, .safe = true};
  EXPECT_EQ(apply_edits("01234567", {&outer, &inner, &behind}), "ac567");
}

TEST(Ignore, LeavesOutWhatALineAsksFor) {
  const std::string script =
      "import torch\n"
      "a = torch.load('x')  # sinter: ignore[load-without-map-location]\n"
      "b = torch.load('x')  # sinter: ignore\n"
      "c = '# sinter: ignore'; d = torch.load('x')\n";
  EXPECT_EQ(found(script), (Lines{"2 load-weights-only-missing", "4 load-without-map-location",
                                  "4 load-weights-only-missing"}));
}

TEST(Ignore, NamesRulesThatDoNotExist) {
  const ScriptReport report =
      check_script("script.py", "x = 1  # sinter: ignore[no-such-rule, numpy-on-cuda]\n");
  EXPECT_EQ(report.unknown_rules, Lines{"no-such-rule"});
}

TEST(Settings, ReadTheirSection) {
  const Settings settings = read_settings(
      "[project]\nname = \"x\"\n[tool.sinter.lint]\nignore = [\"numpy-on-cuda\"]\n", "p.toml");
  EXPECT_FALSE(settings.wants(Rule::kNumpyOnCuda));
  EXPECT_TRUE(settings.wants(Rule::kHalfOnCpu));
  const Settings chosen =
      read_settings("[tool.sinter.lint]\nselect = [\"numpy-on-cuda\"]\n", "p.toml");
  EXPECT_TRUE(chosen.wants(Rule::kNumpyOnCuda));
  EXPECT_FALSE(chosen.wants(Rule::kHalfOnCpu));
  EXPECT_TRUE(read_settings("", "p.toml").wants(Rule::kHalfOnCpu));
}

std::string refusal(const std::string& text) {
  try {
    read_settings(text, "p.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadFile);
    return error.message();
  }
  return "";
}

TEST(Settings, RefuseWhatTheyDoNotKnow) {
  EXPECT_EQ(refusal("[tool.sinter.lint]\nselect = [\"nothing\"]\n"),
            "p.toml:2: there is no rule 'nothing'");
  EXPECT_EQ(refusal("[tool.sinter.lint]\nstrict = true\n"),
            "p.toml:2: tool.sinter.lint has no setting 'strict'");
  EXPECT_EQ(refusal("[tool.sinter.lint]\nignore = \"x\"\n"),
            "p.toml:2: tool.sinter.lint.ignore is no list of rules");
  EXPECT_TRUE(refusal("[tool\n").starts_with("p.toml:1:6: this is no TOML: "));
}

}  // namespace
}  // namespace sinter::lint
