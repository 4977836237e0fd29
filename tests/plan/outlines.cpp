#include "tests/plan/outlines.h"

#include <algorithm>
#include <sstream>

#include "sinter/convert/convert.h"
#include "tools/synth/synth.h"

namespace sinter::plan {
namespace fs = std::filesystem;
namespace {

convert::ConvertOptions parsed(const std::string& options) {
  convert::ConvertOptions result;
  std::istringstream words(options);
  std::string word;
  std::string value;
  while (words >> word) {
    if (word == "--controlnet-inputs") result.controlnet_inputs = true;
    if (word == "--precision" && words >> value)
      result.precision = convert::precision_from_name(value);
    if (word == "--vae-precision" && words >> value)
      result.vae_precision = convert::precision_from_name(value);
    if (word == "--io" && words >> value) result.io = value;
    if (word == "--static") result.size = convert::StaticSize{2, 512, 768};
  }
  return result;
}

}  // namespace

fs::path converted_outline(const std::string& name, const std::string& options) {
  std::string place = name + options;
  std::ranges::replace_if(
      place, [](char c) { return c == '/' || c == ' '; }, '_');
  const fs::path folder = fs::path(SINTER_TEST_SCRATCH) / place;
  const fs::path out = folder / "out";
  static std::vector<fs::path> made;
  if (std::ranges::find(made, out) != made.end()) return out;
  fs::remove_all(folder);
  fs::create_directories(folder);
  synth::write_outline(fs::path(SINTER_TEST_DATA) / "manifests" / (name + ".json"),
                       folder / "checkpoint.safetensors");
  convert::convert(folder / "checkpoint.safetensors", out, parsed(options));
  made.push_back(out);
  return out;
}

std::vector<fs::path> graphs_in(const fs::path& folder) {
  std::vector<fs::path> graphs;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (fs::exists(entry.path() / "model.onnx")) graphs.push_back(entry.path() / "model.onnx");
  }
  std::ranges::sort(graphs);
  return graphs;
}

}  // namespace sinter::plan
