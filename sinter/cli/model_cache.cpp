#include "sinter/cli/model_cache.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/hash.h"
#include "sinter/base/message.h"
#include "sinter/cli/version.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path cache_root() {
  const std::string cache = environment("XDG_CACHE_HOME");
  if (!cache.empty()) return fs::path(cache) / "sinter";
  const std::string home = environment("HOME");
  return (home.empty() ? fs::temp_directory_path() : fs::path(home) / ".cache") / "sinter";
}

}  // namespace

fs::path cache_folder(const fs::path& checkpoint, const ConversionOptions& options) {
  const weights::Checkpoint opened = weights::Checkpoint::open(checkpoint);
  std::string identity = fmt::format("{} {} {} {} {}", kVersion, options.precision,
                                     options.vae_precision, options.family, options.prediction);
  for (const weights::SourceFile& file : opened.files()) {
    identity += fmt::format("\n{} {} {} {}", fs::canonical(file.path).string(), file.stamp.bytes,
                            file.stamp.modified_ns, file.header_sha256);
  }
  const std::string digest = sha256_hex(std::as_bytes(std::span(identity)));
  fs::path name = checkpoint;
  if (!name.has_filename()) name = name.parent_path();
  return cache_root() / fmt::format("{}-{}", name.stem().string(), digest.substr(0, 12));
}

fs::path converted_folder(const std::string& model, const ConversionOptions& options) {
  if (fs::exists(fs::path(model) / "sinter.json") ||
      fs::exists(fs::path(model) / "unet" / "model.onnx"))
    return model;
  if (!fs::exists(model)) throw Error(ErrorCode::kIo, fmt::format("there is no {}", model));
  const fs::path folder = cache_folder(model, options);
  if (fs::exists(folder / "sinter.json")) return folder;
  const convert::ConvertReport report = convert::convert(model, folder, to_request(options, model));
  fmt::print(stderr, "converted {} into {} (linked)\n", model, folder.string());
  // What convert says about other tools' readers does not concern a cache; the rest does.
  for (const std::string& warning : report.warnings) {
    if (!warning.starts_with("the output is on another disk"))
      fmt::print(stderr, "warning: {}\n", printable(warning));
  }
  return folder;
}

}  // namespace sinter::cli
