#include "sinter/engine/flavour.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "sinter/base/error.h"

namespace sinter::engine {
namespace {

constexpr std::array kFlavours{
    FlavourInfo{.flavour = Flavour::kTensorRtRtx,
                .word = "trt-rtx",
                .name = "TensorRT-RTX",
                .core = "libtensorrt_rtx.so",
                .parser = "libtensorrt_onnxparser_rtx.so",
                .package = "the Python package tensorrt-rtx-cu12-libs holds it"},
    FlavourInfo{.flavour = Flavour::kTensorRt,
                .word = "trt",
                .name = "TensorRT",
                .core = "libnvinfer.so",
                .parser = "libnvonnxparser.so",
                .package = "NVIDIA's archives and the Python package tensorrt-cu12-libs hold it"},
};

}  // namespace

std::span<const FlavourInfo> flavours() { return kFlavours; }

const FlavourInfo& flavour_info(Flavour flavour) {
  return *std::ranges::find(kFlavours, flavour, &FlavourInfo::flavour);
}

Flavour flavour_named(std::string_view word) {
  const auto row = std::ranges::find(kFlavours, word, &FlavourInfo::word);
  if (row != kFlavours.end()) return row->flavour;
  throw Error(ErrorCode::kUsage, fmt::format("there is no engine library '{}'", word),
              "trt-rtx is TensorRT-RTX, trt is TensorRT");
}

std::string Version::text() const { return fmt::format("{}.{}.{}.{}", major, minor, patch, build); }

std::optional<Version> version_from(std::string_view text) {
  Version version;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int* part : {&version.major, &version.minor, &version.patch, &version.build}) {
    if (part != &version.major && (at == end || *at++ != '.')) return std::nullopt;
    const auto [next, error] = std::from_chars(at, end, *part);
    if (error != std::errc() || *part < 0) return std::nullopt;
    at = next;
  }
  if (at != end) return std::nullopt;
  return version;
}

}  // namespace sinter::engine
