#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace sinter::graph {

/// What a linked file must still be; kept in the model's metadata_props as "sinter.link.<i>".
struct LinkRecord {
  std::string location;  // as the initializers spell it
  std::string source;    // the checkpoint's path when it was linked, for the message
  std::uint64_t bytes;
  std::int64_t modified_ns;  // since the epoch
  std::uint64_t header_bytes;
  std::string header_sha256;

  friend bool operator==(const LinkRecord&, const LinkRecord&) = default;
};

/// Key of metadata_props under which a record stands; a number follows.
inline constexpr std::string_view kLinkKeyPrefix = "sinter.link.";

/// A record as the one-line JSON of metadata_props, keys named like the members.
std::string to_json(const LinkRecord& record);

/// @throws Error{kBadFile} when the text is not a record.
LinkRecord link_record_from_json(std::string_view json);

/// Compares a linked file with what was recorded of it.
///
/// file: where the link leads now; bytes: its content; model: the ONNX file, for the message.
/// @throws Error{kSourceChanged} with every recorded and found figure when one differs, or when the
///         file is neither safetensors nor of torch.save, whatever the record says. A changed time alone is a change:
///         fine-tunes of one network often have the same header and size.
void check_link(const LinkRecord& record, const std::filesystem::path& file,
                std::span<const std::byte> bytes, const std::filesystem::path& model);

/// The command that makes `model` anew from the record's source, for hints.
std::string convert_again(const LinkRecord& record, const std::filesystem::path& model);

}  // namespace sinter::graph
