#include "sinter/weights/file_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "sinter/base/error.h"
#include "sinter/base/message.h"
#include "sinter/base/source_header.h"
#include "sinter/base/utf8.h"
#include "sinter/base/zip_directory.h"
#include "sinter/weights/safetensors_header.h"
#include "sinter/weights/zip_listing.h"

namespace sinter::weights {
namespace {

using Bytes = std::span<const std::byte>;

struct FormatRow {
  FileFormat format;
  std::string_view name;
  std::string_view description;
  std::string_view hint;
};

// Indexed by the enumerator's value.
constexpr std::array kFormats{
    FormatRow{FileFormat::kSafetensors, "safetensors", "a safetensors file", ""},
    FormatRow{FileFormat::kTorchZip, "torch-zip", "a PyTorch checkpoint (zip)", ""},
    FormatRow{FileFormat::kTorchLegacy, "torch-legacy",
              "a PyTorch checkpoint in the stream format from before version 1.6", ""},
    FormatRow{FileFormat::kPickle, "pickle", "a Python pickle", ""},
    FormatRow{FileFormat::kZip, "zip", "a zip archive", "unpack it; the model may be inside"},
    FormatRow{FileFormat::kGzip, "gzip", "a gzip archive", "unpack it; the model may be inside"},
    FormatRow{FileFormat::kTar, "tar", "a tar archive", "unpack it; the model may be inside"},
    FormatRow{FileFormat::kHtml, "html", "a web page saved in place of the model",
              "the download needs a login or another address; open the page's link in a browser"},
    FormatRow{FileFormat::kJson, "json", "a JSON text saved in place of the model",
              "open it in a text editor: it may be a server's error message"},
    FormatRow{FileFormat::kText, "text", "plain text",
              "open it in a text editor: it may be a server's error message"},
    FormatRow{FileFormat::kGitLfsPointer, "git-lfs-pointer",
              "a Git LFS pointer: the real file was not fetched", "run git lfs pull"},
    FormatRow{FileFormat::kGguf, "gguf", "a GGUF file: another format of models", ""},
    FormatRow{FileFormat::kOnnx, "onnx", "an ONNX graph: already converted",
              "sinter verify and bench take it; sinter convert takes the checkpoint"},
    FormatRow{FileFormat::kZeros, "zeros", "nothing but zero bytes",
              "it looks like a broken copy or download; fetch the file again"},
    FormatRow{FileFormat::kEmpty, "empty", "empty",
              "the download or copy wrote nothing; fetch the file again"},
    FormatRow{FileFormat::kUnknown, "unknown", "of no format that sinter knows", ""},
    FormatRow{FileFormat::kFolder, "folder", "a folder with a checkpoint in it", ""},
    FormatRow{FileFormat::kConverted, "converted-folder", "a folder that sinter converted", ""},
};

const FormatRow& row(FileFormat format) { return kFormats[static_cast<std::size_t>(format)]; }

constexpr std::size_t kHeadBytes = 4096;
constexpr std::size_t kLargestJson = std::size_t{1} << 20;
constexpr std::uint64_t kLengthField = 8;

std::string_view head_text(Bytes file) {
  return {static_cast<const char*>(static_cast<const void*>(file.data())),
          std::min(file.size(), kHeadBytes)};
}

bool begins(Bytes file, std::string_view magic) { return head_text(file).starts_with(magic); }

/// The head without a byte-order mark and leading white space.
std::string_view first_words(Bytes file) {
  std::string_view text = head_text(file);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\r\n")));
  return text;
}

std::uint64_t leading_length(Bytes file) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < kLengthField; ++i) {
    value |= std::to_integer<std::uint64_t>(file[i]) << (8 * i);
  }
  return value;
}

bool is_empty(Bytes file) { return file.empty(); }

// Before all magic numbers: the length of a header may begin with any of their bytes.
bool is_safetensors(Bytes file) {
  return file.size() > kLengthField && leading_length(file) <= kMaxSafetensorsHeader &&
         file[kLengthField] == std::byte{'{'};
}

// After all other formats: what else was meant to be one, with a damaged start.
bool is_damaged_safetensors(Bytes file) {
  if (file.size() <= kLengthField) return false;
  if (file[kLengthField] == std::byte{'{'}) return true;
  const std::uint64_t length = leading_length(file);
  const std::string_view json_starts = "[\" \t\r\n";
  return length > 0 && length <= file.size() - kLengthField &&
         json_starts.find(static_cast<char>(file[kLengthField])) != json_starts.npos;
}

// A large file is sampled: reading it would take seconds.
bool is_zeros(Bytes file) {
  constexpr std::size_t kWhole = std::size_t{1} << 20;
  constexpr std::size_t kSamples = 64;
  const auto zeros = [](Bytes bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
  };
  if (file.size() <= kWhole) return zeros(file);
  const std::size_t stride = (file.size() - kHeadBytes) / kSamples;
  for (std::size_t i = 0; i <= kSamples; ++i) {
    if (!zeros(file.subspan(i * stride, kHeadBytes))) return false;
  }
  return true;
}

bool is_gguf(Bytes file) { return begins(file, "GGUF"); }
/// A ModelProto as the exporters write it: ir_version, then the producer's name.
bool is_onnx(Bytes file) {
  constexpr std::size_t kName = 4;  // behind tag, version, tag, length
  const std::string_view head = head_text(file);
  if (head.size() < kName || head[0] != '\x08' || head[1] > '\x20' || head[2] != '\x12')
    return false;
  const auto length = static_cast<unsigned char>(head[3]);
  const std::string_view name = head.substr(kName, length);
  return length > 0 && length < 128 && name.size() == length &&
         std::ranges::all_of(name, [](char c) { return c > ' ' && c < '\x7f'; });
}

bool is_gzip(Bytes file) { return begins(file, "\x1f\x8b\x08"); }
bool is_zip(Bytes file) { return begins(file, "PK\x03\x04") || begins(file, "PK\x05\x06"); }

bool is_tar(Bytes file) {
  constexpr std::size_t kMagic = 257;
  return head_text(file).size() >= kMagic + 5 && head_text(file).substr(kMagic, 5) == "ustar";
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// torch.save puts everything in one folder: data.pkl, byteorder, version, data/0, data/1, ...
bool is_of_torch(std::string_view entry) {
  const std::size_t slash = entry.find('/');
  if (slash == entry.npos || slash == 0) return false;
  const std::string_view inside = entry.substr(slash + 1);
  if (inside == "data.pkl" || inside == "byteorder") return true;
  return inside.starts_with("data/") && all_digits(inside.substr(5));
}

// The first names stand in the file even where its end is cut off; the directory has all of them.
bool is_torch_zip(Bytes file) {
  if (!is_zip(file)) return false;
  if (std::ranges::any_of(list_zip(file), is_of_torch)) return true;
  try {
    return std::ranges::any_of(read_zip_directory(file).records, is_of_torch, &ZipRecord::name);
  } catch (const Error&) {
    return false;
  }
}

bool is_binary_pickle(Bytes file) {
  return file.size() > 2 && file[0] == std::byte{0x80} && file[1] >= std::byte{2} &&
         file[1] <= std::byte{5};
}

bool is_torch_legacy(Bytes file) { return torch_stream_mark(file) != 0; }

// Protocols 0 and 1 have no mark: opcodes that begin a container or name a global, and the stop.
bool is_text_pickle(Bytes file) {
  std::string_view text = head_text(file);
  if (text.size() < 3 || file.back() != std::byte{'.'}) return false;
  const std::size_t marks = std::min(text.find_first_not_of('('), text.size());
  text.remove_prefix(marks);
  if (text.starts_with('c')) {
    const std::size_t module_end = text.find('\n');
    if (module_end == text.npos) return false;
    const std::string_view module = text.substr(1, module_end - 1);
    const auto part_of_name = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    };
    return !module.empty() && std::all_of(module.begin(), module.end(), part_of_name) &&
           text.find('\n', module_end + 1) != text.npos;
  }
  constexpr std::array<std::string_view, 7> kFirst{"S'", "S\"", "dp", "lp", "I", "V", "X"};
  return marks > 0 && text.find('\n') != text.npos &&
         std::any_of(kFirst.begin(), kFirst.end(),
                     [&](std::string_view first) { return text.starts_with(first); });
}

bool is_pickle(Bytes file) { return is_binary_pickle(file) || is_text_pickle(file); }

bool is_text(Bytes file) {
  const Bytes head = file.first(std::min(file.size(), kHeadBytes));
  // The last character of the head may be cut.
  if (utf8_length(head) + (file.size() > kHeadBytes ? 4 : 1) <= head.size()) return false;
  return std::none_of(head.begin(), head.end(), [](std::byte b) {
    constexpr std::string_view kAllowed = "\t\n\r\f\x1b";
    return b < std::byte{0x20} && kAllowed.find(static_cast<char>(b)) == kAllowed.npos;
  });
}

bool is_html(Bytes file) {
  constexpr std::array<std::string_view, 6> kStarts{"<!doctype html", "<html", "<head",
                                                    "<body",          "<!--",  "<?xml"};
  std::string words(first_words(file).substr(0, 16));
  std::transform(words.begin(), words.end(), words.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return is_text(file) && std::any_of(kStarts.begin(), kStarts.end(), [&](std::string_view start) {
           return words.starts_with(start);
         });
}

bool is_git_lfs_pointer(Bytes file) {
  return begins(file, "version https://git-lfs.github.com/spec/");
}

bool is_json(Bytes file) {
  const std::string_view words = first_words(file);
  if (!is_text(file) || (!words.starts_with('{') && !words.starts_with('['))) return false;
  if (file.size() > kLargestJson) return true;
  const char* begin = static_cast<const char*>(static_cast<const void*>(file.data()));
  return nlohmann::json::accept(begin, begin + file.size());
}

struct Recogniser {
  FileFormat format;
  bool (*matches)(Bytes);
};

// The first that matches decides.
constexpr std::array kRecognisers{
    Recogniser{FileFormat::kEmpty, is_empty},
    Recogniser{FileFormat::kSafetensors, is_safetensors},
    Recogniser{FileFormat::kZeros, is_zeros},
    Recogniser{FileFormat::kGguf, is_gguf},
    Recogniser{FileFormat::kOnnx, is_onnx},
    Recogniser{FileFormat::kGzip, is_gzip},
    Recogniser{FileFormat::kTorchZip, is_torch_zip},
    Recogniser{FileFormat::kZip, is_zip},
    Recogniser{FileFormat::kTar, is_tar},
    Recogniser{FileFormat::kTorchLegacy, is_torch_legacy},
    Recogniser{FileFormat::kPickle, is_pickle},
    Recogniser{FileFormat::kHtml, is_html},
    Recogniser{FileFormat::kGitLfsPointer, is_git_lfs_pointer},
    Recogniser{FileFormat::kJson, is_json},
    Recogniser{FileFormat::kText, is_text},
    Recogniser{FileFormat::kSafetensors, is_damaged_safetensors},
};

/// "of 4265146304 bytes" from the pointer's own line "size 4265146304", else empty.
std::string lfs_size(Bytes file) {
  const std::string_view text = head_text(file);
  constexpr std::string_view kLine = "\nsize ";
  const std::size_t at = text.find(kLine);
  if (at == text.npos) return {};
  const std::string_view rest = text.substr(at + kLine.size());
  const std::string_view digits = rest.substr(0, rest.find_first_not_of("0123456789"));
  return digits.empty() ? std::string()
                        : fmt::format(" of {} byte{}", digits, digits == "1" ? "" : "s");
}

std::string describe(FileFormat format, Bytes file) {
  if (format == FileFormat::kGitLfsPointer) {
    return fmt::format("a Git LFS pointer: the real file{} was not fetched", lfs_size(file));
  }
  if (format == FileFormat::kZip) {
    const std::vector<std::string> entries = list_zip(file);
    if (!entries.empty() &&
        utf8_length(std::as_bytes(std::span(entries.front()))) == entries.front().size()) {
      return fmt::format("a zip archive with {} in it", shown(entries.front()));
    }
  }
  return std::string(row(format).description);
}

}  // namespace

std::string_view format_name(FileFormat format) { return row(format).name; }

RecognisedFormat recognise(std::span<const std::byte> file) {
  FileFormat format = FileFormat::kUnknown;
  for (const Recogniser& recogniser : kRecognisers) {
    if (recogniser.matches(file)) {
      format = recogniser.format;
      break;
    }
  }
  return {.format = format,
          .description = describe(format, file),
          .hint = std::string(row(format).hint)};
}

}  // namespace sinter::weights
