#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/diagnose/environment/snapshot.h"
#include "sinter/diagnose/language.h"

namespace sinter::diagnose::environment {

/// A row of the table of pairs: where `left` is within `when`, `right` has to be within `needs`.
struct PairRule {
  std::string_view left;
  std::string_view when;  // "" for every version
  std::string_view right;
  std::string_view needs;
  Text why;  // may be empty: the pair is published so
  std::string_view source;
};
std::span<const PairRule> pair_rules();

/// What ONNX Runtime's GPU package, of that version, was built for.
struct OnnxRuntimeBuild {
  std::string_view versions;
  int cuda;
  int cudnn;
  std::string_view tensorrt;  // specifiers; "" where it is not known
  std::string_view source;
};
std::span<const OnnxRuntimeBuild> onnxruntime_builds();

/// Driver branch that a CUDA major version needs at the least (minor version compatibility).
struct DriverMinimum {
  int cuda_major;
  int driver;
  std::string_view source;
};
std::span<const DriverMinimum> driver_minimums();

/// Which CUDA a GPU generation needs, and with which it ends.
struct GpuGeneration {
  std::string_view capability;  // "8.9"
  std::string_view first_cuda;
  std::string_view end_cuda;  // "" for none: that version no longer has it
  std::string_view name;
  std::string_view source;
};
std::span<const GpuGeneration> gpu_generations();

/// The oldest GPU that a package's published builds have kernels for.
struct LeastCapability {
  std::string_view package;
  std::string_view versions;
  std::string_view cuda;  // that it is built with, specifiers; "" for any
  std::string_view capability;
  std::string_view source;
};
std::span<const LeastCapability> least_capabilities();

/// The compute capability of a model by its name ("NVIDIA GeForce GTX 1080 Ti": "6.1"), or "".
std::string_view capability_of(std::string_view gpu);

/// Highest opset of a package's versions, where no file says it.
struct OpsetRow {
  std::string_view package;
  std::string_view versions;
  int opset;
  std::string_view source;
};
int highest_opset(std::string_view package, std::string_view version);

/// CUDA builds in which a release of torch is published: "cu118 cu121", or "".
std::string_view cuda_builds(std::string_view torch_version);

/// One verdict on two things that have to fit.
struct Verdict {
  std::string environment;
  std::string left;  // "torch 2.1.0"
  std::string right;
  std::optional<bool> fits;  // nothing: the table does not say
  std::string needs;         // "torchvision ==0.16.*"
  Text why;
  std::string_view source;
};

/// The verdicts of the table and of the packages' own requirements on each other.
std::vector<Verdict> package_verdicts(const PythonEnvironment& environment);

}  // namespace sinter::diagnose::environment
