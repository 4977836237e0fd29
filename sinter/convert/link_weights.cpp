#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <variant>

#include "sinter/base/error.h"
#include "sinter/base/utf8.h"
#include "sinter/convert/delta.h"
#include "sinter/convert/weight_files.h"

namespace sinter::convert {
namespace fs = std::filesystem;
namespace {

// float8 has no Cast at opset 17.
void require_castable(const graph::Initializer& initializer) {
  if (initializer.dtype != DType::kF8E4M3 && initializer.dtype != DType::kF8E5M2) return;
  throw Error(ErrorCode::kUnsupported,
              fmt::format("'{}' is {}, which opset 17 cannot cast", initializer.name,
                          dtype_info(initializer.dtype).word),
              "--weights pack stores it converted");
}

/// A source file as graphs of a folder refer to it.
struct LinkedSource {
  fs::path file;    // canonical
  fs::path origin;  // what a user knows it by
  fs::path later;   // where the file will be, absolute
};

/// The delta is written for the output and will be a part of it.
LinkedSource linked_source(const weights::Checkpoint& checkpoint, std::size_t file,
                           const fs::path& staging, const fs::path& out) {
  const weights::SourceFile& source = checkpoint.files()[file];
  const fs::path canonical = fs::canonical(source.path);
  if (!is_delta(source, staging)) return {canonical, canonical, canonical};
  return {canonical, fs::canonical(checkpoint.files().front().path), out / kDeltaFile};
}

std::string path_out_of(const fs::path& folder, const fs::path& source) {
  if (source.parent_path() == folder.parent_path())
    return source.lexically_relative(folder).generic_string();
  const fs::path out = folder.parent_path();
  const bool neighbours = source.parent_path() == out.parent_path();
  return neighbours ? source.lexically_relative(folder).generic_string() : source.generic_string();
}

/// Whether a graph's folder has, or may have for a moment, a file of that name.
bool is_ours(std::string_view name) {
  return name == "model.onnx" || name == "config.json" || name == "model.onnx.data" ||
         name.starts_with('.');
}

/// A name for the link inside the folder: the source's own, unless a file of the folder or another
/// link is called so.
std::string link_name(const fs::path& source, std::size_t file,
                      const std::map<std::size_t, std::string>& taken) {
  const auto is_free = [&](const std::string& name) {
    return !is_ours(name) &&
           std::ranges::none_of(taken, [&](const auto& link) { return link.second == name; });
  };
  std::string name = source.filename().string();
  // ONNX holds names as UTF-8 and a file system holds any bytes.
  const bool readable = utf8_length(std::as_bytes(std::span(name))) == name.size();
  if (readable && is_free(name)) return name;
  for (std::size_t number = file;; ++number) {
    name = fmt::format("weights.{}.safetensors", number);
    if (is_free(name)) return name;
  }
}

}  // namespace

StoredWeights link_weights(const graph::Graph& graph, const weights::Checkpoint& checkpoint,
                           const fs::path& staging, std::string_view folder, const fs::path& out) {
  StoredWeights stored;
  std::map<std::size_t, std::string> locations;  // by source file
  const fs::path place = fs::weakly_canonical(out);
  for (const graph::Initializer& initializer : graph.initializers()) {
    const auto* range = std::get_if<graph::FileRange>(&initializer.data);
    if (range == nullptr) continue;
    require_castable(initializer);
    if (!locations.contains(range->file)) {
      const weights::SourceFile& file = checkpoint.files()[range->file];
      const LinkedSource source = linked_source(checkpoint, range->file, staging, place);
      std::string location = link_name(source.file, range->file, locations);
      if (const HardLink link = hard_link(source.file, staging / folder / location);
          link != HardLink::kMade) {
        stored.link = link;
        location = path_out_of(place / folder, source.later);
      }
      stored.options.links.push_back({.location = location,
                                      .source = source.origin.generic_string(),
                                      .bytes = file.stamp.bytes,
                                      .modified_ns = file.stamp.modified_ns,
                                      .header_bytes = file.header_bytes,
                                      .header_sha256 = file.header_sha256});
      locations.emplace(range->file, std::move(location));
    }
    stored.options.placements.emplace(initializer.name,
                                      graph::Placement{locations.at(range->file), range->begin});
    stored.bytes += static_cast<std::uint64_t>(element_count(initializer.shape)) *
                    dtype_bytes(initializer.dtype);
  }
  return stored;
}

}  // namespace sinter::convert
