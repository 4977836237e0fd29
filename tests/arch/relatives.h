#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/arch/manifest_checkpoint.h"

namespace sinter::arch_test {

/// A tensor of a network in both layouts.
struct RelativeTensor {
  std::string canonical;
  std::string original;
  Shape shape;
};

/// A network of tests/data/arch/relatives.json.
inline std::vector<RelativeTensor> load_relative(const std::string& name) {
  std::ifstream file(std::string(SINTER_TEST_DATA) + "/arch/relatives.json");
  const nlohmann::json relatives = nlohmann::json::parse(file);
  std::vector<RelativeTensor> result;
  for (const auto& row : relatives.at(name)) {
    const std::string canonical = row.at(0);
    const std::string original = row.at(1);
    const Shape shape = row.at(2).get<Shape>();
    result.push_back({canonical + ".weight", original + ".weight", shape});
    if (row.at(3) == 1)
      result.push_back({canonical + ".bias", original + ".bias", {shape.front()}});
  }
  return result;
}

inline Manifest in_diffusers_layout(const std::vector<RelativeTensor>& tensors) {
  Manifest manifest;
  for (const RelativeTensor& tensor : tensors) manifest.add(tensor.canonical, tensor.shape, "F16");
  return manifest;
}

/// prefix: "model.diffusion_model.", or empty for a bare component.
inline Manifest in_original_layout(const std::vector<RelativeTensor>& tensors,
                                   const std::string& prefix) {
  Manifest manifest;
  for (const RelativeTensor& tensor : tensors)
    manifest.add(prefix + tensor.original, tensor.shape, "F16");
  return manifest;
}

}  // namespace sinter::arch_test
