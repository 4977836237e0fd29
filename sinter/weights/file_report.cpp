#include "sinter/weights/file_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <system_error>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/message.h"
#include "sinter/weights/checkpoint.h"
#include "sinter/weights/converted_folder.h"
#include "sinter/weights/folder.h"
#include "sinter/weights/non_finite.h"
#include "sinter/weights/safetensors_header.h"
#include "sinter/weights/torch/torch_report.h"

namespace sinter::weights {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 4> kVerdicts{"ok", "damaged", "dangerous", "not-a-model"};

/// Extensions that promise a format. A file under another one's extension confuses programs that
/// trust names.
struct Extension {
  std::string_view text;
  bool safetensors;
};
constexpr std::array kExtensions{
    Extension{".safetensors", true}, Extension{".sft", true},  Extension{".ckpt", false},
    Extension{".pt", false},         Extension{".pth", false}, Extension{".bin", false},
};

bool is_torch(FileFormat format) {
  return format == FileFormat::kTorchZip || format == FileFormat::kTorchLegacy ||
         format == FileFormat::kPickle;
}

bool extension_is_wrong(std::string_view name, FileFormat format) {
  std::string extension = fs::path(name).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Extension& known : kExtensions) {
    if (known.text != extension) continue;
    return known.safetensors ? is_torch(format) : format == FileFormat::kSafetensors;
  }
  return false;
}

void check_values(const SafetensorsHeader& header, std::span<const std::byte> file,
                  FileReport& report) {
  std::vector<std::string> names;
  for (const SafetensorsTensor& tensor : header.tensors) {
    if (tensor.dtype && has_non_finite(file.subspan(tensor.begin, tensor.bytes), *tensor.dtype)) {
      names.push_back(tensor.name);
    }
  }
  std::sort(names.begin(), names.end());
  if (!names.empty()) report.warnings.push_back(fmt::format("not finite: {}", name_list(names)));
  report.values_checked = true;
}

void count_tensors(FileReport& report) {
  report.tensors = report.listed.size();
  for (const ListedTensor& tensor : report.listed) ++report.dtypes[tensor.dtype];
  if (report.listed.empty()) report.warnings.emplace_back("no tensors");
}

void examine_safetensors(std::span<const std::byte> file, const ExamineOptions& options,
                         FileReport& report) {
  try {
    const SafetensorsHeader header = read_safetensors_header(file);
    report.header_bytes = header.header_bytes;
    report.metadata = header.metadata;
    for (const SafetensorsTensor& tensor : header.tensors) {
      report.listed.push_back(
          {tensor.name, std::string(tensor.dtype_name), tensor.shape, tensor.bytes});
    }
    check_safetensors_length(header, file.size());
    count_tensors(report);
    if (file.size() <= options.largest_values_check) check_values(header, file, report);
    report.reason =
        fmt::format("A sound safetensors file of {}.", counted(report.listed.size(), "tensor"));
  } catch (const Error& error) {
    mark_damaged(error, report);
  }
}

/// A folder of graphs: sound when each is there.
FileReport examine_converted(const ConvertedFolder& folder) {
  FileReport report;
  report.format = FileFormat::kConverted;
  report.reason =
      fmt::format("A folder that sinter {} converted: {}.", folder.version, folder.graph_names());
  for (const ConvertedFolder::Graph& graph : folder.graphs) {
    report.bytes += graph.weight_bytes;
    const fs::path file = folder.root / graph.name / "model.onnx";
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored)) continue;
    report.verdict = Verdict::kDamaged;
    report.reason = fmt::format("There is no {}.", file.string());
    report.hint = "convert the checkpoint again";
  }
  return report;
}

FileReport examine_folder(const fs::path& path) {
  if (const std::optional<ConvertedFolder> folder = read_converted_folder(path))
    return examine_converted(*folder);
  FileReport report;
  report.format = FileFormat::kFolder;
  try {
    if (plan_folder(path).parts.empty()) {
      report.verdict = Verdict::kNotAModel;
      report.reason = "The folder holds no .safetensors file.";
      return report;
    }
    const Checkpoint checkpoint = Checkpoint::open(path);
    for (const SourceFile& file : checkpoint.files()) {
      report.bytes += file.stamp.bytes;
      report.header_bytes += file.header_bytes;
    }
    for (const TensorEntry& tensor : checkpoint.tensors()) {
      report.listed.push_back(
          {tensor.name, std::string(dtype_name(tensor.dtype)), tensor.shape, tensor.bytes});
    }
    report.metadata = checkpoint.metadata();
    count_tensors(report);
    report.reason = fmt::format("A folder of {} with {}.",
                                counted(checkpoint.files().size(), "sound safetensors file"),
                                counted(report.listed.size(), "tensor"));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kIo) throw;
    mark_damaged(error, report);
    if (error.code() == ErrorCode::kUnsupported) report.verdict = Verdict::kNotAModel;
  }
  return report;
}

}  // namespace

std::string sentence(std::string text) {
  if (text.empty()) return text;
  // A path keeps its case.
  const std::string_view first = std::string_view(text).substr(0, text.find(' '));
  if (first.find_first_of("/\\.'") == first.npos)
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text + '.';
}

std::string name_list(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", shown(names[i]));
  }
  if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
  return text;
}

void mark_damaged(const Error& error, FileReport& report) {
  report.verdict = Verdict::kDamaged;
  std::string text = error.message();
  // Of a folder, which of its files it was.
  for (const std::string& frame : error.context()) text += fmt::format(", while {}", frame);
  report.reason = sentence(std::move(text));
  report.hint = error.hint();
}

std::string_view verdict_name(Verdict verdict) {
  return kVerdicts[static_cast<std::size_t>(verdict)];
}

FileReport examine(std::span<const std::byte> file, std::string_view name,
                   const ExamineOptions& options) {
  const RecognisedFormat found = recognise(file);
  FileReport report;
  report.format = found.format;
  report.bytes = file.size();
  if (extension_is_wrong(name, found.format)) report.warnings.emplace_back("wrong extension");
  if (found.format == FileFormat::kSafetensors) {
    examine_safetensors(file, options, report);
    return report;
  }
  if (is_torch(found.format)) {
    torch::examine_torch(file, options, report);
    return report;
  }
  report.verdict = Verdict::kNotAModel;
  report.reason = sentence(fmt::format("the file is {}", found.description));
  report.hint = found.hint;
  return report;
}

FileReport examine(const fs::path& path, const ExamineOptions& options) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return examine_folder(path);
  const MappedFile file(path);
  return examine(file.bytes(), path.filename().string(), options);
}

}  // namespace sinter::weights
