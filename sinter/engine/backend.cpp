#include "sinter/engine/backend.h"

#include <fmt/format.h>

#include "sinter/base/error.h"
#include "sinter/engine/native/backends.h"

namespace sinter::engine {
namespace {

#ifdef SINTER_HAVE_TENSORRT_RTX
constexpr bool kHaveRtx = true;
#else
constexpr bool kHaveRtx = false;
#endif
#ifdef SINTER_HAVE_TENSORRT
constexpr bool kHaveClassic = true;
#else
constexpr bool kHaveClassic = false;
#endif

}  // namespace

bool compiled_in(Flavour flavour) {
  return flavour == Flavour::kTensorRtRtx ? kHaveRtx : kHaveClassic;
}

std::unique_ptr<Backend> open_backend(const LibraryFiles& files) {
  if (files.flavour == Flavour::kTensorRtRtx) {
    if constexpr (kHaveRtx) return native::open_rtx(files);
  } else {
    if constexpr (kHaveClassic) return native::open_trt(files);
  }
  throw Error(ErrorCode::kUnsupported,
              fmt::format("this sinter was built without the headers of {}",
                          flavour_info(files.flavour).name),
              files.flavour == Flavour::kTensorRtRtx
                  ? "scripts/setup --retry says how to get them"
                  : "configure with -DSINTER_TENSORRT_INCLUDE=FOLDER, which has the NvInfer.h of "
                    "your TensorRT");
}

}  // namespace sinter::engine
