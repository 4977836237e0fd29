#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinter/base/inflate.h"

namespace sinter::weights {

inline std::string little_endian(std::uint64_t value, std::size_t width) {
  std::string bytes;
  for (std::size_t i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}

/// A pickle written instruction by instruction.
class Program {
 public:
  explicit Program(int protocol = 2) {
    if (protocol >= 2) bytes_ = {'\x80', static_cast<char>(protocol)};
  }

  Program& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  Program& global(std::string_view module, std::string_view name) {
    return raw("c").raw(module).raw("\n").raw(name).raw("\n");
  }
  Program& text(std::string_view text) {
    return raw("X").raw(little_endian(text.size(), 4)).raw(text);
  }
  Program& number(std::int64_t value) {
    return raw("\x8a\x08").raw(little_endian(static_cast<std::uint64_t>(value), 8));
  }
  Program& numbers(const std::vector<std::int64_t>& values) {
    raw("(");
    for (const std::int64_t value : values) number(value);
    return raw("t");
  }
  Program& storage(std::string_view key, std::int64_t count, std::string_view device = "cpu",
                   std::string_view type = "FloatStorage") {
    return raw("(")
        .text("storage")
        .global("torch", type)
        .text(key)
        .text(device)
        .number(count)
        .raw("tQ");
  }
  Program& tensor(std::string_view key, std::int64_t count, std::int64_t offset,
                  const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides,
                  std::string_view type = "FloatStorage") {
    global("torch._utils", "_rebuild_tensor_v2").raw("(");
    storage(key, count, "cpu", type).number(offset).numbers(shape).numbers(strides);
    return raw("\x89").global("collections", "OrderedDict").raw(")RtR");
  }

  std::string stop() const { return bytes_ + "."; }

 private:
  std::string bytes_;
};

/// A file for zip_bytes.
struct ZipFile {
  std::string name;
  std::string data;
  std::uint32_t crc_error = 0;  // added to its checksum
};

/// A zip archive of stored files. zip64: every size and place is in the fields for large ones.
inline std::string zip_bytes(const std::vector<ZipFile>& files, bool zip64 = false,
                             std::string_view comment = {}) {
  std::string out;
  std::string directory;
  for (const ZipFile& file : files) {
    const std::uint32_t crc = crc32_of(std::as_bytes(std::span(file.data))) + file.crc_error;
    const std::uint64_t place = out.size();
    const std::uint64_t size = file.data.size();
    const std::string sizes = little_endian(crc, 4) + little_endian(zip64 ? 0xffffffff : size, 4) +
                              little_endian(zip64 ? 0xffffffff : size, 4) +
                              little_endian(file.name.size(), 2);
    std::string extra;
    if (zip64)
      extra = little_endian(1, 2) + little_endian(24, 2) + little_endian(size, 8) +
              little_endian(size, 8) + little_endian(place, 8);
    const std::string version = little_endian(zip64 ? 45 : 20, 2) + std::string(8, '\0');
    out += "PK\x03\x04" + version + sizes + little_endian(0, 2) + file.name + file.data;
    directory += "PK\x01\x02" + little_endian(0, 2) + version + sizes +
                 little_endian(extra.size(), 2) + std::string(10, '\0') +
                 little_endian(zip64 ? 0xffffffff : place, 4) + file.name + extra;
  }
  const std::uint64_t begin = out.size();
  out += directory;
  if (zip64) {
    const std::uint64_t end = out.size();
    out += "PK\x06\x06" + little_endian(44, 8) + std::string(12, '\0') +
           little_endian(files.size(), 8) + little_endian(files.size(), 8) +
           little_endian(directory.size(), 8) + little_endian(begin, 8);
    out += "PK\x06\x07" + std::string(4, '\0') + little_endian(end, 8) + little_endian(1, 4);
  }
  const std::uint64_t count = zip64 ? 0xffff : files.size();
  out += "PK\x05\x06" + std::string(4, '\0') + little_endian(count, 2) + little_endian(count, 2) +
         little_endian(zip64 ? 0xffffffff : directory.size(), 4) +
         little_endian(zip64 ? 0xffffffff : begin, 4) + little_endian(comment.size(), 2) +
         std::string(comment);
  return out;
}

/// The little-endian bytes of 0, 1, 2, ... as float32.
inline std::string counting_floats(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i);
  return {static_cast<const char*>(static_cast<const void*>(values.data())), count * sizeof(float)};
}

/// What torch.save would write around a program and its storages "0", "1", ...
inline std::string torch_zip(const std::string& program, const std::vector<std::string>& storages,
                             std::string_view byte_order = "little") {
  std::vector<ZipFile> files{{"archive/data.pkl", program}};
  if (!byte_order.empty()) files.push_back({"archive/byteorder", std::string(byte_order)});
  for (std::size_t i = 0; i < storages.size(); ++i)
    files.push_back({"archive/data/" + std::to_string(i), storages[i]});
  files.push_back({"archive/version", "3\n"});
  return zip_bytes(files);
}

/// The stream that torch.save wrote before 1.6: a storage's name, count and bytes.
struct StreamStorage {
  std::string key;
  std::uint64_t count;
  std::string data;
};
inline std::string torch_stream(const std::string& program,
                                const std::vector<StreamStorage>& storages) {
  std::string out = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
  out += "\x80\x02M\xe9\x03.";  // version 1001
  out += "\x80\x02}.";
  out += program;
  Program keys;
  keys.raw("](");
  for (const StreamStorage& storage : storages) keys.text(storage.key);
  out += keys.raw("e").stop();
  for (const StreamStorage& storage : storages)
    out += little_endian(storage.count, 8) + storage.data;
  return out;
}

}  // namespace sinter::weights
