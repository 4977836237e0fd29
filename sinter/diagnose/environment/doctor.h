#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinter/diagnose/environment/compatibility.h"
#include "sinter/diagnose/environment/snapshot.h"
#include "sinter/diagnose/environment/torch_plan.h"
#include "sinter/diagnose/language.h"

namespace sinter::diagnose::environment {

/// How much a finding matters: it breaks something, it may, or it is good to know.
enum class Severity { kError, kWarning, kNote };
std::string_view severity_name(Severity severity);

struct Finding {
  std::string_view id;  // "torch-driver"
  Severity severity = Severity::kError;
  std::string environment;  // empty: the machine
  Text text;                // with {0}, {1}, ... for the values
  std::vector<std::string> values;
  std::vector<std::string> repair;  // commands

  std::string message(Language language) const;
};

struct Diagnosis {
  std::vector<Verdict> verdicts;
  std::vector<Finding> findings;  // errors first

  /// Whether an error or a warning was found.
  bool sound() const;
};

/// Holds everything in the snapshot against each other.
Diagnosis examine(const Snapshot& snapshot);

/// The findings about the machine, and about one environment with the machine around it.
void examine_machine(const Snapshot& snapshot, std::vector<Finding>& findings);
void examine_torch(const Snapshot& snapshot, const PythonEnvironment& environment,
                   const TorchPlan& plan, Diagnosis& diagnosis);
void examine_onnxruntime(const Snapshot& snapshot, const PythonEnvironment& environment,
                         Diagnosis& diagnosis);
void examine_packages(const PythonEnvironment& environment, const TorchPlan& plan,
                      Diagnosis& diagnosis);

/// Attention back-ends that an environment has: "sdpa", "xformers", "flash-attn", "sageattention".
std::vector<std::string> attention_backends(const PythonEnvironment& environment);

/// The opset that each package of the environment reaches; 0 where unknown or not there.
struct Opsets {
  int torch = 0;
  int onnx = 0;
  int onnxruntime = 0;
};
Opsets opsets(const PythonEnvironment& environment);

/// The CUDA that torch was built for, of its files, else of its version's local part; "" for none.
std::string torch_cuda(const PythonEnvironment& environment);

/// Whether torch is built without CUDA although there is an NVIDIA GPU for it.
bool lacks_cuda(const Snapshot& snapshot, const PythonEnvironment& environment);

/// "cu121" -> "12.1"; "" for another build.
std::string cuda_of(std::string_view tag);

/// The command that removes a folder on that environment's system.
std::string remove_folder(const PythonEnvironment& environment, const std::string& path);

/// "PATH/bin/python -m pip", as a command has to begin.
std::string pip(const PythonEnvironment& environment);

}  // namespace sinter::diagnose::environment
