// Any bytes as a safetensors file of an adapter, read, summarised, and merged into a small
// checkpoint. Readers may refuse it, but only with sinter::Error.

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sinter/adapters/file/adapter_file.h"
#include "sinter/adapters/forms/change.h"
#include "sinter/adapters/summary.h"
#include "sinter/base/error.h"
#include "sinter/weights/checkpoint.h"

namespace {
namespace adapters = sinter::adapters;

/// Weights of the shapes that the seeds are made for, matrices and convolutions.
constexpr adapters::MatrixShape kShapes[] = {
    {12, 8, 1}, {16, 16, 1}, {8, 6, 9}, {16, 16, 9}, {16, 8, 1}};

void change(const sinter::weights::Checkpoint& file, const adapters::AdapterModule& module,
            const adapters::LoraConfig& config) {
  for (const adapters::MatrixShape& shape : kShapes) {
    try {
      const adapters::ModuleChange plan = adapters::plan_change(file, module, config, shape);
      std::vector<float> values(static_cast<std::size_t>(shape.rows * shape.columns()), 0.5F);
      if (plan.weight) plan.weight->load(0.7F)->apply(values, 0);
      values.resize(static_cast<std::size_t>(shape.rows));
      if (plan.bias) plan.bias->load(0.7F)->apply(values, 0);
    } catch (const sinter::Error&) {
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path path =
      std::filesystem::temp_directory_path() /
      ("sinter-adapter-fuzz-" + std::to_string(::getpid()) + ".safetensors");
  {
    std::ofstream file(path, std::ios::binary);
    file.write(static_cast<const char*>(static_cast<const void*>(data)),
               static_cast<std::streamsize>(size));
  }
  try {
    const sinter::weights::Checkpoint file = sinter::weights::Checkpoint::open(path);
    adapters::summarise(file);
    const adapters::AdapterModules modules = adapters::read_modules(file);
    for (const adapters::AdapterModule& module : modules.modules)
      change(file, module, modules.config);
  } catch (const sinter::Error&) {
  }
  return 0;
}
