#pragma once

#include <memory>

#include "sinter/engine/backend.h"

// The backends: one source, compiled once for each flavour against its own headers. TensorRT's
// classes call through tables of virtual functions which differ between TensorRT-RTX and TensorRT
// (functions in the middle are missing from one of them) and between majors, so headers and library
// must match.
namespace sinter::engine::native {

/// Defined only where the flavour's headers were there when sinter was built.
std::unique_ptr<Backend> open_rtx(const LibraryFiles& files);
std::unique_ptr<Backend> open_trt(const LibraryFiles& files);

}  // namespace sinter::engine::native
