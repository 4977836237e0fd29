#include "sinter/cli/conversion_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/cli/embedding_options.h"
#include "sinter/cli/file_list.h"
#include "sinter/cli/option_rules.h"
#include "sinter/pipeline/tokenizer.h"
#include "sinter/weights/folder.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

/// How files beside the checkpoint are opened: averages and variants are the checkpoint's.
weights::OpenOptions for_parts(const ConversionOptions& options) {
  weights::OpenOptions open;
  open.allow_unsafe_keys = options.allow_unsafe_keys;
  return open;
}

std::optional<convert::ExternalVae> vae_of(const ConversionOptions& options) {
  if (!options.vae.empty() && !options.taesd.empty())
    throw Error(ErrorCode::kUsage, "--vae and --taesd both name an autoencoder, expected one");
  if (!options.vae.empty()) return convert::ExternalVae{{options.vae}, false, for_parts(options)};
  if (options.taesd.empty()) return std::nullopt;
  return convert::ExternalVae{
      {options.taesd.begin(), options.taesd.end()}, true, for_parts(options)};
}

/// The id of the end of text: of the checkpoint's own tokenizer, or of CLIP's.
std::int64_t end_token_of(const fs::path& checkpoint) {
  const fs::path folder = weights::pipeline_root(checkpoint) / "tokenizer";
  return pipeline::has_vocabulary(folder) ? pipeline::Tokenizer::open(folder).end_id()
                                          : pipeline::Tokenizer::clip().end_id();
}

}  // namespace

std::vector<const CLI::Option*> declare_parts(CLI::App& app, ConversionOptions& options) {
  return {
      app.add_option("--vae", options.vae,
                     "take the autoencoder of this file or folder instead of the checkpoint's own"),
      one_by_one(app.add_option("--taesd", options.taesd,
                                "take this tiny autoencoder (TAESD) instead: one file, or one for "
                                "each half (repeatable)")),
      one_by_one(app.add_option("--embedding", options.embeddings,
                                "a textual inversion embedding, FILE or FILE:NAME; prompts use it "
                                "by its name (repeatable)"))};
}

std::shared_ptr<const Embeddings> add_parts(const ConversionOptions& options,
                                            const std::string& checkpoint,
                                            convert::ConvertOptions& request) {
  request.vae = vae_of(options);
  auto embeddings = std::make_shared<Embeddings>();  // shared by functions of the request
  if (options.embeddings.empty()) return embeddings;
  embeddings->files = open_embeddings(options.embeddings, for_parts(options));
  // Their tokens come behind the end of text, which is no longer the largest id.
  request.detect.end_token = end_token_of(checkpoint);
  request.computed.emplace_back(
      [embeddings](const weights::Checkpoint& opened, const arch::Model& model) {
        adapters::ExtendedTables extended =
            adapters::extend_token_tables(opened, model, embeddings->files);
        embeddings->placed = std::move(extended.placed);
        return std::move(extended.tables);
      });
  return embeddings;
}

std::string files_identity(const weights::Checkpoint& checkpoint) {
  std::string identity;
  for (const weights::SourceFile& file : checkpoint.files()) {
    identity += fmt::format("\n{} {} {} {}", fs::canonical(file.path).string(), file.stamp.bytes,
                            file.stamp.modified_ns, file.header_sha256);
  }
  return identity;
}

std::string parts_identity(const ConversionOptions& options) {
  std::string identity;
  std::vector<std::string> autoencoders = options.taesd;
  if (!options.vae.empty()) autoencoders.push_back(options.vae);
  for (const std::string& path : autoencoders) {
    identity += "\nvae" + files_identity(weights::Checkpoint::open(path, for_parts(options)));
    if (fs::is_directory(path)) identity += "\n" + file_list(path);
  }
  for (const adapters::EmbeddingFile& embedding :
       open_embeddings(options.embeddings, for_parts(options)))
    identity += "\nembedding " + embedding.name + files_identity(embedding.file);
  return identity;
}

}  // namespace sinter::cli
