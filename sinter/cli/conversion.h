#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sinter/adapters/adaptation.h"
#include "sinter/adapters/embedding/textual_inversion.h"
#include "sinter/convert/convert.h"

namespace sinter::cli {

/// What --precision auto runs a checkpoint on.
struct CalibrationOptions {
  std::vector<std::string> prompts;
  std::string size;  // WIDTHxHEIGHT
  std::optional<int> steps;
};

/// The options of a conversion as they are typed; `convert` has them all, `generate` converts with
/// its own.
struct ConversionOptions {
  std::vector<std::string> components;
  std::string precision = "fp16";
  std::string vae_precision;  // empty: see vae_precision_of()
  CalibrationOptions calibration;
  std::string weights = "link";
  std::string io = "optimum";
  std::string size;  // BATCHxHEIGHTxWIDTH
  std::string family;
  std::string prediction;
  std::vector<std::string> controlnets;
  bool controlnet_inputs = false;
  bool hidden_states = false;
  bool ema = false;
  bool allow_unsafe_keys = false;
  std::string variant;                           // of a folder
  std::vector<std::string> loras;                // as parse_adapter() takes them
  std::vector<adapters::AdapterUse> more_loras;  // of a prompt, after those
  bool compact_merge = false;  // merged weights keep the checkpoint's types whatever is computed in
  std::string vae;             // in place of the checkpoint's own
  std::vector<std::string> taesd;       // the same, tiny: one file, or one for each half
  std::vector<std::string> embeddings;  // FILE or FILE:NAME
};

void declare_conversion(CLI::App& app, ConversionOptions& options);

/// The request for a checkpoint, tokenizers included.
/// @throws Error{kUsage} for words that are not in their tables.
convert::ConvertOptions to_request(const ConversionOptions& options, const std::string& checkpoint);

/// How the checkpoint is opened.
weights::OpenOptions open_options(const ConversionOptions& options);

/// Declares the options that say how a checkpoint is opened.
std::vector<CLI::Option*> declare_opening(CLI::App& app, ConversionOptions& options);

/// The adapters of a conversion, in their order.
std::vector<adapters::AdapterUse> adapters_of(const ConversionOptions& options);

/// Opens them and adds them to the request; null where there are none (adapter_options.h).
std::shared_ptr<adapters::Adaptation> add_adapters(const ConversionOptions& options,
                                                   convert::ConvertOptions& request);

/// The tokenizers of a checkpoint's text encoders: a folder's own, else CLIP's. placed: embeddings,
/// whose names become tokens.
std::vector<convert::ExtraFile> tokenizer_files(
    const std::filesystem::path& source, const arch::Model& model,
    const std::vector<adapters::PlacedEmbedding>& placed = {});

/// What `generate` will say of the scheduler of a folder that was converted, which is no mistake of
/// a conversion for another program.
std::vector<std::string> scheduler_warnings(const std::filesystem::path& out);

}  // namespace sinter::cli
