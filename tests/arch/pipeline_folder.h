#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/arch/manifest_checkpoint.h"

namespace sinter::arch_test {

/// A diffusers pipeline folder of components whose bytes are holes.
class PipelineFolder {
 public:
  void add(const std::string& component, const Manifest& manifest, const std::string& file) {
    std::filesystem::create_directories(path() / component);
    arch_test::write_manifest(manifest, path() / component / file);
    index_[component] = {"diffusers", "AnyModel"};
    write("model_index.json", index_.dump());
  }
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((path() / name).parent_path());
    std::ofstream(path() / name) << text;
  }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TestFolder folder_;
  nlohmann::json index_ = {{"_class_name", "StableDiffusionPipeline"},
                           {"scheduler", {"diffusers", "DDIMScheduler"}}};
};

inline constexpr const char* kUNetFile = "diffusion_pytorch_model.safetensors";
inline constexpr const char* kTextFile = "model.safetensors";

}  // namespace sinter::arch_test
