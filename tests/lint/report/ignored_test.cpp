// Comments that leave findings out.
#include <gtest/gtest.h>

#include "tests/lint/script_test.h"

namespace sinter::lint {
namespace {

TEST(Ignore, LeavesOutWhatALineAsksFor) {
  const std::string script =
      "import torch\n"
      "a = torch.load('x')  # sinter: ignore[load-without-map-location]\n"
      "b = torch.load('x')  # sinter: ignore\n"
      "c = '# sinter: ignore'; d = torch.load('x')\n"
      "e = torch.load('x')  #sinter:ignore [load-without-map-location , "
      "load-weights-only-missing]\n";
  EXPECT_EQ(found(script), (Lines{"2 load-weights-only-missing", "4 load-without-map-location",
                                  "4 load-weights-only-missing"}));
}

TEST(Ignore, NamesRulesThatDoNotExist) {
  const ScriptReport report =
      check_script("script.py", "x = 1  # sinter: ignore[no-such-rule, numpy-on-cuda]\n");
  EXPECT_EQ(report.unknown_rules, Lines{"no-such-rule"});
}

}  // namespace
}  // namespace sinter::lint
