#include "sinter/arch/prediction.h"

#include <gtest/gtest.h>

#include "tests/arch/manifest_checkpoint.h"

namespace sinter::arch {
namespace {

using arch_test::load_manifest;
using arch_test::Manifest;
using arch_test::ManifestCheckpoint;

PredictionReading read(const Manifest& manifest, std::string_view family) {
  const ManifestCheckpoint checkpoint(manifest);
  return read_prediction(*checkpoint, family_named(family));
}

Manifest bare() {
  Manifest manifest;
  manifest.add("a", {1});
  return manifest;
}

TEST(Prediction, OfTheFamilyWhereTheFileIsSilent) {
  for (const char* family : {"sd15", "sd15-inpaint", "sdxl-base", "sdxl-refiner", "sd21-inpaint"})
    EXPECT_EQ(read(bare(), family).prediction, Prediction::kEpsilon) << family;
}

TEST(Prediction, OfStableDiffusion2IsUnknownAndSaysWhy) {
  const PredictionReading reading = read(bare(), "sd21");
  EXPECT_FALSE(reading.prediction);
  EXPECT_FALSE(reading.foreign);
  EXPECT_EQ(reading.evidence,
            "base and v models of Stable Diffusion 2.x have the same names and shapes, and this "
            "file says nothing: the prediction type must be given");
}

TEST(Prediction, OfTheMarkThatVModelsOfXlCarry) {
  Manifest manifest = bare();
  manifest.add("v_pred", {0});
  manifest.add("ztsnr", {0});
  EXPECT_EQ(read(manifest, "sdxl-base").prediction, Prediction::kV);
  const PredictionReading reading = read(manifest, "sdxl-base");
  EXPECT_TRUE(reading.zero_terminal_snr);
  EXPECT_EQ(reading.evidence,
            "the file has the key 'v_pred': v-prediction; the file has the key 'ztsnr': zero "
            "terminal SNR");
}

TEST(Prediction, IsZeroTerminalSnrOnlyOfVModels) {
  Manifest manifest = bare();
  manifest.add("ztsnr", {0});
  const PredictionReading epsilon = read(manifest, "sdxl-base");
  EXPECT_FALSE(epsilon.zero_terminal_snr);
  EXPECT_EQ(epsilon.evidence.find("ztsnr"), std::string::npos) << epsilon.evidence;
  const ManifestCheckpoint checkpoint(manifest);
  const PredictionReading given =
      read_prediction(*checkpoint, family_named("sdxl-base"), Prediction::kV);
  EXPECT_TRUE(given.zero_terminal_snr);
  EXPECT_EQ(given.evidence, "it was given; the file has the key 'ztsnr': zero terminal SNR");
}

TEST(Prediction, IsUnknownUnderAnotherParameterisation) {
  Manifest manifest = bare();
  manifest.add("edm_mean", {1, 4, 1, 1});
  const PredictionReading reading = read(manifest, "sdxl-base");
  EXPECT_FALSE(reading.prediction);
  EXPECT_TRUE(reading.foreign);
  EXPECT_NE(reading.evidence.find("EDM"), std::string::npos);
}

TEST(Prediction, OfTheMetadata) {
  const std::pair<std::map<std::string, std::string>, Prediction> cases[] = {
      {{{"modelspec.prediction_type", "v"}}, Prediction::kV},
      {{{"modelspec.prediction_type", "epsilon"}}, Prediction::kEpsilon},
      {{{"modelspec.predict_key", "v"}}, Prediction::kV},
      {{{"ss_v_parameterization", "True"}}, Prediction::kV},
      {{{"modelspec.architecture", "stable-diffusion-v2-768-v"}}, Prediction::kV},
      {{{"modelspec.architecture", "stable-diffusion-v2-512"}}, Prediction::kEpsilon},
  };
  for (const auto& [metadata, prediction] : cases) {
    Manifest manifest = bare();
    manifest.metadata = metadata;
    EXPECT_EQ(read(manifest, "sd21").prediction, prediction) << metadata.begin()->first;
  }
}

TEST(Prediction, HasNamesInBothDirections) {
  EXPECT_EQ(prediction_name(Prediction::kEpsilon), "epsilon");
  EXPECT_EQ(prediction_name(Prediction::kV), "v_prediction");
  EXPECT_EQ(prediction_from_name("v"), Prediction::kV);
  EXPECT_EQ(prediction_from_name("v_prediction"), Prediction::kV);
  EXPECT_EQ(prediction_from_name("sample"), std::nullopt);
}

}  // namespace
}  // namespace sinter::arch
