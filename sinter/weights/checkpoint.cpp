#include "sinter/weights/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/base/hash.h"
#include "sinter/base/message.h"
#include "sinter/base/source_header.h"
#include "sinter/weights/ema.h"
#include "sinter/weights/file_format.h"
#include "sinter/weights/folder.h"
#include "sinter/weights/gathered_tensor.h"
#include "sinter/weights/safetensors_header.h"
#include "sinter/weights/torch/torch_file.h"
#include "sinter/weights/wrapper_names.h"

namespace sinter::weights {
namespace fs = std::filesystem;

struct Checkpoint::State {
  fs::path root;
  std::vector<TensorEntry> tensors;
  std::vector<std::size_t> by_name;  // indices into tensors
  std::vector<SourceFile> files;
  std::vector<MappedFile> mappings;
  std::vector<std::unique_ptr<GatheredTensor>> gathered;
  std::map<std::string, std::string> metadata;
  std::map<std::string, std::string> configs;
  std::vector<std::string> notes;

  void add_file(const fs::path& path, const std::string& prefix, const OpenOptions& options);
  void add_safetensors(MappedFile mapping, FileStamp stamp, const std::string& prefix);
  void add_torch(MappedFile mapping, FileStamp stamp, const std::string& prefix, FileFormat format,
                 const OpenOptions& options);
  void require_shards(const FolderPart& part, std::size_t first_file) const;
  void use_averages();
  void index_names();
  void leave_out(const std::vector<std::string>& prefixes);
  void keep_below(const std::string& prefix);
  void put_on_top(State top, const std::string& prefix);
};

namespace {

// Models, but in formats that sinter does not read.
constexpr std::array kKnownModels{FileFormat::kPickle, FileFormat::kGguf};

[[noreturn]] void refuse(const MappedFile& file, const RecognisedFormat& found) {
  const bool known =
      std::find(kKnownModels.begin(), kKnownModels.end(), found.format) != kKnownModels.end();
  throw Error(known ? ErrorCode::kUnsupported : ErrorCode::kBadFile,
              fmt::format("{} is {} ({}), expected safetensors or a PyTorch file",
                          file.path().string(), found.description, format_name(found.format)),
              known ? "convert it to safetensors first" : found.hint);
}

[[noreturn]] void refuse_type(std::string_view name, const fs::path& path, std::string_view type) {
  throw Error(ErrorCode::kUnsupported,
              fmt::format("'{}' in {} has elements of type {}, which sinter does not read",
                          shown(name), path.string(), type));
}

/// A file whose tensors may be taken.
torch::TorchFile read_torch(const MappedFile& file, FileFormat format, const OpenOptions& options) {
  torch::TorchFile read = torch::read_torch_file(file.bytes(), format);
  if (!read.dangerous.empty() && !options.allow_unsafe_keys)
    throw Error(ErrorCode::kBadFile,
                fmt::format("{} is dangerous: {}", file.path().string(), danger_of(read)),
                "fetch it as safetensors; sinter executes nothing of it, and --allow-unsafe-keys "
                "takes its tensors all the same");
  if (read.damage) {
    read.damage->add_context(
        fmt::format("reading {} as {}", file.path().string(), format_name(format)));
    throw std::move(*read.damage);
  }
  return read;
}

SafetensorsHeader read_header(const MappedFile& file) {
  try {
    SafetensorsHeader header = read_safetensors_header(file.bytes());
    check_safetensors_length(header, file.bytes().size());
    return header;
  } catch (Error& error) {
    error.add_context(fmt::format("reading {} as safetensors", file.path().string()));
    throw;
  }
}

}  // namespace

void Checkpoint::State::add_file(const fs::path& path, const std::string& prefix,
                                 const OpenOptions& options) {
  const FileStamp stamp = file_stamp(path);
  MappedFile mapping(path);
  const RecognisedFormat found = recognise(mapping.bytes());
  if (found.format == FileFormat::kSafetensors)
    add_safetensors(std::move(mapping), stamp, prefix);
  else if (found.format == FileFormat::kTorchZip || found.format == FileFormat::kTorchLegacy)
    add_torch(std::move(mapping), stamp, prefix, found.format, options);
  else
    refuse(mapping, found);
}

void Checkpoint::State::add_safetensors(MappedFile mapping, FileStamp stamp,
                                        const std::string& prefix) {
  SafetensorsHeader header = read_header(mapping);
  for (SafetensorsTensor& tensor : header.tensors) {
    if (!tensor.dtype) refuse_type(tensor.name, mapping.path(), tensor.dtype_name);
    tensors.push_back({.name = prefix + tensor.name,
                       .dtype = *tensor.dtype,
                       .shape = std::move(tensor.shape),
                       .file = files.size(),
                       .begin = tensor.begin,
                       .bytes = tensor.bytes});
  }
  files.push_back({.path = mapping.path(),
                   .stamp = stamp,
                   .header_bytes = header.header_bytes,
                   .header_sha256 = sha256_hex(mapping.bytes().first(header.header_bytes))});
  mappings.push_back(std::move(mapping));
  metadata.merge(header.metadata);
}

void Checkpoint::State::add_torch(MappedFile mapping, FileStamp stamp, const std::string& prefix,
                                  FileFormat format, const OpenOptions& options) {
  torch::TorchFile read = read_torch(mapping, format, options);
  std::vector<TensorEntry> found;
  for (torch::TorchTensor& tensor : read.tensors) {
    if (!tensor.element->read) refuse_type(tensor.name, mapping.path(), tensor.element->name);
    const torch::Block& block = read.blocks[tensor.block];
    TensorEntry entry{.name = prefix + tensor.name,
                      .dtype = *tensor.element->read,
                      .shape = tensor.shape,
                      .file = files.size(),
                      .begin = block.begin + tensor.begin,
                      .bytes = tensor.bytes};
    if (block.deflated || block.swap_bytes > 1 || tensor.negated || !tensor.is_contiguous()) {
      entry.begin = 0;
      entry.gathered = gathered.size();
      gathered.push_back(
          std::make_unique<GatheredTensor>(mapping.bytes(), block, std::move(tensor)));
    }
    found.push_back(std::move(entry));
  }
  std::ranges::stable_sort(found, {}, &TensorEntry::begin);
  std::ranges::move(found, std::back_inserter(tensors));
  const SourceHeader header = source_header(mapping.bytes(), read.stream_header_bytes)
                                  .value_or(SourceHeader{0, sha256_hex({})});
  files.push_back({.path = mapping.path(),
                   .stamp = stamp,
                   .header_bytes = header.bytes,
                   .header_sha256 = header.sha256});
  mappings.push_back(std::move(mapping));
}

/// Every tensor of the shards' index has to be in the shard that the index names.
void Checkpoint::State::require_shards(const FolderPart& part, std::size_t first_file) const {
  std::map<std::string_view, std::string> found;
  for (const TensorEntry& tensor : tensors) {
    if (tensor.file < first_file) continue;
    found[std::string_view(tensor.name).substr(part.prefix.size())] =
        files[tensor.file].path.filename().string();
  }
  for (const auto& [name, file] : part.shard_of) {
    const auto entry = found.find(name);
    if (entry != found.end() && entry->second == file) continue;
    throw Error(ErrorCode::kBadFile,
                fmt::format("the index of {} says that '{}' is in {}, it is {}",
                            part.files.front().parent_path().string(), shown(name), shown(file),
                            entry == found.end() ? "in no shard" : "in " + entry->second),
                "the shards come from different downloads; fetch the folder again");
  }
}

void Checkpoint::State::use_averages() {
  try {
    const std::vector<std::string> without = use_moving_averages(tensors);
    if (!without.empty())
      notes.push_back(fmt::format(
          "{} of the network {} no moving average and {} as {}, '{}' for one: frozen in training, "
          "or the file has lost some",
          counted(without.size(), "weight"), without.size() == 1 ? "has" : "have",
          without.size() == 1 ? "stays" : "stay", without.size() == 1 ? "it is" : "they are",
          shown(without.front())));
  } catch (Error& error) {
    error.add_context(fmt::format("taking the moving averages of {}", root.string()));
    throw;
  }
  // The averages lie elsewhere than the weights.
  std::ranges::stable_sort(
      tensors, {}, [](const TensorEntry& tensor) { return std::pair(tensor.file, tensor.begin); });
}

void Checkpoint::State::index_names() {
  by_name.resize(tensors.size());
  for (std::size_t i = 0; i < by_name.size(); ++i) by_name[i] = i;
  std::sort(by_name.begin(), by_name.end(),
            [&](std::size_t a, std::size_t b) { return tensors[a].name < tensors[b].name; });
  const auto twice = std::adjacent_find(
      by_name.begin(), by_name.end(),
      [&](std::size_t a, std::size_t b) { return tensors[a].name == tensors[b].name; });
  if (twice == by_name.end()) return;
  throw Error(ErrorCode::kBadFile,
              fmt::format("'{}' is in {} and in {}", shown(tensors[*twice].name),
                          files[tensors[*twice].file].path.string(),
                          files[tensors[*(twice + 1)].file].path.string()));
}

void Checkpoint::State::leave_out(const std::vector<std::string>& prefixes) {
  const auto left_out = [&](std::string_view name) {
    return std::ranges::any_of(prefixes,
                               [&](const std::string& prefix) { return name.starts_with(prefix); });
  };
  std::erase_if(tensors, [&](const TensorEntry& tensor) { return left_out(tensor.name); });
  std::erase_if(configs, [&](const auto& config) { return left_out(config.first); });
}

void Checkpoint::State::keep_below(const std::string& prefix) {
  std::erase_if(tensors,
                [&](const TensorEntry& tensor) { return !tensor.name.starts_with(prefix); });
  for (TensorEntry& tensor : tensors) tensor.name.erase(0, prefix.size());
  std::map<std::string, std::string> kept;
  for (auto& [name, text] : configs)
    if (name.starts_with(prefix)) kept.emplace(name.substr(prefix.size()), std::move(text));
  configs = std::move(kept);
}

void Checkpoint::State::put_on_top(State top, const std::string& prefix) {
  std::set<std::string> names;
  for (TensorEntry& tensor : top.tensors) {
    tensor.name.insert(0, prefix);
    tensor.file += files.size();
    if (tensor.gathered) *tensor.gathered += gathered.size();
    names.insert(tensor.name);
  }
  std::erase_if(tensors, [&](const TensorEntry& tensor) { return names.contains(tensor.name); });
  std::ranges::move(top.tensors, std::back_inserter(tensors));
  std::ranges::move(top.files, std::back_inserter(files));
  std::ranges::move(top.mappings, std::back_inserter(mappings));
  std::ranges::move(top.gathered, std::back_inserter(gathered));
  std::ranges::move(top.notes, std::back_inserter(notes));
  for (auto& [key, text] : top.metadata) metadata.try_emplace(key, std::move(text));
  for (auto& [name, text] : top.configs) configs.insert_or_assign(prefix + name, std::move(text));
  index_names();
}

Checkpoint::Checkpoint(std::unique_ptr<State> state) : state_(std::move(state)) {}
Checkpoint::~Checkpoint() = default;
Checkpoint::Checkpoint(Checkpoint&&) noexcept = default;
Checkpoint& Checkpoint::operator=(Checkpoint&&) noexcept = default;

Checkpoint Checkpoint::open(const fs::path& path, const OpenOptions& options) {
  auto state = std::make_unique<State>();
  state->root = path;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    FolderPlan plan = plan_folder(path, options.variant);
    if (plan.parts.empty()) {
      throw Error(ErrorCode::kBadFile,
                  fmt::format("{} holds no .safetensors file, expected a diffusers pipeline or one "
                              "of its components",
                              path.string()));
    }
    state->configs = std::move(plan.configs);
    for (const FolderPart& part : plan.parts) {
      const std::size_t first_file = state->files.size();
      for (const fs::path& file : part.files) state->add_file(file, part.prefix, options);
      state->require_shards(part, first_file);
    }
  } else {
    state->add_file(path, "", options);
    take_off_wrappers(state->tensors);
  }
  if (options.ema) state->use_averages();
  state->index_names();
  return Checkpoint(std::move(state));
}

Checkpoint Checkpoint::layered(Checkpoint base, Layer layer) {
  base.state_->leave_out(layer.instead_of);
  layer.top.state_->keep_below(layer.below);
  base.state_->put_on_top(std::move(*layer.top.state_), layer.prefix);
  return base;
}

const fs::path& Checkpoint::path() const { return state_->root; }

const std::vector<TensorEntry>& Checkpoint::tensors() const { return state_->tensors; }

const TensorEntry* Checkpoint::find(std::string_view name) const {
  const auto found = std::lower_bound(state_->by_name.begin(), state_->by_name.end(), name,
                                      [&](std::size_t index, std::string_view wanted) {
                                        return state_->tensors[index].name < wanted;
                                      });
  if (found == state_->by_name.end() || state_->tensors[*found].name != name) return nullptr;
  return &state_->tensors[*found];
}

std::span<const std::byte> Checkpoint::bytes(const TensorEntry& tensor) const {
  if (tensor.gathered) return state_->gathered[*tensor.gathered]->bytes();
  return mapping(tensor.file).bytes().subspan(tensor.begin, tensor.bytes);
}

ComputedTensor Checkpoint::gathered(const TensorEntry& tensor) const {
  const GatheredTensor* source = state_->gathered[*tensor.gathered].get();
  return {.name = tensor.name,
          .dtype = tensor.dtype,
          .shape = tensor.shape,
          .write = [source](const ByteSink& sink) { source->write(sink); }};
}

const std::vector<std::string>& Checkpoint::notes() const { return state_->notes; }

const std::vector<SourceFile>& Checkpoint::files() const { return state_->files; }

const MappedFile& Checkpoint::mapping(std::size_t file) const { return state_->mappings[file]; }

const std::map<std::string, std::string>& Checkpoint::metadata() const { return state_->metadata; }

const std::map<std::string, std::string>& Checkpoint::configs() const { return state_->configs; }

}  // namespace sinter::weights
