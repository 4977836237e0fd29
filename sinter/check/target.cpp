#include "sinter/check/target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sinter/base/error.h"

namespace sinter::check {
namespace {

// TensorRT: the supported-operators pages of onnx-tensorrt (8.5 with the 8.6 change log, 10.15) and
// the release notes of 10.0, 11.0 and 11.5. TensorRT-RTX, ONNX Runtime, OpenVINO: measured with
// files of every opset and IR version (1.7, 1.32, 2026.4); the parser of TensorRT-RTX takes
// opsets that it does not promise, so the promise of the TensorRT that it is made from stands here.
const std::vector<TargetFacts> kTargets{
    {.target = Target::kTrt86,
     .name = "trt8.6",
     .title = "TensorRT 8.6",
     .tensorrt = true,
     .oldest_opset = 7,
     .newest_opset = 17,
     .everywhere = 17,
     .since = "",
     .newest_ir = 0},
    {.target = Target::kTrt10,
     .name = "trt10",
     .title = "TensorRT 10",
     .tensorrt = true,
     .oldest_opset = 9,
     .newest_opset = 24,
     .everywhere = 20,
     .since = "TensorRT 10.15 reads up to opset 24, TensorRT 10.0 and 10.1 only up to 20",
     .newest_ir = 0},
    {.target = Target::kTrt11,
     .name = "trt11",
     .title = "TensorRT 11",
     .tensorrt = true,
     .oldest_opset = 9,
     .newest_opset = 25,
     .everywhere = 24,
     .since = "TensorRT 11.5 reads opset 25, earlier ones up to 24",
     .newest_ir = 0},
    {.target = Target::kTrtRtx,
     .name = "trt-rtx",
     .title = "TensorRT-RTX 1.7",
     .tensorrt = true,
     .oldest_opset = 9,
     .newest_opset = 25,
     .everywhere = 25,
     .since = "",
     .newest_ir = 0},
    {.target = Target::kOrtCpu,
     .name = "ort-cpu",
     .title = "ONNX Runtime 1.32 on the CPU",
     .tensorrt = false,
     .oldest_opset = 7,
     .newest_opset = 27,
     .everywhere = 27,
     .since = "",
     .newest_ir = 14},
    {.target = Target::kOrtCuda,
     .name = "ort-cuda",
     .title = "ONNX Runtime 1.32 with CUDA",
     .tensorrt = false,
     .oldest_opset = 7,
     .newest_opset = 27,
     .everywhere = 27,
     .since = "",
     .newest_ir = 14},
    {.target = Target::kOpenVino,
     .name = "openvino",
     .title = "OpenVINO 2026.4",
     .tensorrt = false,
     .oldest_opset = 6,
     .newest_opset = 27,
     .everywhere = 27,
     .since = "",
     .newest_ir = 0},
};

}  // namespace

const std::vector<TargetFacts>& targets() { return kTargets; }

const TargetFacts& facts(Target target) { return kTargets[static_cast<std::size_t>(target)]; }

Target target_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const TargetFacts& row : kTargets) {
    if (row.name == name) return row.target;
    names.push_back(row.name);
  }
  throw Error(ErrorCode::kUsage,
              fmt::format("there is no target '{}'; there are {}", name, fmt::join(names, ", ")));
}

}  // namespace sinter::check
