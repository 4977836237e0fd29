#include "sinter/weights/torch/torch_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <utility>

#include "sinter/base/inflate.h"
#include "sinter/base/message.h"
#include "sinter/base/source_header.h"
#include "sinter/base/zip_directory.h"
#include "sinter/weights/pickle/machine.h"
#include "sinter/weights/torch/placement.h"
#include "sinter/weights/torch/strided.h"
#include "sinter/weights/torch/tensor_walk.h"

namespace sinter::weights::torch {
namespace {

using Bytes = std::span<const std::byte>;
using pickle::Findings;
using pickle::kNoRef;
using pickle::Machine;
using pickle::Ref;
using pickle::Storage;
using pickle::Values;

// Of files up to this size every record is compared with its checksum.
constexpr std::uint64_t kLargestSummed = std::uint64_t{16} << 20;
constexpr std::uint64_t kLargestProgram = std::uint64_t{64} << 20;  // unpacked from the zip
constexpr int kMostPrograms = 16;                                   // one behind another
constexpr int kMostSavedFiles = 64;                                 // within one another
constexpr int kMostSavedDepth = 3;

std::string_view text_of(Bytes bytes) {
  return {static_cast<const char*>(static_cast<const void*>(bytes.data())), bytes.size()};
}

/// The programs of one file: what they made and what was noticed.
class Reader {
 public:
  Reader(Bytes file, TorchFile& out) : file_(file), out_(out), machine_(values_, findings_) {}

  void read(FileFormat format) {
    try {
      if (format == FileFormat::kTorchZip)
        read_zip();
      else if (format == FileFormat::kTorchLegacy)
        read_stream();
      else
        read_pickle();
    } catch (Error& error) {
      out_.damage = std::move(error);
      out_.tensors.clear();
    }
    for (const Storage& storage : values_.storages) out_.devices.emplace(storage.device);
    out_.globals = std::move(findings_.globals);
    out_.unknown = std::move(findings_.unknown);
    out_.dangerous = std::move(findings_.dangerous);
    out_.numpy_scalars = findings_.numpy_scalars;
    out_.numpy_arrays = findings_.numpy_arrays;
    if (findings_.unread_tensors)
      out_.notes.emplace_back(
          "it holds tensors of a kind that sinter does not read (sparse, nested or such)");
  }

  const std::vector<std::string_view>& saved_files() const { return findings_.saved_files; }

 private:
  /// Runs a program and those behind its stop, which no reader of models asks for.
  Ref run_all(std::string_view program) {
    const Ref root = machine_.run(program);
    program.remove_prefix(machine_.consumed());
    for (int i = 0; i < kMostPrograms && !program.empty(); ++i) {
      try {
        machine_.run(program);
      } catch (const Error&) {
        break;  // no program: bytes that nobody reads
      }
      program.remove_prefix(machine_.consumed());
    }
    return root;
  }

  Ref run_stream_program(std::uint64_t& at) {
    const Ref root = machine_.run(text_of(file_.subspan(at)));
    at += machine_.consumed();
    return root;
  }

  void take_tensors(Ref root, const BlockIndex& blocks) {
    const TensorWalk walk = walk_tensors(values_, root);
    place_tensors(values_, walk, blocks, out_);
    out_.tensors_elsewhere = walk.elsewhere;
    if (walk.names_made_text != 0)
      out_.notes.push_back(fmt::format("{} that {} no text became text in the names of tensors",
                                       counted(walk.names_made_text, "key"),
                                       walk.names_made_text == 1 ? "is" : "are"));
    if (walk.left_out != 0)
      out_.notes.push_back(
          fmt::format("{} left out: another one has the name", counted(walk.left_out, "tensor")));
  }

  void check_sums() {
    if (file_.size() > kLargestSummed) return;
    for (const Block& block : out_.blocks) check_sum(file_, block);
  }

  // ---- the zip

  void read_zip() {
    const ZipDirectory directory = read_zip_directory(file_);
    const ZipRecord* main = nullptr;
    for (const ZipRecord& record : directory.records) {
      if (!record.name.ends_with("/data.pkl") ||
          record.name.find('/') != record.name.size() - std::string_view("/data.pkl").size())
        continue;
      if (main != nullptr)
        throw Error(ErrorCode::kBadFile, fmt::format("both {} and {} would be the file's program",
                                                     shown(main->name), shown(record.name)));
      main = &record;
    }
    const Ref root = run_records(directory, main);
    if (main == nullptr)
      throw Error(ErrorCode::kBadFile,
                  "there is no data.pkl in it, which says what the tensors are");
    out_.header_bytes = main->packed_bytes + file_.size() - directory.begin;
    const std::string folder = main->name.substr(0, main->name.find('/') + 1);
    note_code(directory, folder);
    const BlockIndex blocks = zip_blocks(directory, folder);
    take_tensors(root, blocks);
    check_sums();
  }

  /// Every program of the archive is looked at; the main one's value is the file's. What is wrong
  /// with it is said when the others have been read.
  Ref run_records(const ZipDirectory& directory, const ZipRecord* main) {
    Ref root = kNoRef;
    std::optional<Error> problem;
    for (const ZipRecord& record : directory.records) {
      if (!record.name.ends_with(".pkl")) continue;
      try {
        const Ref value = run_all(program_of(record));
        if (&record == main) root = value;
        require_sum(record);
      } catch (Error& error) {
        if (&record == main) problem = std::move(error);
      }
    }
    if (problem) throw std::move(*problem);
    return root;
  }

  std::string_view program_of(const ZipRecord& record) {
    const Bytes packed = file_.subspan(record.begin, record.packed_bytes);
    if (!record.deflated) return text_of(packed);
    if (record.bytes > kLargestProgram)
      throw Error(ErrorCode::kBadFile,
                  fmt::format("{} would be {} bytes, and a program has at most {}",
                              shown(record.name), record.bytes, kLargestProgram));
    std::string& program = unpacked_.emplace_back();
    inflate(packed, record.bytes, [&](Bytes piece) { program += text_of(piece); });
    return program;
  }

  void require_sum(const ZipRecord& record) {
    const Bytes packed = file_.subspan(record.begin, record.packed_bytes);
    const std::uint32_t sum =
        crc32_of(record.deflated ? std::as_bytes(std::span(unpacked_.back())) : packed);
    if (record.crc != 0 && sum != record.crc)
      throw Error(ErrorCode::kBadFile, fmt::format("the checksum of {} is {:08x}, expected {:08x}",
                                                   shown(record.name), sum, record.crc));
  }

  void note_code(const ZipDirectory& directory, const std::string& folder) {
    const bool compiled = std::ranges::any_of(directory.records, [&](const ZipRecord& record) {
      return record.name.starts_with(folder + "code/");
    });
    if (compiled)
      out_.notes.emplace_back("it is a TorchScript archive, which holds code beside its tensors");
  }

  bool is_big_endian(const ZipDirectory& directory, const std::string& folder) {
    const ZipRecord* order = directory.find(folder + "byteorder");
    if (order == nullptr || order->bytes > 64) return false;
    std::string word;
    if (order->deflated)
      inflate(file_.subspan(order->begin, order->packed_bytes), order->bytes,
              [&](Bytes piece) { word += text_of(piece); });
    else
      word = text_of(file_.subspan(order->begin, order->bytes));
    if (word == "little" || word == "big") return word == "big";
    throw Error(ErrorCode::kBadFile,
                fmt::format("its byte order is '{}', expected little or big", shown(word)));
  }

  BlockIndex zip_blocks(const ZipDirectory& directory, const std::string& folder) {
    const bool big = is_big_endian(directory, folder);
    BlockIndex index;
    for (const Storage& storage : values_.storages) {
      if (!storage.root.empty()) continue;
      const std::string name = fmt::format("{}data/{}", folder, storage.key);
      const ZipRecord* record = directory.find(name);
      const std::uint64_t bytes = storage_bytes(storage);
      if (record == nullptr && bytes != 0)
        throw Error(ErrorCode::kBadFile,
                    fmt::format("storage {} is missing: there is no {} in the archive",
                                shown(storage.key), shown(name)));
      Block block{.name = std::string(storage.key),
                  .device = std::string(storage.device),
                  .bytes = bytes,
                  .swap_bytes = big ? storage.element->bytes : 1};
      if (record != nullptr) {
        require_bytes(storage, record->bytes, bytes);
        block.begin = record->begin;
        block.packed_bytes = record->packed_bytes;
        block.deflated = record->deflated;
        block.crc = record->crc;
      }
      index.emplace(storage.key, out_.blocks.size());
      out_.blocks.push_back(std::move(block));
    }
    return index;
  }

  static void require_bytes(const Storage& storage, std::uint64_t found, std::uint64_t expected) {
    if (found == expected) return;
    throw Error(
        ErrorCode::kBadFile,
        fmt::format("storage {} has {} bytes, expected {} for {} elements of {}",
                    shown(storage.key), found, expected, storage.count, storage.element->dtype));
  }

  // ---- the stream

  void read_stream() {
    std::uint64_t at = torch_stream_mark(file_);
    run_stream_program(at);  // the format's version
    run_stream_program(at);  // the system it was saved on; the data is little-endian on any
    const Ref root = run_stream_program(at);
    const Ref keys = run_stream_program(at);
    out_.stream_header_bytes = at;
    out_.header_bytes = at;
    take_tensors(root, stream_blocks(keys, at));
  }

  BlockIndex stream_blocks(Ref keys, std::uint64_t at) {
    constexpr std::uint64_t kCountBytes = 8;
    std::map<std::string_view, const Storage*> storages;
    for (const Storage& storage : values_.storages)
      if (storage.root.empty()) storages.emplace(storage.key, &storage);
    if (values_.at(keys).kind != pickle::Kind::kList)
      throw Error(ErrorCode::kBadFile, "the list of its storages is none");
    BlockIndex index;
    for (const Ref key : values_.body(keys).items) {
      const std::string_view name = values_.at(key).text;
      const auto storage = storages.find(name);
      if (storage == storages.end() || index.contains(name))
        throw Error(
            ErrorCode::kBadFile,
            fmt::format("its list of storages has '{}', which {}", shown(name),
                        storage == storages.end() ? "no tensor names" : "stands there twice"));
      const std::uint64_t bytes = storage_bytes(*storage->second);
      require_room(name, at, kCountBytes);
      require_count(*storage->second, at);
      at += kCountBytes;
      require_room(name, at, bytes);
      index.emplace(storage->first, out_.blocks.size());
      out_.blocks.push_back({.name = std::string(name),
                             .device = std::string(storage->second->device),
                             .begin = at,
                             .packed_bytes = bytes,
                             .bytes = bytes});
      at += bytes;
    }
    return index;
  }

  void require_room(std::string_view name, std::uint64_t at, std::uint64_t bytes) const {
    if (bytes <= file_.size() - at) return;
    throw Error(ErrorCode::kBadFile,
                fmt::format("the file ends at byte {}, expected {} for storage {}: {} missing",
                            file_.size(), at + bytes, shown(name),
                            counted(bytes - (file_.size() - at), "byte")),
                "it looks like a half download or a broken copy; fetch the file again");
  }

  void require_count(const Storage& storage, std::uint64_t at) const {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < 8; ++i)
      count |= std::to_integer<std::uint64_t>(file_[at + i]) << (8 * i);
    if (count == static_cast<std::uint64_t>(storage.count)) return;
    throw Error(ErrorCode::kBadFile, fmt::format("storage {} has {} elements, expected {}",
                                                 shown(storage.key), count, storage.count));
  }

  void read_pickle() { run_all(text_of(file_)); }

  Bytes file_;
  TorchFile& out_;
  Values values_;
  Findings findings_;
  Machine machine_;
  std::deque<std::string> unpacked_;  // programs of compressed records
};

/// Adds what loading the files within a file would do.
void look_into(const std::vector<std::string_view>& files, TorchFile& out, int depth, int& budget) {
  for (const std::string_view saved : files) {
    if (--budget < 0) return;
    const Bytes bytes = std::as_bytes(std::span(saved));
    TorchFile inner;
    Reader reader(bytes, inner);
    reader.read(recognise(bytes).format);
    if (depth < kMostSavedDepth) look_into(reader.saved_files(), inner, depth + 1, budget);
    out.globals.merge(inner.globals);
    out.unknown.merge(inner.unknown);
    out.devices.merge(inner.devices);
    std::ranges::move(inner.dangerous, std::back_inserter(out.dangerous));
  }
}

}  // namespace

TorchFile read_torch_file(std::span<const std::byte> file, FileFormat format) {
  TorchFile out;
  Reader reader(file, out);
  reader.read(format);
  int budget = kMostSavedFiles;
  look_into(reader.saved_files(), out, 1, budget);
  return out;
}

}  // namespace sinter::weights::torch
