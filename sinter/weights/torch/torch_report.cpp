#include "sinter/weights/torch/torch_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sinter/base/message.h"
#include "sinter/weights/non_finite.h"
#include "sinter/weights/torch/plain_load.h"
#include "sinter/weights/torch/strided.h"
#include "sinter/weights/torch/torch_file.h"

namespace sinter::weights::torch {
namespace {

constexpr std::size_t kMostQuoted = 3;  // in a sentence; the report has all

PickleReport pickle_report(const TorchFile& file) {
  PickleReport report{.devices = {file.devices.begin(), file.devices.end()},
                      .globals = {file.globals.begin(), file.globals.end()},
                      .unknown = {file.unknown.begin(), file.unknown.end()},
                      .dangerous = {},
                      .loads = {},
                      .notes = file.notes,
                      .tensors_elsewhere = file.tensors_elsewhere};
  for (const pickle::DangerousUse& use : file.dangerous)
    report.dangerous.push_back({use.global, use.call});
  for (const std::string& device : report.devices)
    if (std::string says = plain_load_without(device); !says.empty())
      report.loads.push_back({device, std::move(says)});
  return report;
}

bool has_non_finite_elements(std::span<const std::byte> file, const TorchFile& torch,
                             const TorchTensor& tensor) {
  if (!tensor.element->read || !is_floating(*tensor.element->read)) return false;
  bool found = false;
  write_tensor(file, torch.blocks[tensor.block], tensor, [&](std::span<const std::byte> piece) {
    found = found || has_non_finite(piece, *tensor.element->read);
  });
  return found;
}

void check_values(std::span<const std::byte> file, const TorchFile& torch, FileReport& report) {
  // Tensors by a stride of 0 are larger than their file.
  std::uint64_t bytes = 0;
  for (const TorchTensor& tensor : torch.tensors) bytes += tensor.bytes;
  if (bytes > 4 * file.size()) return;
  std::vector<std::string> names;
  for (const TorchTensor& tensor : torch.tensors)
    if (has_non_finite_elements(file, torch, tensor)) names.push_back(tensor.name);
  if (!names.empty()) report.warnings.push_back(fmt::format("not finite: {}", name_list(names)));
  report.values_checked = true;
}

void list_tensors(const TorchFile& file, FileReport& report) {
  for (const TorchTensor& tensor : file.tensors) {
    report.listed.push_back(
        {tensor.name, std::string(tensor.element->name), tensor.shape, tensor.bytes});
    ++report.dtypes[std::string(tensor.element->name)];
  }
  report.tensors = file.tensors.size();
  if (file.tensors.empty()) report.warnings.emplace_back("no tensors");
}

void add_warnings(const TorchFile& file, FileReport& report) {
  if (!file.unknown.empty()) report.warnings.emplace_back("unknown classes");
  if (file.numpy_scalars) report.warnings.emplace_back("numpy scalars");
  if (file.numpy_arrays) report.warnings.emplace_back("numpy array");
}

}  // namespace

void examine_torch(std::span<const std::byte> file, const ExamineOptions& options,
                   FileReport& report) {
  const TorchFile torch = read_torch_file(file, report.format);
  report.header_bytes = torch.header_bytes;
  report.pickle = pickle_report(torch);
  add_warnings(torch, report);
  if (!torch.dangerous.empty()) {
    report.verdict = Verdict::kDangerous;
    report.reason = sentence(danger_of(torch));
    report.hint =
        "do not load it with torch.load or pickle; sinter executes nothing of it, and convert "
        "takes its tensors only with --allow-unsafe-keys";
  } else if (torch.damage) {
    mark_damaged(*torch.damage, report);
  } else if (report.format == FileFormat::kPickle) {
    report.verdict = Verdict::kNotAModel;
    report.reason = "A pickle of plain values, not of a model.";
  } else {
    report.verdict = Verdict::kOk;
    list_tensors(torch, report);
    if (file.size() <= options.largest_values_check) check_values(file, torch, report);
    report.reason =
        fmt::format("A sound PyTorch file of {}.", counted(torch.tensors.size(), "tensor"));
  }
}

std::string danger_of(const TorchFile& file) {
  std::vector<std::string> calls;
  std::vector<std::string> names;
  for (const pickle::DangerousUse& use : file.dangerous) {
    std::vector<std::string>& list = use.call.empty() ? names : calls;
    const std::string& text = use.call.empty() ? use.global : use.call;
    if (std::ranges::find(list, text) == list.end()) list.push_back(text);
  }
  const std::vector<std::string>& told = calls.empty() ? names : calls;
  std::string text = calls.empty() ? "it names " : "loading it would call ";
  for (std::size_t i = 0; i < std::min(told.size(), kMostQuoted); ++i)
    text += (i == 0 ? "" : ", ") + told[i];
  if (told.size() > kMostQuoted) text += fmt::format(" and {} more", told.size() - kMostQuoted);
  return text;
}

}  // namespace sinter::weights::torch
