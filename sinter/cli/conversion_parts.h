#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "sinter/adapters/embedding/textual_inversion.h"
#include "sinter/cli/conversion.h"
#include "sinter/convert/convert.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::cli {

// What is put to a checkpoint when it is converted: another autoencoder, embeddings.

/// Declares their options, of `convert` and of `generate`; returns them.
std::vector<const CLI::Option*> declare_parts(CLI::App& app, ConversionOptions& options);

/// Embeddings while they are converted: which rows they got is known when the tables are made.
struct Embeddings {
  std::vector<adapters::EmbeddingFile> files;
  std::vector<adapters::PlacedEmbedding> placed;
};

/// Adds them to a request. The result is shared with the request, which fills `placed`.
/// @throws Error{kUsage} for --vae and --taesd at once; what opening embeddings throws.
std::shared_ptr<const Embeddings> add_parts(const ConversionOptions& options,
                                            const std::string& checkpoint,
                                            convert::ConvertOptions& request);

/// What tells these parts from others, for the name of a cached conversion; empty without any.
std::string parts_identity(const ConversionOptions& options);

/// Place, size, time and header of each file of a checkpoint, a line each.
std::string files_identity(const weights::Checkpoint& checkpoint);

}  // namespace sinter::cli
