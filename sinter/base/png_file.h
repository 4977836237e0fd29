#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "sinter/base/image.h"

namespace sinter {

/// Texts beside a picture: keyword (Latin-1, 1 to 79 characters) and text (UTF-8).
using PngTexts = std::vector<std::pair<std::string, std::string>>;

/// Writes the picture under that name, complete or not at all. The same picture and texts give the
/// same bytes. A text within Latin-1 becomes a tEXt chunk, another an iTXt chunk; NUL characters
/// are left out.
/// @throws Error{kIo} when the file cannot be written, Error{kUsage} for an empty picture.
void write_png(const std::filesystem::path& path, const Image& image, const PngTexts& texts = {});

/// Reads a PNG file of any kind; RGB, or RGBA when it has transparency.
/// @throws Error{kIo}, Error{kBadFile} with libpng's words for a damaged file.
Image read_png(const std::filesystem::path& path);

/// The uncompressed texts of a PNG file (tEXt, iTXt), in file order, as UTF-8.
/// @throws Error{kIo}, Error{kBadFile}.
PngTexts read_png_texts(const std::filesystem::path& path);

}  // namespace sinter
