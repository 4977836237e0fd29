// Suggested edits and the diff that shows them.
#include "sinter/lint/report/edits.h"

#include <gtest/gtest.h>

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

/// The script with what is suggested for its first finding.
std::string suggested(const std::string& text) {
  const ScriptReport report = check_script("script.py", text);
  if (report.findings.empty()) return "nothing found";
  return apply_edits(report.text, {&report.findings[0].edit});
}

/// A module whose __init__ and forward have these lines, run on a GPU.
std::string network(const std::string& imports, const std::string& made, const std::string& used) {
  return imports + "class N(nn.Module):\n    def __init__(self):\n        super().__init__()\n" +
         made + "    def forward(self, x):\n        return " + used +
         "\nN().cuda()(torch.ones(3, device='cuda'))\n";
}
const std::string kImports = "import torch\nfrom torch import nn\n";

TEST(Repair, MakesABufferOfWhatIsComputed) {
  const std::string used = "x * self.s";
  const auto check = [&](const std::string& before, const std::string& after) {
    EXPECT_EQ(repaired(network(kImports, "        " + before + "\n", used)),
              network(kImports, "        " + after + "\n", used));
  };
  check(
      "self.s = torch.exp(torch.arange(3) * -0.1)  # rates",
      "self.register_buffer(\"s\", torch.exp(torch.arange(3) * -0.1), persistent=False)  # rates");
  check("self.s = (torch.arange(3) + 1)",
        "self.register_buffer(\"s\", (torch.arange(3) + 1), persistent=False)");
  check("self.s: torch.Tensor = torch.ones(3) / 2",
        "self.register_buffer(\"s\", torch.ones(3) / 2, persistent=False)");
}

TEST(Repair, SuggestsABufferForEachOfSeveral) {
  const std::string script =
      network(kImports, "        self.c, self.s = torch.ones(3).cos(), torch.ones(3).sin()\n",
              "x * self.s");
  EXPECT_EQ(suggested(script),
            network(kImports,
                    "        self.register_buffer(\"c\", torch.ones(3).cos(), persistent=False)\n"
                    "        self.register_buffer(\"s\", torch.ones(3).sin(), persistent=False)\n",
                    "x * self.s"));
}

TEST(Repair, ANameThatIsThereAlreadyIsNotRegisteredUnasked) {
  const std::string script = network(
      kImports, "        self.s = None\n        self.s = torch.ones(3) * 2\n", "x * self.s");
  EXPECT_EQ(repaired(script), script);
}

TEST(Repair, SuggestsAContainerThatRegistersItsModules) {
  const auto check = [](const std::string& before, const std::string& after,
                        const std::string& used, const std::string& imports = kImports) {
    const std::string script = network(imports, "        " + before + "\n", used);
    EXPECT_EQ(suggested(script), network(imports, "        " + after + "\n", used));
    EXPECT_EQ(repaired(script), script);  // keys of checkpoints change with it
  };
  check("self.l = [nn.Linear(3, 3), nn.Linear(3, 3)]",
        "self.l = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])", "self.l[0](x)");
  check("self.l = [nn.Linear(3, 3) for _ in range(2)]",
        "self.l = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])", "self.l[1](x)");
  check("self.l = {'a': nn.Linear(3, 3)}", "self.l = nn.ModuleDict({'a': nn.Linear(3, 3)})",
        "self.l['a'](x)");
  check("self.l = []\n        self.l.append(nn.Linear(3, 3))",
        "self.l = nn.ModuleList()\n        self.l.append(nn.Linear(3, 3))", "self.l[0](x)");
  check("self.l = {'a': [nn.Linear(3, 3)]}",
        "self.l = nn.ModuleDict({'a': nn.ModuleList([nn.Linear(3, 3)])})", "self.l['a'][0](x)");
  const std::string pairs = "self.l = [('a', nn.Linear(3, 3))]";  // no list of modules alone
  check(pairs, pairs, "self.l[0][1](x)");
  check("self.l = {0: nn.Linear(3, 3)}", "self.l = {0: nn.Linear(3, 3)}", "self.l[0](x)");
  check("self.l = [nn.Linear(3, 3)]", "self.l = ModuleList([nn.Linear(3, 3)])", "self.l[0](x)",
        kImports + "from torch.nn import ModuleList\n");
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

TEST(Repair, ShowsTheLinesAroundOneEdit) {
  std::string text;
  for (int i = 1; i <= 12; ++i) text += fmt::format("line {}\n", i);
  const auto at = static_cast<std::uint32_t>(text.find("9"));
  const Edit edit{.replacements = {{at, at + 1, "nine"}}, .safe = true};
  EXPECT_EQ(edit_diff("a.py", text, LineTable(text), edit),
            unified_diff("a.py", text, apply_edits(text, {&edit})));
  EXPECT_EQ(edit_diff("a.py", text, LineTable(text), Edit{}), "");
}

TEST(Repair, DropsEditsThatOverlap) {
  const Edit outer{.replacements = {{0, 5, "a"}}, .safe = true};
  const Edit inner{.replacements = {{2, 3, "b"}}, .safe = true};
  const Edit behind{.replacements = {{5, 5, "c"}}, .safe = true};
  EXPECT_EQ(apply_edits("01234567", {&outer, &inner, &behind}), "ac567");
}

}  // namespace
}  // namespace sinter::lint
