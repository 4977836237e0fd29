#include "sinter/plan/trtexec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "sinter/base/error.h"
#include "sinter/base/message.h"

namespace sinter::plan {
namespace {

/// What a version of trtexec is told. Source: samples/common/sampleOptions.cpp of the releases.
struct VersionRow {
  std::string_view name;
  TrtexecVersion version;
  std::string_view half;         // for a graph that computes in float16
  std::string_view bfloat;       // in bfloat16; "-": the version has no such type
  std::string_view memory_unit;  // behind the number of --memPoolSize
};

// 8.6 computes in float16 only when allowed to; 10 takes the types of the graph when told; 11 has
// no other way, and its flags for types are gone. 8.6 counts MiB and knows no units.
constexpr std::array kVersions{
    VersionRow{"8.6", TrtexecVersion::k86, " --fp16", "-", ""},
    VersionRow{"10", TrtexecVersion::k10, " --stronglyTyped", " --stronglyTyped", "M"},
    VersionRow{"11", TrtexecVersion::k11, "", "", "M"}};

constexpr std::uint64_t kMebi = 1 << 20;

/// One word of a shell.
std::string word(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == text.npos) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shapes(std::string_view option, const Profile& profile, Shape InputRange::*shape) {
  std::string text;
  for (const InputRange& range : profile.inputs) {
    if (range.input.find_first_of(",:") != range.input.npos) {
      throw Error(ErrorCode::kUnsupported,
                  fmt::format("trtexec cannot be told the shape of '{}': ',' and ':' separate",
                              shown(range.input)));
    }
    text +=
        fmt::format("{}{}:{}", text.empty() ? "" : ",", range.input, fmt::join(range.*shape, "x"));
  }
  return text.empty() ? text : " " + word(fmt::format("--{}={}", option, text));
}

}  // namespace

TrtexecVersion trtexec_version(std::string_view text) {
  const auto found = std::ranges::find(kVersions, text, &VersionRow::name);
  if (found != kVersions.end()) return found->version;
  throw Error(ErrorCode::kUsage,
              fmt::format("there is no trtexec '{}' here; there are 8.6, 10, 11", shown(text)));
}

std::string trtexec_line(const PlannedGraph& graph, const GraphPlan& plan, TrtexecVersion version) {
  const VersionRow& row = *std::ranges::find(kVersions, version, &VersionRow::version);
  if (graph.compute() == DType::kBF16 && row.bfloat == "-") {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{} computes in bfloat16, which TensorRT {} does not have",
                            graph.folder(), row.name),
                "convert with --precision fp16 and --vae-precision fp32");
  }
  const std::string onnx = graph.model().string();
  std::string engine = onnx;
  if (engine.ends_with(".onnx")) engine.resize(engine.size() - 5);
  std::string line =
      "trtexec " + word("--onnx=" + onnx) + " " + word(fmt::format("--saveEngine={}.plan", engine));
  line += shapes("minShapes", plan.profile, &InputRange::min);
  line += shapes("optShapes", plan.profile, &InputRange::opt);
  line += shapes("maxShapes", plan.profile, &InputRange::max);
  if (graph.compute() == DType::kF16) line += row.half;
  if (graph.compute() == DType::kBF16) line += row.bfloat;
  // A graph in float32 needs no word in 8.6, and in 10 the same as the others.
  if (graph.compute() == DType::kF32 && version == TrtexecVersion::k10) line += row.half;
  if (plan.workspace_bytes > 0) {
    line += fmt::format(" --memPoolSize=workspace:{}{}", (plan.workspace_bytes + kMebi - 1) / kMebi,
                        row.memory_unit);
  }
  return line + " --timingCacheFile=" + word("timing.cache") + " --skipInference";
}

}  // namespace sinter::plan
