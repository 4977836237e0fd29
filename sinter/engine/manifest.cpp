#include "sinter/engine/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/hash.h"

namespace sinter::engine {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kFormat = 1;

struct RefitWord {
  Refit refit;
  std::string_view word;
};
constexpr RefitWord kRefitWords[] = {
    {Refit::kNone, "none"}, {Refit::kIdentical, "identical"}, {Refit::kAny, "any"}};

/// One figure of the builder: key and member.
struct MemoryKey {
  const char* key;
  std::optional<std::uint64_t> EngineMemory::*member;
};
constexpr MemoryKey kMemoryKeys[] = {{"weights_bytes", &EngineMemory::weights},
                                     {"activation_bytes", &EngineMemory::activations},
                                     {"scratch_bytes", &EngineMemory::scratch},
                                     {"persistent_bytes", &EngineMemory::persistent}};

Json to_json(const SourceFile& file) {
  return {{"path", file.path}, {"bytes", file.bytes}, {"sha256", file.sha256}};
}

Json to_json(const plan::Range& range) { return {range.min, range.opt, range.max}; }

Json to_json(const plan::Profile& profile) {
  Json json = Json::array();
  for (const plan::InputRange& range : profile.inputs)
    json.push_back(
        {{"input", range.input}, {"min", range.min}, {"opt", range.opt}, {"max", range.max}});
  return json;
}

Json to_json(const EngineRecord& record) {
  Json memory = Json::object();
  for (const MemoryKey& row : kMemoryKeys) {
    const auto& value = record.memory.*row.member;
    memory[row.key] = value ? Json(*value) : Json(nullptr);
  }
  Json checkpoints = Json::array();
  for (const SourceFile& file : record.checkpoints) checkpoints.push_back(to_json(file));
  Json architectures = Json::array();
  for (const plan::ComputeCapability& capability : record.architectures)
    architectures.push_back(capability.name());
  const plan::Sizes& sizes = record.sizes;
  return {{"file", record.file},
          {"graph", record.graph},
          {"bytes", record.bytes},
          {"sha256", record.sha256},
          {"onnx", to_json(record.onnx)},
          {"checkpoints", checkpoints},
          {"adapters", Json::parse(record.adapters)},
          {"policy", Json::parse(record.policy)},
          {"profile", to_json(record.profile)},
          {"sizes",
           {{"batch", to_json(sizes.batch)},
            {"height", to_json(sizes.height)},
            {"width", to_json(sizes.width)},
            {"tokens", to_json(sizes.tokens)},
            {"guidance", sizes.guidance}}},
          {"flavour", flavour_info(record.flavour).word},
          {"version", record.version.text()},
          {"compute_capabilities", architectures},
          {"refit", std::ranges::find(kRefitWords, record.refit, &RefitWord::refit)->word},
          {"stripped", record.stripped},
          {"os", record.system},
          {"driver", record.driver.empty() ? Json(nullptr) : Json(record.driver)},
          {"sinter", record.sinter},
          {"command", record.command},
          {"time", record.time},
          {"build",
           {{"seconds", record.seconds},
            {"layers", record.layers},
            {"joined_norms", record.joined_norms},
            {"memory", memory}}}};
}

/// The value under a key, as a type.
/// @throws Error{kBadFile} naming the key.
template <typename Type>
Type get(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end())
    throw Error(ErrorCode::kBadFile, fmt::format("an engine of the manifest has no '{}'", key));
  const bool fits = std::is_same_v<Type, bool>          ? found->is_boolean()
                    : std::is_same_v<Type, std::string> ? found->is_string()
                    : std::is_floating_point_v<Type>    ? found->is_number()
                    : std::is_unsigned_v<Type>          ? found->is_number_unsigned()
                    : std::is_integral_v<Type>          ? found->is_number_integer()
                                                        : found->is_object() || found->is_array();
  if (!fits)
    throw Error(ErrorCode::kBadFile,
                fmt::format("'{}' of an engine in the manifest is {}", key, found->type_name()));
  return found->get<Type>();
}

Json list(const Json& json, const char* key) {
  Json value = get<Json>(json, key);
  if (!value.is_array())
    throw Error(ErrorCode::kBadFile,
                fmt::format("'{}' of an engine in the manifest is no list", key));
  return value;
}

Shape whole_numbers(const Json& json, const char* key) {
  constexpr std::size_t kMostRank = 16;
  const Json values = list(json, key);
  Shape shape;
  for (const Json& value : values) {
    if (!value.is_number_integer() || values.size() > kMostRank)
      throw Error(ErrorCode::kBadFile,
                  fmt::format("'{}' of an engine in the manifest is no list of extents", key));
    shape.push_back(value.get<std::int64_t>());
  }
  return shape;
}

plan::Range range_of(const Json& json, const char* key) {
  const Shape values = whole_numbers(json, key);
  if (values.size() != 3)
    throw Error(ErrorCode::kBadFile,
                fmt::format("'{}' of an engine in the manifest is no range of three", key));
  return {values[0], values[1], values[2]};
}

SourceFile source_of(const Json& json) {
  return {get<std::string>(json, "path"), get<std::uint64_t>(json, "bytes"),
          get<std::string>(json, "sha256")};
}

plan::ComputeCapability capability_of(const Json& json) {
  if (!json.is_string())
    throw Error(ErrorCode::kBadFile, "a compute capability of the manifest is no text");
  return plan::gpu_named(json.get<std::string>()).capability;
}

Refit refit_of(const std::string& word) {
  const auto row = std::ranges::find(kRefitWords, word, &RefitWord::word);
  if (row == std::end(kRefitWords))
    throw Error(ErrorCode::kBadFile, fmt::format("an engine of the manifest has refit '{}'", word));
  return row->refit;
}

EngineRecord record_of(const Json& json) {
  EngineRecord record;
  record.file = get<std::string>(json, "file");
  record.graph = get<std::string>(json, "graph");
  record.bytes = get<std::uint64_t>(json, "bytes");
  record.sha256 = get<std::string>(json, "sha256");
  record.onnx = source_of(get<Json>(json, "onnx"));
  for (const Json& file : list(json, "checkpoints")) record.checkpoints.push_back(source_of(file));
  record.adapters = list(json, "adapters").dump();
  record.policy = get<Json>(json, "policy").dump();
  for (const Json& input : list(json, "profile"))
    record.profile.inputs.push_back({get<std::string>(input, "input"), whole_numbers(input, "min"),
                                     whole_numbers(input, "opt"), whole_numbers(input, "max")});
  const Json sizes = get<Json>(json, "sizes");
  record.sizes = {.batch = range_of(sizes, "batch"),
                  .height = range_of(sizes, "height"),
                  .width = range_of(sizes, "width"),
                  .tokens = range_of(sizes, "tokens"),
                  .guidance = get<bool>(sizes, "guidance")};
  record.flavour = flavour_named(get<std::string>(json, "flavour"));
  const std::optional<Version> version = version_from(get<std::string>(json, "version"));
  if (!version) throw Error(ErrorCode::kBadFile, "an engine's 'version' in the manifest is none");
  record.version = *version;
  for (const Json& capability : list(json, "compute_capabilities"))
    record.architectures.push_back(capability_of(capability));
  record.refit = refit_of(get<std::string>(json, "refit"));
  record.stripped = get<bool>(json, "stripped");
  record.system = get<std::string>(json, "os");
  if (json.contains("driver") && json["driver"].is_string())
    record.driver = json["driver"].get<std::string>();
  record.sinter = get<std::string>(json, "sinter");
  record.command = get<std::string>(json, "command");
  record.time = get<std::string>(json, "time");
  const Json build = get<Json>(json, "build");
  record.seconds = get<double>(build, "seconds");
  record.layers = get<int>(build, "layers");
  record.joined_norms = get<int>(build, "joined_norms");
  const Json memory = get<Json>(build, "memory");
  for (const MemoryKey& row : kMemoryKeys) {
    const auto found = memory.find(row.key);
    if (found != memory.end() && found->is_number_unsigned())
      record.memory.*row.member = found->get<std::uint64_t>();
  }
  return record;
}

/// "256-640", or "512" for one size.
std::string span_words(const std::string& least, const std::string& most) {
  return least == most ? least : fmt::format("{}-{}", least, most);
}

}  // namespace

std::string manifest_json(const std::vector<EngineRecord>& records) {
  Json json{{"format", kFormat}, {"engines", Json::array()}};
  for (const EngineRecord& record : records) json["engines"].push_back(to_json(record));
  // File names may be any bytes; JSON is UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<EngineRecord> records_from_json(std::string_view text) {
  // Deeper than any manifest: writing it again goes into the depth.
  constexpr int kDeepest = 16;
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= kDeepest; };
  const Json json = Json::parse(text, shallow, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("engines"))
    throw Error(ErrorCode::kBadFile, "the manifest of engines is not one");
  if (!json.contains("format") || json["format"] != kFormat)
    throw Error(ErrorCode::kBadFile,
                fmt::format("the manifest of engines is not of format {}", kFormat));
  std::vector<EngineRecord> records;
  for (const Json& entry : list(json, "engines")) {
    if (!entry.is_object())
      throw Error(ErrorCode::kBadFile, "an engine of the manifest is no object");
    records.push_back(record_of(entry));
  }
  return records;
}

std::vector<EngineRecord> read_manifest(const std::filesystem::path& engines_folder) {
  const std::filesystem::path path = engines_folder / kManifestFile;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  try {
    return records_from_json(read_text(path));
  } catch (Error& error) {
    error.add_context(fmt::format("reading {}", path.string()));
    throw;
  }
}

void add_to_manifest(const std::filesystem::path& engines_folder, const EngineRecord& record) {
  std::vector<EngineRecord> records = read_manifest(engines_folder);
  std::erase_if(records, [&](const EngineRecord& known) { return known.file == record.file; });
  records.push_back(record);
  AtomicFile file(engines_folder / kManifestFile);
  file.write(manifest_json(records));
  file.commit();
}

std::string architecture_words(const std::vector<plan::ComputeCapability>& architectures,
                               std::string_view between) {
  std::string words;
  for (const plan::ComputeCapability& capability : architectures)
    words += (words.empty() ? std::string() : std::string(between)) + capability.name();
  return words.empty() ? "this-gpu" : words;
}

std::string engine_file_name(std::string_view graph, const plan::Profile& profile,
                             const plan::Sizes& sizes,
                             const std::vector<plan::ComputeCapability>& architectures,
                             Flavour flavour, Refit refit, bool stripped) {
  const auto size = [&](std::int64_t plan::Range::*end) {
    return fmt::format("{}x{}", sizes.width.*end, sizes.height.*end);
  };
  const Json kind{to_json(profile), flavour_info(flavour).word, static_cast<int>(refit), stripped};
  const std::string text = kind.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::string digits = sha256_hex(std::as_bytes(std::span(text))).substr(0, 6);
  return fmt::format("{}.{}.{}.b{}.{}.engine", graph, architecture_words(architectures, "-"),
                     span_words(size(&plan::Range::min), size(&plan::Range::max)),
                     span_words(std::to_string(sizes.batch.min), std::to_string(sizes.batch.max)),
                     digits);
}

}  // namespace sinter::engine
