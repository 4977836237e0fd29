#include "sinter/repack/repack.h"

#include <fmt/format.h>

#include <array>
#include <numeric>
#include <system_error>

#include "sinter/arch/reading.h"
#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/message.h"
#include "sinter/repack/plan.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::repack {
namespace fs = std::filesystem;
namespace {

struct DTypeWord {
  std::string_view word;
  std::optional<DType> dtype;
};
constexpr std::array kDTypeWords{DTypeWord{"keep", std::nullopt}, DTypeWord{"fp32", DType::kF32},
                                 DTypeWord{"fp16", DType::kF16}, DTypeWord{"bf16", DType::kBF16}};

/// The output must be free: a file may be written again, a folder with something in it is
/// somebody's.
void require_free(const fs::path& in, const fs::path& out) {
  std::error_code ignored;
  if (fs::equivalent(in, out, ignored))
    throw Error(ErrorCode::kUsage, fmt::format("{} is the input", out.string()),
                "name another file or folder");
  if (out.extension() == ".safetensors" && fs::is_directory(out, ignored))
    throw Error(ErrorCode::kUsage, fmt::format("{} is a folder", out.string()),
                "name a file that ends in .safetensors");
  if (out.extension() == ".safetensors" || !fs::exists(out, ignored)) return;
  if (!fs::is_directory(out, ignored))
    throw Error(ErrorCode::kUsage, fmt::format("{} is a file, expected a new folder", out.string()),
                "a file to be written ends in .safetensors");
  if (!fs::is_empty(out, ignored))
    throw Error(ErrorCode::kUsage, fmt::format("{} is not empty", out.string()),
                "name a new folder, or remove it first");
}

void write_text(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  AtomicFile file(path, Durability::kProcess);
  file.write(text);
  file.commit();
}

/// The file's own tensors may be what is written over.
void require_other_file(const weights::Checkpoint& checkpoint, const fs::path& out) {
  std::error_code ignored;
  for (const weights::SourceFile& file : checkpoint.files())
    if (fs::equivalent(file.path, out, ignored))
      throw Error(ErrorCode::kUsage, fmt::format("{} is a file of the input", out.string()),
                  "name another file");
}

std::uint64_t bytes_of(const std::vector<weights::ComputedTensor>& tensors) {
  return std::transform_reduce(tensors.begin(), tensors.end(), std::uint64_t{0}, std::plus<>(),
                               [](const weights::ComputedTensor& tensor) {
                                 return static_cast<std::uint64_t>(element_count(tensor.shape)) *
                                        dtype_bytes(tensor.dtype);
                               });
}

WrittenFile write_file(const FilePlan& plan, const fs::path& path, const RepackOptions& options,
                       std::uint64_t before, std::uint64_t total) {
  if (path.has_parent_path()) fs::create_directories(path.parent_path());
  const std::string name = plan.path.empty() ? path.filename().string() : plan.path;
  weights::write_safetensors(path, plan.tensors, plan.metadata,
                             [&](std::uint64_t done, std::uint64_t /*of_file*/) {
                               if (options.progress) options.progress(name, before + done, total);
                             });
  return {.path = plan.path, .tensors = plan.tensors.size(), .bytes = file_stamp(path).bytes};
}

std::vector<WrittenFile> write(const Plan& plan, const fs::path& in, const fs::path& out,
                               const RepackOptions& options) {
  std::uint64_t total = 0;
  for (const FilePlan& file : plan.files) total += bytes_of(file.tensors);
  if (!plan.folder) return {write_file(plan.files.front(), out, options, 0, total)};
  AtomicFolder folder(out);
  std::vector<WrittenFile> written;
  std::uint64_t done = 0;
  for (const FilePlan& file : plan.files) {
    written.push_back(write_file(file, folder.staging() / file.path, options, done, total));
    done += bytes_of(file.tensors);
  }
  for (const convert::ExtraFile& text : plan.texts)
    write_text(folder.staging() / text.path, text.text);
  require_free(in, out);  // much may have happened meanwhile
  folder.commit();
  return written;
}

void add_overflow(const Overflow& overflow, const RepackOptions& options,
                  std::vector<std::string>& warnings) {
  if (overflow.tensors == 0) return;
  warnings.push_back(fmt::format(
      "{} had numbers beyond {}, which became infinite (the first is '{}')",
      counted(overflow.tensors, "tensor"), dtype_info(*options.dtype).word, shown(overflow.first)));
}

}  // namespace

std::string_view layout_name(Layout layout) {
  return layout == Layout::kOriginal ? "original" : "diffusers";
}

std::optional<DType> dtype_from_word(std::string_view word) {
  for (const DTypeWord& row : kDTypeWords)
    if (row.word == word) return row.dtype;
  throw Error(ErrorCode::kUsage,
              fmt::format("there is no type '{}'; there are fp32, fp16, bf16 and keep", word));
}

RepackReport repack(const fs::path& in, const fs::path& out, const RepackOptions& options) {
  require_free(in, out);
  const weights::Checkpoint checkpoint = weights::Checkpoint::open(in, options.open);
  require_other_file(checkpoint, out);
  const arch::Reading reading = arch::read_names(checkpoint.tensors(), checkpoint.metadata());
  RepackReport report;
  report.what = arch::identify_reading(reading, checkpoint.metadata()).sentence;
  try {
    Plan plan = make_plan(checkpoint, reading, out, options);
    report.files = write(plan, in, out, options);
    report.layout = plan.layout;
    report.left_out = std::move(plan.left_out);
    report.warnings = checkpoint.notes();
    std::ranges::move(plan.warnings, std::back_inserter(report.warnings));
    add_overflow(*plan.overflow, options, report.warnings);
  } catch (Error& error) {
    error.add_context(fmt::format("repacking {}", in.string()));
    throw;
  }
  for (const weights::SourceFile& file : checkpoint.files())
    report.source_bytes += file.stamp.bytes;
  for (const WrittenFile& file : report.files) report.written_bytes += file.bytes;
  return report;
}

}  // namespace sinter::repack
