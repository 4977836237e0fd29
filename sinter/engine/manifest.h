#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/engine/backend.h"
#include "sinter/plan/plan.h"

namespace sinter::engine {

/// A file that went into an engine.
struct SourceFile {
  std::string path;
  std::uint64_t bytes = 0;
  std::string sha256;

  friend bool operator==(const SourceFile&, const SourceFile&) = default;
};

/// An engine beside manifest.json, with everything that decides what it computes and where it runs.
struct EngineRecord {
  std::string file;   // its name beside the manifest
  std::string graph;  // folder of its graph, "unet"
  std::uint64_t bytes = 0;
  std::string sha256;
  SourceFile onnx;                      // the graph without its weights, path from the folder
  std::vector<SourceFile> checkpoints;  // what the weights come from
  std::string adapters = "[]";          // JSON as sinter.json has it
  std::string policy = "{}";            // JSON: the types that the graph computes in
  plan::Profile profile;
  plan::Sizes sizes;  // that the profile serves, in pictures and pixels
  Flavour flavour = Flavour::kTensorRtRtx;
  Version version;
  std::vector<plan::ComputeCapability> architectures;  // that it runs on; empty: not known
  Refit refit = Refit::kNone;
  bool stripped = false;  // holds no weights
  std::string system;     // "Linux x86_64"
  std::string driver;     // of NVIDIA; empty where there was none
  std::string sinter;     // version of the tool
  std::string command;    // the command line
  std::string time;       // UTC, ISO 8601
  double seconds = 0;     // of the build
  int layers = 0;
  int joined_norms = 0;
  EngineMemory memory;
};

inline constexpr std::string_view kEnginesFolder = "engines";
inline constexpr std::string_view kManifestFile = "manifest.json";

std::string manifest_json(const std::vector<EngineRecord>& records);

/// @throws Error{kBadFile} naming the key that is missing or of another kind.
std::vector<EngineRecord> records_from_json(std::string_view json);

/// Empty where there is no manifest.
std::vector<EngineRecord> read_manifest(const std::filesystem::path& engines_folder);

/// Adds a record, in place of an earlier one of the same file name, in one step.
void add_to_manifest(const std::filesystem::path& engines_folder, const EngineRecord& record);

/// "unet.sm86-sm89.256x256-640x640.b1-4.9f2c61.engine": what the engine serves; the digits are of
/// its profile and kind, so that two different ones never share a name.
std::string engine_file_name(std::string_view graph, const plan::Profile& profile,
                             const plan::Sizes& sizes,
                             const std::vector<plan::ComputeCapability>& architectures,
                             Flavour flavour, Refit refit, bool stripped);

/// "sm86-sm89", or the word for the GPU that is there.
std::string architecture_words(const std::vector<plan::ComputeCapability>& architectures,
                               std::string_view between);

}  // namespace sinter::engine
