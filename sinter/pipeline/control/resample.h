#pragma once

#include "sinter/base/image.h"

namespace sinter::pipeline {

/// The picture at another size: as large as covers it with its proportions kept, the middle cut
/// out. RGB; alpha is left out. A picture of that size stays as it is.
///
/// Lanczos with three lobes, widened where the picture shrinks, rounded to 8 bits after each axis:
/// what Pillow's ImageOps.fit makes with LANCZOS.
/// Source: Turkowski 1990, "Filters for common resampling tasks".
/// @throws Error{kUsage} for an empty picture or size.
Image fitted(const Image& image, int width, int height);

}  // namespace sinter::pipeline
