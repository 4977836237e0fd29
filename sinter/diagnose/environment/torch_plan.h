#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/diagnose/environment/compatibility.h"
#include "sinter/diagnose/environment/snapshot.h"
#include "sinter/diagnose/environment/version.h"

namespace sinter::diagnose::environment {

/// Why a build of torch has no kernels for a GPU, or that it has.
struct GpuVerdict {
  bool fits = true;
  std::string needs;
  std::string_view source;
};
GpuVerdict judge_gpu(const GpuGeneration& generation, const Version& torch, const Version& cuda);

/// The row of a GPU, by its capability or its name; null for one that is not known.
const GpuGeneration* generation_of(const Gpu& gpu);

/// Whether that driver runs a CUDA of that major version; true where one of the two is unknown.
bool driver_runs(std::string_view driver, int cuda_major);

/// Packages that are compiled for one torch: torchvision, xformers, ...
bool of_torch_family(std::string_view package);

/// Whether xformers' compiled part, as it says itself, is for the torch that is there.
bool xformers_fits(const PythonEnvironment& environment);

/// What becomes of torch and of the packages compiled for it: decided once, so that every repair
/// names the same torch and the same index, and none undoes another.
struct TorchPlan {
  bool replaces = false;         // torch itself: the driver, the GPU, or its files ask for it
  std::string release;           // that is there afterwards: "2.6.0", "2.7.*"; empty: the newest
  std::string index;             // " --index-url ..." of its builds; empty where none is known
  std::string extra_index;       // the same for a command that also asks for other packages
  std::set<std::string> broken;  // packages of the family that do not fit
  std::vector<std::string> commands;  // that put all of them right
};

TorchPlan plan_torch(const Snapshot& snapshot, const PythonEnvironment& environment);

/// "torch==2.6.0" as the plan has it, quoted.
std::string planned_torch(const TorchPlan& plan);

}  // namespace sinter::diagnose::environment
