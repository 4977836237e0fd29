#include <fstream>

#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace {

class Precision : public CommandTest {};

TEST_F(Precision, AutoRunsTheModelAndRecordsWhatItDecided) {
  const std::string checkpoint = stand_in("taesd");
  const nlohmann::json report = json({"convert", checkpoint, "out", "--vae-precision", "auto"});
  EXPECT_EQ(report["graphs"][0]["compute"], "float16");
  EXPECT_EQ(report["graphs"][0]["float32_modules"], 0);
  std::ifstream stream(folder() / "out" / "sinter.json");
  const nlohmann::json record = nlohmann::json::parse(stream);
  for (const char* graph : {"vae_decoder", "vae_encoder"}) {
    const nlohmann::json& precision = record["graphs"][graph]["precision"];
    EXPECT_EQ(precision["policy"], "auto");
    EXPECT_EQ(precision["inputs"], "generated");
    EXPECT_GT(precision["largest"]["absolute"], 0);
    EXPECT_EQ(precision["as_decided"]["within"], true);
  }
  EXPECT_EQ(entries(), (std::vector<std::string>{"out", checkpoint}));
}

TEST_F(Precision, CalibrationIsForAuto) {
  const std::string checkpoint = stand_in("taesd");
  expect_error(sinter({"convert", checkpoint, "out", "--calibration-steps", "2"}), 2,
               "error: the options of calibration are for --precision auto\n"
               "hint: without it nothing is run\n");
  expect_error(
      sinter({"convert", checkpoint, "out", "--precision", "auto", "--calibration-size", "512"}), 2,
      "error: --calibration-size is '512', expected WIDTHxHEIGHT in pixels, for example "
      "512x512\n");
}

}  // namespace
}  // namespace sinter::cli
