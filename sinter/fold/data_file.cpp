#include "sinter/fold/data_file.h"

#include <fmt/format.h>

#include <array>
#include <system_error>

namespace sinter::fold {
namespace fs = std::filesystem;
using graph::Placement;
namespace {

// Programs map tensors where they begin at a page.
constexpr std::uint64_t kAlignment = 4096;

fs::path folder_of(const fs::path& file) { return fs::absolute(file).parent_path(); }

}  // namespace

DataFiles::DataFiles(const graph::OnnxModel& original, fs::path out, fs::path staging, bool pack)
    : original_(original), out_(std::move(out)), staging_(std::move(staging)), pack_(pack) {
  std::error_code ignored;
  same_folder_ = fs::equivalent(folder_of(original.path()), folder_of(out_), ignored);
  for (const graph::ExternalFile& file : original.files()) names_.insert(file.location);
  data_name_ = out_.filename().string() + ".data";
  for (int i = 2; names_.contains(data_name_); ++i) {
    data_name_ = fmt::format("{}.data{}", out_.filename().string(), i);
  }
  names_.clear();
  names_.insert(data_name_);
}

AtomicFile& DataFiles::file() {
  if (file_ == nullptr) {
    file_ = std::make_unique<AtomicFile>(staging_ / data_name_);
    fresh_.push_back(data_name_);
  }
  return *file_;
}

Placement DataFiles::add(std::span<const std::byte> bytes) {
  AtomicFile& target = file();
  static constexpr std::array<std::byte, kAlignment> kZeros{};
  const std::uint64_t rest = target.written() % kAlignment;
  if (rest != 0) target.write(std::span(kZeros).first(static_cast<std::size_t>(kAlignment - rest)));
  const Placement placement{data_name_, target.written()};
  target.write(bytes);
  return placement;
}

fs::path DataFiles::source_of(const std::string& location) const {
  return fs::canonical(folder_of(original_.path()) / location);
}

// A name that nothing else in OUT's folder has.
std::string DataFiles::free_name(const std::string& wanted, const fs::path& source) const {
  std::string name = wanted;
  for (int i = 1;; ++i) {
    const fs::path there = folder_of(out_) / name;
    std::error_code ignored;
    const bool other = fs::exists(there, ignored) && !fs::equivalent(there, source, ignored);
    if (!other && !names_.contains(name)) return name;
    name = fmt::format("{}{}-{}", out_.stem().string(), i == 1 ? "" : std::to_string(i), wanted);
  }
}

// The name of a file of the original in OUT's folder, or nothing: it has to be copied.
std::optional<std::string> DataFiles::linked(const std::string& location) {
  if (pack_) return std::nullopt;
  const auto known = links_.find(location);
  if (known != links_.end()) return known->second;
  std::optional<std::string>& result = links_[location];
  const fs::path source = source_of(location);
  const fs::path normal = fs::path(location).lexically_normal();
  const bool inside = normal.is_relative() && *normal.begin() != "..";
  const std::string name =
      same_folder_ && inside ? location : free_name(normal.filename().string(), source);
  const fs::path link = (staging_ / name).lexically_normal();
  fs::create_directories(link.parent_path());
  if (hard_link(source, link) != HardLink::kMade) return result;
  names_.insert(name);
  if (!same_folder_ || !inside) fresh_.push_back(name);
  result = name;
  return result;
}

Placement DataFiles::copied(const Placement& from, std::uint64_t length) {
  const auto known = copies_.find({from.location, from.offset});
  if (known != copies_.end()) return known->second;
  const MappedFile& source =
      sources_.try_emplace(from.location, source_of(from.location)).first->second;
  if (length == 0) length = source.bytes().size() - from.offset;
  const Placement placement = add({});
  file().copy_from(source, static_cast<std::size_t>(from.offset), static_cast<std::size_t>(length));
  copies_.emplace(std::pair{from.location, from.offset}, placement);
  return placement;
}

void DataFiles::keep(graph::OnnxEdit& edit) {
  edit.relocate([this](const Placement& from, std::uint64_t length) -> Placement {
    if (from.location == data_name_) return from;
    if (const std::optional<std::string> name = linked(from.location)) {
      return {*name, from.offset};
    }
    return copied(from, length);
  });
  edit.relocate_links([this](const std::string& location) {
    const auto known = links_.find(location);
    return known != links_.end() && known->second ? *known->second : location;
  });
}

void DataFiles::close() {
  sources_.clear();
  if (file_ != nullptr) file_->commit();
}

}  // namespace sinter::fold
