#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sinter::diagnose::environment {

struct Gpu {
  std::string name;
  double memory_mb = 0;
  std::string compute_capability;  // "8.6"; empty where unknown
};

/// A library of NVIDIA's found on the machine or in an environment.
struct Library {
  std::string name;     // "cudart", "cudnn", "cublas", "nvinfer"
  std::string version;  // "12.1.105", or as much as its file name says
  std::string path;
};

/// An installed package.
struct Package {
  std::string name;  // normalized: lower case, '-'
  std::string version;
  std::string site;                        // the folder that it lies in
  std::vector<std::string> requires_dist;  // "torch==2.1.2", as its metadata says
  std::string metadata;                    // the folder that says all this
};

/// Metadata of a package whose files are of another version.
struct StaleMetadata {
  std::string name;
  std::string version;  // that it says
  std::string path;     // its folder
  bool only = false;    // nothing there says what the files are
};

/// A Python with its packages, read without running it.
struct PythonEnvironment {
  std::string path;    // its folder; or where a pasted report came from
  std::string python;  // "3.10.12", or less
  std::string executable;
  std::vector<std::string> sites;        // in the order in which they are searched
  std::vector<Package> packages;         // sorted by name, then in the order of the sites
  std::vector<StaleMetadata> stale;      // what packages do not list
  std::vector<std::string> leftovers;    // folders of an installation that broke off ("~orch")
  std::vector<Library> libraries;        // in its packages
  std::vector<std::string> overwritten;  // files that onnxruntime and onnxruntime-gpu both brought
  std::string torch_version;             // of torch/version.py
  std::string torch_cuda;                // "12.1"; empty: built without
  std::string torch_hip;
  std::string torch_path;
  std::string xformers_torch;          // the torch that xformers was built with
  std::string onnxruntime_package;     // which of the packages the files belong to
  std::string onnxruntime_cuda;        // that it was built for
  int torch_opset = 0;                 // highest that its exporter writes; 0: unknown
  int onnx_opset = 0;                  // highest that onnx knows
  std::optional<bool> cuda_available;  // of a pasted report
  std::optional<std::uint64_t> free_bytes;

  /// The package that is imported under that name, or null.
  const Package* find(const std::string& name) const;
};

/// Everything that decides whether programs fit this machine.
struct Snapshot {
  std::string system;
  std::string driver;          // "535.54.03"
  std::string library_driver;  // of libcuda, where it says another one
  std::string cuda_supported;  // highest runtime version of the driver, "12.2"
  std::vector<Gpu> gpus;
  std::vector<Library> libraries;
  std::vector<PythonEnvironment> environments;
  std::map<std::string, std::string> variables;  // those that matter
  bool pasted = false;  // from torch.utils.collect_env: what is not there is unknown
};

/// A package's name as all spellings of it become: "Huggingface_Hub" -> "huggingface-hub".
std::string normalized(std::string_view name);

}  // namespace sinter::diagnose::environment
