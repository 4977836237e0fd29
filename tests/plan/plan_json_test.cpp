#include <gtest/gtest.h>

#include <string>

#include "sinter/base/error.h"
#include "sinter/plan/plan.h"

namespace sinter::plan {
namespace {

Plan small_plan() {
  return {.family = "sd15",
          .gpu = "rtx4090",
          .sizes = {.batch = {1, 1, 4}},
          .graphs = {{.folder = "unet",
                      .profile = {{{"sample", {1, 4, 32, 32}, {2, 4, 64, 64}, {8, 4, 80, 80}}}},
                      .workspace_bytes = 1 << 30,
                      .disk_bytes = 1700,
                      .memory = {{"opt", 1, 2, 3}}}}};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string refusal(const std::string& json) {
  try {
    plan_from_json(json);
  } catch (const Error& error) {
    return error.what();
  }
  return "taken";
}

TEST(PlanJson, ComesBackAsItWent) {
  EXPECT_EQ(plan_from_json(to_json(small_plan())), small_plan());
}

TEST(PlanJson, IsTakenOutOfWhatTheCommandPrints) {
  EXPECT_EQ(plan_from_json("{\"plan\": " + to_json(small_plan()) + ", \"notes\": []}"),
            small_plan());
  EXPECT_EQ(refusal("{\"plan\": 1}"), "the plan is number, expected an object");
}

TEST(PlanJson, FiguresMayBeLeftOut) {
  const Plan plan = plan_from_json(R"({"sinter_plan": 1, "family": "", "gpu": "",
    "sizes": {"batch": {"min": 1, "opt": 1, "max": 1}, "height": {"min": 8, "opt": 8, "max": 8},
      "width": {"min": 8, "opt": 8, "max": 8}, "tokens": {"min": 77, "opt": 77, "max": 77},
      "guidance": false},
    "graphs": {"unet": {"inputs": {"x": {"min": [1], "opt": [2], "max": [3]}}}}})");
  ASSERT_EQ(plan.graphs.size(), 1U);
  EXPECT_EQ(plan.graphs[0].profile.inputs[0], (InputRange{"x", {1}, {2}, {3}}));
  EXPECT_EQ(plan.find("unet"), &plan.graphs[0]);
  EXPECT_EQ(plan.find("vae_decoder"), nullptr);
}

TEST(PlanJson, RefusesRangesOutOfOrder) {
  Plan plan = small_plan();
  plan.graphs[0].profile.inputs[0].min[3] = 96;
  EXPECT_EQ(refusal(to_json(plan)),
            "axis 3 of 'sample' is out of order: min 96, opt 64, max 80, expected 1 <= min <= opt "
            "<= max\n  while reading graphs.unet");
  plan = small_plan();
  plan.sizes.batch.opt = 5;
  EXPECT_EQ(refusal(to_json(plan)),
            "sizes.batch is out of order: min 1, opt 5, max 4, expected 1 <= min <= opt <= max");
}

TEST(PlanJson, RefusesWhatIsNotInTheFormat) {
  const std::string json = to_json(small_plan());
  EXPECT_EQ(refusal(replaced(json, "\"workspace_bytes\"", "\"workspace_byte\"")),
            "graphs.unet has a key 'workspace_byte' that is not in the format\n"
            "hint: did you mean 'workspace_bytes'?");
  EXPECT_EQ(refusal(replaced(json, "\"sinter_plan\": 1", "\"sinter_plan\": 2")),
            "the plan has format 2, expected 1\nhint: make it anew with sinter plan");
  EXPECT_EQ(refusal(replaced(json, "\"disk_bytes\": 1700", "\"disk_bytes\": 1.5")),
            "graphs.unet.disk_bytes is 1.5, expected a whole number");
  EXPECT_EQ(refusal(replaced(json, "\"disk_bytes\": 1700", "\"disk_bytes\": 18446744073709551615")),
            "graphs.unet.disk_bytes is 18446744073709551615, expected a whole number");
  EXPECT_EQ(refusal(replaced(json, "\"gpu\": \"rtx4090\"", "\"gpu\": \"rtx409O\"")),
            "no GPU is called 'rtx409O'\n"
            "hint: did you mean 'rtx4090'? An architecture (sm89) will do too");
  EXPECT_EQ(refusal(replaced(json, "\"guidance\": true", "\"guidance\": 1")),
            "sizes.guidance is 1, expected true or false");
  EXPECT_EQ(refusal(replaced(json, "\"family\": \"sd15\",", "")), "the plan has no 'family'");
  EXPECT_EQ(refusal(replaced(json, "\"unet\"", "\"../unet\"")),
            "'../unet' is no name of a graph's folder");
  EXPECT_EQ(refusal("[]"), "the plan is array, expected an object");
  EXPECT_EQ(refusal(replaced(json, "\"gpu\": \"rtx4090\"", "\"family\": \"sd2\"")),
            "the key 'family' stands twice");
}

TEST(PlanJson, RefusesDamagedText) {
  EXPECT_TRUE(refusal("{\"sinter_plan\": ").starts_with("not JSON: "));
  EXPECT_EQ(refusal(std::string(100000, '[')), "nested deeper than 12");
}

}  // namespace
}  // namespace sinter::plan
