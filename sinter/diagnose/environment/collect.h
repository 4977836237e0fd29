#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinter/diagnose/environment/machine.h"
#include "sinter/diagnose/environment/snapshot.h"

namespace sinter::diagnose::environment {

/// Looks at the machine and at every Python that it finds: those given, the active one, those of
/// conda and pyenv, venvs beside the current folder, and those of webui and ComfyUI. Nothing is
/// imported or run but nvidia-smi.
/// @throws Error{kIo} when a given Python is not there.
Snapshot collect(const Machine& machine, const std::vector<std::string>& pythons);

/// The same from the output of `python -m torch.utils.collect_env`.
/// @throws Error{kBadFile} when it is not that.
Snapshot collect_env_report(std::string_view text);

/// Parts of it.
void collect_gpus(const Machine& machine, Snapshot& snapshot);
void collect_libraries(const Machine& machine, Snapshot& snapshot);
std::vector<Library> libraries_in(const Machine& machine, const std::string& folder);
PythonEnvironment read_environment(const Machine& machine, const std::string& prefix);

/// The highest CUDA runtime that a driver's branch supports ("535.54.03" -> "12.2"), or "".
std::string cuda_of_driver(std::string_view driver);

}  // namespace sinter::diagnose::environment
