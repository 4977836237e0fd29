#include "sinter/graph/link_record.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/hash.h"

namespace sinter::graph {
namespace fs = std::filesystem;
namespace {

std::string time_text(std::int64_t modified_ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t fraction = (modified_ns % kSecond + kSecond) % kSecond;
  const std::time_t seconds = static_cast<std::time_t>((modified_ns - fraction) / kSecond);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:09}Z", fmt::gmtime(seconds), fraction);
}

std::string line(std::string_view what, std::string_view recorded, std::string_view found) {
  return fmt::format("\n  {:<13} {} recorded, {} found{}", what, recorded, found,
                     recorded == found ? "" : "  <-");
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
    return {object.at("location").get<std::string>(),
            object.at("source").get<std::string>(),
            object.at("bytes").get<std::uint64_t>(),
            object.at("modified_ns").get<std::int64_t>(),
            object.at("header_bytes").get<std::uint64_t>(),
            object.at("header_sha256").get<std::string>()};
  } catch (const nlohmann::json::exception& problem) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("the record of a linked file is damaged: {}", problem.what()));
  }
}

void check_link(const LinkRecord& record, const fs::path& file, std::span<const std::byte> bytes,
                const fs::path& model) {
  const FileStamp stamp = file_stamp(file);
  const bool has_header = record.header_bytes <= bytes.size();
  const std::string header =
      has_header ? sha256_hex(bytes.first(static_cast<std::size_t>(record.header_bytes)))
                 : std::string("no such header");
  if (stamp.bytes == record.bytes && stamp.modified_ns == record.modified_ns &&
      header == record.header_sha256) {
    return;
  }
  // A copy has a new time, and so has a file that was written again: header and size do not tell.
  const bool may_be_a_copy = stamp.bytes == record.bytes && header == record.header_sha256;
  throw Error(ErrorCode::kSourceChanged,
              fmt::format("{} takes its weights from {}, which is not the file that was linked\n"
                          "  linked from   {}",
                          model.string(), file.string(), record.source) +
                  line("bytes", fmt::to_string(record.bytes), fmt::to_string(stamp.bytes)) +
                  line("modified", time_text(record.modified_ns), time_text(stamp.modified_ns)) +
                  line("header sha256", record.header_sha256, header),
              fmt::format("{}, or convert again{}: {}",
                          may_be_a_copy ? "only the time differs: copy with cp -a, which keeps it"
                                        : "put the old file back",
                          may_be_a_copy ? ", with --weights pack for a folder to be copied" : "",
                          convert_again(record, model)));
}

std::string convert_again(const LinkRecord& record, const fs::path& model) {
  const fs::path out = fs::absolute(model).lexically_normal().parent_path().parent_path();
  return fmt::format("sinter convert '{}' '{}'", record.source, out.string());
}

}  // namespace sinter::graph
