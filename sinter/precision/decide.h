#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sinter/convert/convert.h"
#include "sinter/precision/calibrate.h"

namespace sinter::precision {

/// How many modules a graph may get into float32 one after the other because its results leave the
/// tolerance, beyond those that leave float16's range.
inline constexpr int kMostCorrections = 8;

struct Decision {
  std::map<std::string, convert::GraphPolicy> policy;  // by folder, for ConvertOptions
  std::vector<std::string> warnings;                   // graphs that stay outside the tolerance
};

/// Makes the options of the conversion, anew for each of several: what they compute (merged
/// adapters) belongs to one.
using RequestMaker = std::function<convert::ConvertOptions()>;

/// Decides what a checkpoint's graphs compute in, by running them.
///
/// The checkpoint is converted into `scratch` (a folder that exists; on the checkpoint's disk, so
/// that weights can be linked) in float32, run as calibration says with the largest element of
/// every value recorded, and converted in float16 with what judge() keeps in float32. That graph is
/// run once more on the last input with every value rounded as on a GPU: where its results leave
/// float16's tolerance, the first module that does joins the others, as long as that brings them
/// back within. Graphs whose precision is not kAuto are left out. The requests' progress is not
/// called.
/// @throws what converting, drawing and sessions throw.
Decision decide(const std::filesystem::path& checkpoint, const std::filesystem::path& scratch,
                const RequestMaker& make_request, const Calibration& calibration);

}  // namespace sinter::precision
