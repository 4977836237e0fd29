#include "shapes_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinter/base/png_file.h"
#include "sinter/pipeline/tokenizer.h"
#include "sinter/verify/comparison.h"

namespace sinter::shapes {
namespace fs = std::filesystem;
namespace {

std::vector<convert::ExtraFile> tokenizer_files(const arch::Model&) {
  std::vector<convert::ExtraFile> files;
  for (pipeline::VocabularyFile& file : pipeline::Tokenizer::clip().files())
    files.push_back({"tokenizer/" + file.name, std::move(file.text)});
  return files;
}

}  // namespace

convert::ConvertOptions request() {
  convert::ConvertOptions options;
  options.precision = convert::Precision::kF32;
  options.extra_files = tokenizer_files;
  return options;
}

fs::path convert_model(const std::string& name, const convert::ConvertOptions& options) {
  const fs::path out = fs::path(SINTER_TEST_SCRATCH) / name;
  fs::remove_all(out);
  convert::convert(kModels / "shapes-sd1.safetensors", out, options);
  return out;
}

pipeline::GenerateOptions drawing(std::string prompt, std::string sampler, std::uint64_t seed) {
  pipeline::GenerateOptions options;
  options.prompt = std::move(prompt);
  options.sampler = std::move(sampler);
  options.steps = 20;
  options.guidance_scale = 4;
  options.seed = seed;
  options.width = options.height = 128;
  return options;
}

void expect_near(const Tensor& expected, const Tensor& found, double most, const char* what) {
  const verify::Comparison c = verify::compare(expected, found);
  EXPECT_TRUE(c.same_shape()) << what;
  EXPECT_LE(c.max_relative, most) << what << " at " << to_string(c.worst_index);
}

void expect_same_picture(const fs::path& expected_file, const Image& drawn) {
  const Image expected = read_png(expected_file);
  ASSERT_EQ(drawn.pixels.size(), expected.pixels.size());
  double difference = 0;
  for (std::size_t i = 0; i < drawn.pixels.size(); ++i)
    difference += std::abs(int{drawn.pixels[i]} - int{expected.pixels[i]});
  EXPECT_LE(difference / static_cast<double>(drawn.pixels.size()), 255 * 1e-4) << "in 255ths, mean";
}

}  // namespace sinter::shapes
