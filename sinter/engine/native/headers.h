#pragma once

// The headers of the flavour that this object is compiled for, and what differs between them.
#include <NvInfer.h>
#include <NvOnnxParser.h>

#include "sinter/engine/flavour.h"

// Version of the headers as one number, for the preprocessor: a class that is not declared cannot
// be derived from in a branch of `if constexpr`.
#ifdef TRT_MAJOR_RTX
#define SINTER_BACKEND_OBSERVES_WEIGHTS (NV_TENSORRT_MAJOR * 100 + NV_TENSORRT_MINOR >= 107)
#else
#define SINTER_BACKEND_OBSERVES_WEIGHTS (NV_TENSORRT_MAJOR * 100 + NV_TENSORRT_MINOR >= 1104)
#endif

namespace sinter::engine::native::SINTER_BACKEND {

#ifdef TRT_MAJOR_RTX
inline constexpr Flavour kFlavour = Flavour::kTensorRtRtx;
inline constexpr Version kFirstObserver{1, 7, 0, 0};
#else
inline constexpr Flavour kFlavour = Flavour::kTensorRt;
inline constexpr Version kFirstObserver{11, 4, 0, 0};
#endif

}  // namespace sinter::engine::native::SINTER_BACKEND
