#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "sinter/base/image.h"
#include "sinter/base/tensor.h"
#include "sinter/convert/convert.h"
#include "sinter/pipeline/pipeline.h"

namespace sinter::shapes {

/// The really trained model of models/ and what diffusers computes with it in float32.
inline const std::filesystem::path kModels = std::filesystem::path(SINTER_SOURCE_DIR) / "models";
inline const std::filesystem::path kData = std::filesystem::path(SINTER_TEST_DATA) / "shapes";

/// A request in float32, with CLIP's tokenizer.
convert::ConvertOptions request();

/// The model converted into a folder of this name, which is emptied first.
std::filesystem::path convert_model(const std::string& name,
                                    const convert::ConvertOptions& options);

/// 20 steps at guidance 4, 128 by 128 pixels: what the references were drawn with.
pipeline::GenerateOptions drawing(std::string prompt, std::string sampler, std::uint64_t seed);

/// Fails where the largest difference is above `most` of the expected values' scale.
void expect_near(const Tensor& expected, const Tensor& found, double most, const char* what);

/// Fails where the mean difference is above 1e-4 of the range: of 128x128 pixels in three channels,
/// 1229 may round to the next of 255.
void expect_same_picture(const std::filesystem::path& expected, const Image& drawn);

}  // namespace sinter::shapes
