#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "tools/synth/synth.h"

namespace sinter::synth {
namespace {

constexpr std::array kTypes{DType::kF64, DType::kF32, DType::kF16, DType::kBF16,
                            DType::kI64, DType::kI32, DType::kI16, DType::kI8};

DType dtype_of(const std::string& word) {
  for (const DType dtype : kTypes) {
    if (dtype_info(dtype).word == word) return dtype;
  }
  throw Error(ErrorCode::kBadFile, fmt::format("unknown element type '{}'", word));
}

ManifestTensor tensor_of(const nlohmann::json& row) {
  return {.key = row.at(0).get<std::string>(),
          .dtype = dtype_of(row.at(1).get<std::string>()),
          .shape = row.at(2).get<Shape>()};
}

}  // namespace

Manifest load_manifest(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  Manifest manifest;
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    manifest.name = json.value("name", "");
    for (const nlohmann::json& row : json.at("tensors")) {
      manifest.tensors.push_back(tensor_of(row));
    }
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("{} is no manifest, at tensor {}: {}", path.string(),
                            manifest.tensors.size(), error.what()));
  } catch (Error& error) {
    error.add_context(
        fmt::format("reading tensor {} of {}", manifest.tensors.size(), path.string()));
    throw;
  }
  return manifest;
}

}  // namespace sinter::synth
