// Every row of small/ in the folders of SINTER_REFERENCE (separated by ':'), laid out like the
// reference data; without it, the copies in tests/data and ../shared/reference where that is.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sinter/base/file.h"
#include "sinter/pipeline/scheduler.h"
#include "sinter/pipeline/tokenizer.h"
#include "sinter/pipeline/torch_random.h"
#include "tests/pipeline/reference_file.h"
#include "tests/reference/folders.h"

namespace sinter::pipeline {
namespace {

namespace fs = std::filesystem;

// The files of that name that exist; a folder given by name must not silently have none.
std::vector<fs::path> reference_files(const char* name) {
  std::vector<fs::path> files;
  for (const fs::path& folder : reference_folders()) {
    EXPECT_TRUE(fs::is_directory(folder)) << folder << " is not a folder";
    if (fs::exists(folder / "small" / name)) files.push_back(folder / "small" / name);
  }
  return files;
}

// Within `tolerance` of the expected array's scale (its largest number, at least 1).
void expect_near(const Tensor& found, const Tensor& expected, double tolerance,
                 const std::string& what) {
  ASSERT_EQ(to_string(found.shape()), to_string(expected.shape())) << what;
  const auto x = found.floats();
  const auto y = expected.floats();
  double scale = 1;
  for (const float value : y) scale = std::max(scale, std::abs(static_cast<double>(value)));
  double worst = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double difference = std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i]));
    if (difference > worst || std::isnan(difference)) {
      worst = difference;
      at = i;
    }
  }
  EXPECT_LE(worst, tolerance * scale)
      << what << " at " << at << ": " << x[at] << ", expected " << y[at];
}

// "seed5.1x4x8x8", or "seed5.draw1": the second of three [1,4,8,8] from one generator.
Tensor normal_of(const std::string& key) {
  const std::size_t dot = key.find('.');
  TorchRandom random(std::stoull(key.substr(4, dot - 4)));
  const std::string what = key.substr(dot + 1);
  if (what.starts_with("draw")) {
    Tensor draw;
    for (int i = 0; i <= std::stoi(what.substr(4)); ++i) draw = random.normal({1, 4, 8, 8});
    return draw;
  }
  Shape shape;
  std::istringstream stream(what);
  for (std::string extent; std::getline(stream, extent, 'x');) shape.push_back(std::stoll(extent));
  return random.normal(shape);
}

TEST(Reference, NormalNumbersAreTorchs) {
  for (const fs::path& path : reference_files("torch_randn.safetensors")) {
    const ReferenceFile file = read_reference(path);
    for (const auto& [key, expected] : file.arrays)
      expect_near(normal_of(key), expected, 1e-6, fmt::format("{} of {}", key, path.string()));
    RecordProperty(path.string(), static_cast<int>(file.arrays.size()));
  }
}

TEST(Reference, TokenIdsAreTransformers) {
  const Tokenizer tokenizer = Tokenizer::clip();
  for (const fs::path& path : reference_files("clip_tokens.json")) {
    const auto rows = nlohmann::json::parse(read_text(path))["rows"];
    for (const auto& row : rows) {
      const std::string text = row["text"];
      EXPECT_EQ(tokenizer.encode(text), row["ids"].get<std::vector<std::int64_t>>()) << text;
      EXPECT_EQ(tokenizer.windows(text).front(), row["padded77"].get<TokenWindow>()) << text;
    }
    RecordProperty(path.string(), static_cast<int>(rows.size()));
  }
}

// The stand-in for a UNet that the file's note describes.
Tensor fake_model(const Tensor& input, float timestep) {
  Tensor output(DType::kF32, input.shape());
  const auto width = static_cast<std::size_t>(input.shape().back());
  const float scale = 0.5f + 0.5f * timestep / 1000.0f;
  const auto x = input.floats();
  const auto y = output.floats();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t row = i - i % width;
    const float left = x[row + (i % width + width - 1) % width];
    y[i] = std::tanh(0.7f * x[i] + 0.3f * left) * scale;
  }
  return output;
}

void expect_list(std::span<const float> found, const Tensor& expected, const std::string& what) {
  const Tensor list({static_cast<std::int64_t>(found.size())}, found);
  expect_near(list, expected, 1e-4, what);
}

// One key of the file: the whole walk, and what it goes by.
void check_sampler(const ReferenceFile& file, const std::string& key,
                   const nlohmann::json& settings) {
  const SchedulerConfig config = read_scheduler_config(settings.dump());
  const auto scheduler = make_scheduler(config, std::stoi(key.substr(key.rfind('.') + 1)));
  expect_list(scheduler->timesteps(), file.arrays.at(key + ".timesteps"), key + ".timesteps");
  if (!scheduler->sigmas().empty())
    expect_list(scheduler->sigmas(), file.arrays.at(key + ".sigmas"), key + ".sigmas");

  TorchRandom random(settings["seed"].get<std::uint64_t>());
  const Tensor& start = file.arrays.at(key + ".start");
  Tensor sample = random.normal(start.shape());
  for (float& value : sample.floats()) value *= scheduler->initial_sigma();
  expect_near(sample, start, 1e-4, key + ".start");
  for (std::size_t i = 0; i < scheduler->timesteps().size(); ++i) {
    const Tensor output = fake_model(scheduler->scale_input(sample, i), scheduler->timesteps()[i]);
    sample = scheduler->step(i, sample, output,
                             [&](const Shape& shape) { return random.normal(shape); });
  }
  expect_near(sample, file.arrays.at(key + ".end"), 1e-4, key + ".end");
}

TEST(Reference, SamplersAreDiffusers) {
  for (const fs::path& path : reference_files("schedulers.safetensors")) {
    const ReferenceFile file = read_reference(path);
    int checked = 0;
    std::string left_out;
    for (const auto& [key, text] : file.metadata) {
      if (!file.arrays.contains(key + ".end")) continue;
      auto settings = nlohmann::json::parse(text);
      settings["_class_name"] = settings["class"];
      const auto rows = samplers();
      const bool have = std::ranges::any_of(
          rows, [&](const Sampler& each) { return settings["class"] == each.class_name; });
      if (!have || settings.value("algorithm_type", "dpmsolver++") != "dpmsolver++") {
        left_out += " " + key;
        continue;
      }
      check_sampler(file, key, settings);
      ++checked;
    }
    EXPECT_GT(checked, 0) << path;
    fmt::print("{}: {} sampler runs checked; not of this release:{}\n", path.string(), checked,
               left_out);
  }
}

}  // namespace
}  // namespace sinter::pipeline
