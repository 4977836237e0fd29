#include "sinter/cli/model_cache.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/hash.h"
#include "sinter/base/process.h"
#include "sinter/cli/adapter_options.h"
#include "sinter/cli/conversion_parts.h"
#include "sinter/cli/file_list.h"
#include "sinter/cli/precision_options.h"
#include "sinter/cli/progress.h"
#include "sinter/cli/text.h"
#include "sinter/cli/version.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

// The folder that an environment variable names. A relative one is ignored, as the XDG base
// directory specification has it: it would be another folder from each place.
std::optional<fs::path> folder_in(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr || !fs::path(value).is_absolute()) return std::nullopt;
  return value;
}

fs::path cache_root() {
  if (const auto cache = folder_in("XDG_CACHE_HOME")) return *cache / "sinter";
  if (const auto home = folder_in("HOME")) return *home / ".cache" / "sinter";
  fs::path own = fs::temp_directory_path() / fmt::format("sinter-{}", user_id());
  try {
    make_private_folder(own);
  } catch (Error& error) {
    error.add_context("looking for a place for conversions (HOME and XDG_CACHE_HOME are not set)");
    error.add_hint("XDG_CACHE_HOME names another place");
    throw;
  }
  return own;
}

/// What is in a checkpoint's folder, weights and configuration; empty where it is a file.
std::string folder_content(const fs::path& checkpoint) {
  return fs::is_directory(checkpoint) ? file_list(checkpoint) : std::string();
}

/// Beside a conversion, what it consisted of when it was made.
fs::path list_of(const fs::path& folder) { return fs::path(folder) += ".files"; }

/// Whether the conversion is there as it was made. One that is damaged is told of.
bool is_intact(const fs::path& folder) {
  if (!fs::is_directory(folder) || !fs::exists(list_of(folder))) return false;
  const auto difference = first_difference(read_text(list_of(folder)), file_list(folder));
  if (!difference) return true;
  print_words(stderr, "the conversion in {} is damaged: {}; converting again\n", folder.string(),
              *difference);
  return false;
}

void convert_into(const fs::path& folder, const std::string& model,
                  const ConversionOptions& options) {
  fs::remove_all(folder);  // damaged, it may no longer look like one of sinter's
  convert::ConvertOptions request = to_request(options, model);
  const auto adaptation = add_adapters(options, request);
  const std::vector<std::string> strays = add_policy(options, model, folder, request);
  ByteProgress progress("merging");
  request.progress = [&](std::string_view file, std::uint64_t done, std::uint64_t total) {
    if (file == convert::kDeltaFile) progress.update(file, done, total);
  };
  const convert::ConvertReport report = convert::convert(model, folder, request);
  progress.finish();
  AtomicFile list(list_of(folder), Durability::kProcess);
  list.write(file_list(folder));
  list.commit();
  print_words(stderr, "converted {} into {} (linked)\n", model, folder.string());
  if (adaptation != nullptr) {
    for (const std::string& line : adapter_lines(*adaptation)) print_words(stderr, "{}\n", line);
    for (const std::string& warning : adapter_warnings(*adaptation))
      print_words(stderr, "warning: {}\n", warning);
  }
  // What concerns other programs (report.portability) does not concern a cache.
  for (const std::string& warning : report.warnings) print_words(stderr, "warning: {}\n", warning);
  for (const std::string& warning : strays) print_words(stderr, "warning: {}\n", warning);
}

/// The begin of a name, with room for what is added to it in 255 bytes; no character is cut.
std::string shortened(std::string name) {
  std::size_t length = std::min<std::size_t>(name.size(), 100);
  while (length > 0 && length < name.size() && (name[length] & 0xC0) == 0x80) --length;
  name.resize(length);
  return name;
}

}  // namespace

bool is_converted(const std::string& model) {
  return fs::exists(fs::path(model) / "sinter.json") ||
         fs::exists(fs::path(model) / "unet" / "model.onnx");
}

fs::path cache_folder(const fs::path& checkpoint, const ConversionOptions& options) {
  const weights::Checkpoint opened = weights::Checkpoint::open(checkpoint, open_options(options));
  std::string identity =
      fmt::format("{} {} {} {} {} {} {} {} {}", kVersion, options.precision, options.vae_precision,
                  options.family, options.prediction, options.controlnet_inputs,
                  fmt::join(options.components, ","), options.ema, options.allow_unsafe_keys);
  identity += files_identity(opened);
  if (options.hidden_states) identity += "\nhidden states";
  for (const adapters::AdapterUse& use : adapters_of(options)) {
    const weights::SourceFile file = weights::Checkpoint::open(use.path).files().front();
    identity += fmt::format("\nadapter {} {} {} {} {} {} {}", fs::canonical(file.path).string(),
                            file.stamp.bytes, file.stamp.modified_ns, file.header_sha256,
                            use.strength.unet, use.strength.text, options.compact_merge);
  }
  identity += "\n" + folder_content(checkpoint) + parts_identity(options);
  const std::string digest = sha256_hex(std::as_bytes(std::span(identity)));
  fs::path name = checkpoint;
  if (!name.has_filename()) name = name.parent_path();
  return cache_root() / fmt::format("{}-{}", shortened(name.stem().string()), digest.substr(0, 12));
}

fs::path converted_folder(const std::string& model, const ConversionOptions& options) {
  if (is_converted(model)) return model;
  if (!fs::exists(model)) throw Error(ErrorCode::kIo, fmt::format("there is no {}", model));
  const fs::path folder = cache_folder(model, options);
  if (!is_intact(folder)) convert_into(folder, model, options);
  return folder;
}

}  // namespace sinter::cli
