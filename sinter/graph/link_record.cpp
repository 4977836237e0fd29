#include "sinter/graph/link_record.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/source_header.h"

namespace sinter::graph {
namespace fs = std::filesystem;
namespace {

std::string time_text(std::int64_t modified_ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  std::int64_t fraction = modified_ns % kSecond;
  std::time_t seconds = modified_ns / kSecond;
  if (fraction < 0) {
    fraction += kSecond;
    --seconds;
  }
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:09}Z", fmt::gmtime(seconds), fraction);
}

// One word of a shell command. The text came with a graph, and hints are copied into terminals.
std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      const auto code = static_cast<unsigned char>(c);
      word += code < 0x20 || code == 0x7f ? '?' : c;
    }
  }
  return word + "'";
}

std::string line(std::string_view what, std::string_view recorded, std::string_view found) {
  return fmt::format("\n  {:<13} {} recorded, {} found{}", what, recorded, found,
                     recorded == found ? "" : "  <-");
}

[[noreturn]] void damaged_record(std::string_view key, const nlohmann::json& found) {
  throw Error(ErrorCode::kBadFile,
              fmt::format("the record of a linked file is damaged: '{}' is {}, expected a whole "
                          "number",
                          key, found.dump()));
}

std::uint64_t count_in(const nlohmann::json& object, const char* key) {
  const nlohmann::json& value = object.at(key);
  if (!value.is_number_unsigned()) damaged_record(key, value);
  return value.get<std::uint64_t>();
}

}  // namespace

std::string to_json(const LinkRecord& record) {
  return nlohmann::ordered_json{{"location", record.location},
                                {"source", record.source},
                                {"bytes", record.bytes},
                                {"modified_ns", record.modified_ns},
                                {"header_bytes", record.header_bytes},
                                {"header_sha256", record.header_sha256}}
      // File names may be any bytes; JSON is UTF-8.
      .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

LinkRecord link_record_from_json(std::string_view json) {
  try {
    const nlohmann::json object = nlohmann::json::parse(json);
    const nlohmann::json& modified = object.at("modified_ns");
    if (!modified.is_number_integer()) damaged_record("modified_ns", modified);
    return {object.at("location").get<std::string>(),
            object.at("source").get<std::string>(),
            count_in(object, "bytes"),
            modified.get<std::int64_t>(),
            count_in(object, "header_bytes"),
            object.at("header_sha256").get<std::string>()};
  } catch (const nlohmann::json::exception& problem) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("the record of a linked file is damaged: {}", problem.what()));
  }
}

void check_link(const LinkRecord& record, const fs::path& file, std::span<const std::byte> bytes,
                const fs::path& model) {
  const FileStamp stamp = file_stamp(file);
  // A record comes with the graph, and its own count of bytes may ask for any part of any file;
  // only the old stream's is believed.
  const std::optional<SourceHeader> header = source_header(bytes, record.header_bytes);
  const std::string hash = header ? header->sha256 : std::string("no header of weights");
  if (header && stamp.bytes == record.bytes && stamp.modified_ns == record.modified_ns &&
      header->bytes == record.header_bytes && hash == record.header_sha256) {
    return;
  }
  // A copy has a new time, and so has a file that was written again: header and size do not tell.
  const bool may_be_a_copy = stamp.bytes == record.bytes && hash == record.header_sha256;
  throw Error(ErrorCode::kSourceChanged,
              fmt::format("{} takes its weights from {}, which is not the file that was linked\n"
                          "  linked from   {}",
                          model.string(), file.string(), record.source) +
                  line("bytes", fmt::to_string(record.bytes), fmt::to_string(stamp.bytes)) +
                  line("modified", time_text(record.modified_ns), time_text(stamp.modified_ns)) +
                  line("header sha256", record.header_sha256, hash),
              fmt::format("{}, or convert again{}: {}",
                          may_be_a_copy ? "only the time differs: copy with cp -a, which keeps it"
                                        : "put the old file back",
                          may_be_a_copy ? ", with --weights pack for a folder to be copied" : "",
                          convert_again(record, model)));
}

std::string convert_again(const LinkRecord& record, const fs::path& model) {
  const fs::path out = fs::absolute(model).lexically_normal().parent_path().parent_path();
  return fmt::format("sinter convert {} {}", shell_word(record.source), shell_word(out.string()));
}

}  // namespace sinter::graph
