#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/arch/model.h"
#include "sinter/convert/component_graph.h"
#include "sinter/convert/external_vae.h"
#include "sinter/convert/precision_policy.h"
#include "sinter/convert/weight_files.h"
#include "sinter/weights/computed_tensor.h"

namespace sinter::convert {

/// What a component computes in. kKeep: what the file stores. kAuto: float16 but for the modules of
/// ConvertOptions::policy (precision/decide.h makes one).
enum class Precision { kF16, kF32, kBF16, kKeep, kAuto };

std::string_view precision_name(Precision precision);
/// @throws Error{kUsage} naming the precisions there are.
Precision precision_from_name(std::string_view name);

/// A text file to put into the output folder.
struct ExtraFile {
  std::string path;  // within the folder
  std::string text;
};

/// Tensors that take the place of a checkpoint's, or join them: merged adapters, tables with new
/// rows. The result may refer to its arguments.
using ComputeTensors = std::function<std::vector<weights::ComputedTensor>(
    const weights::Checkpoint& checkpoint, const arch::Model& model)>;

/// A file whose weights went into computed tensors, for the record in sinter.json.
struct MergedFile {
  weights::SourceFile file;
  float weight;       // of the UNet's part
  float text_weight;  // of the text encoders' parts
};

struct ConvertOptions {
  std::vector<std::string> components;    // folder names; empty: all
  Precision precision = Precision::kF16;  // of text encoders and the UNet
  Precision vae_precision = Precision::kF32;
  std::map<std::string, GraphPolicy> policy = {};  // by folder, of graphs with kAuto
  WeightStorage weights = WeightStorage::kLink;
  std::string io = "optimum";
  /// ControlNets to convert beside the checkpoint, in place of its own: files or folders.
  std::vector<std::filesystem::path> controlnets;
  bool controlnet_inputs = false;  // also without a ControlNet in the checkpoint
  bool hidden_states = false;
  std::optional<StaticSize> size;
  weights::OpenOptions open;
  arch::DetectOptions detect;
  std::optional<ExternalVae> vae;  // in place of the checkpoint's own
  /// Their tensors are written to one file, kDeltaFile, and linked or packed as the checkpoint's
  /// own are. No two may give the same tensor.
  std::vector<ComputeTensors> computed;
  std::vector<MergedFile> merged;
  /// Files that are no graphs (tokenizers), decided when the model is known.
  std::function<std::vector<ExtraFile>(const arch::Model& model)> extra_files;
  std::string tool_version;
  /// Called for each graph as it progresses; bytes are those of packed weights.
  std::function<void(std::string_view folder, std::uint64_t done, std::uint64_t total)> progress;
};

/// What became of one graph.
struct GraphReport {
  std::string folder;
  DType compute;
  std::size_t exact_modules;  // that compute in float32 all the same
  std::size_t nodes;
  std::size_t initializers;
  std::uint64_t weight_bytes;
  HardLink link;  // of the weights, where they are linked
};

/// Where the computed tensors of a linked conversion lie, within the output folder.
inline constexpr std::string_view kDeltaFile = "delta.safetensors";

struct ConvertReport {
  arch::Model
      model;  // its components refer to a checkpoint that is closed: read names and configs only
  std::vector<GraphReport> graphs;
  std::size_t computed_tensors = 0;  // that were written anew
  std::uint64_t computed_bytes = 0;
  std::vector<std::string> warnings;
  std::vector<std::string> portability;  // warnings that concern other programs only
};

/// Writes the folder `out` from a checkpoint, whole or not at all. An earlier folder of sinter's is
/// replaced; where `out` is a symbolic link, that which it leads to.
/// @throws Error{kUsage} when `out` exists and may not be replaced (output_folder.h);
/// Error{kUnsupported} when the UNet predicts what no sampler of sinter takes and
/// options.detect.prediction says nothing; all that reading and building throw.
ConvertReport convert(const std::filesystem::path& checkpoint, const std::filesystem::path& out,
                      const ConvertOptions& options);

}  // namespace sinter::convert
