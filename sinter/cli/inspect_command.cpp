#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sinter/arch/families.h"
#include "sinter/arch/identity.h"
#include "sinter/arch/model.h"
#include "sinter/base/error.h"
#include "sinter/base/hash.h"
#include "sinter/base/message.h"
#include "sinter/cli/command.h"
#include "sinter/cli/inspect_report.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/progress.h"
#include "sinter/graph/onnx_model.h"
#include "sinter/weights/checkpoint.h"
#include "sinter/weights/ema.h"
#include "sinter/weights/file_report.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

struct Options {
  std::string path;
  bool hash = false;
  bool json = false;
};

// Words of warnings that programs look for.
constexpr const char* kIncomplete = "incomplete";
constexpr const char* kNotSupported = "not supported";
constexpr const char* kEma = "ema";

/// What the tensors that a damaged file still lists were, where that is anything.
void identify_damaged(Findings& findings) {
  std::vector<weights::TensorEntry> tensors;
  for (const weights::ListedTensor& listed : findings.file.listed) {
    tensors.push_back({.name = listed.name,
                       .dtype = dtype_from_name(listed.dtype).value_or(DType::kF32),
                       .shape = listed.shape,
                       .file = 0,
                       .begin = 0,
                       .bytes = listed.bytes});
  }
  arch::Identity identity = arch::identify(tensors, findings.file.metadata);
  if (identity.architecture.empty()) return;
  identity.convertible = false;
  identity.advice.clear();
  identity.next.clear();
  findings.identity = std::move(identity);
}

void identify_sound(Findings& findings) {
  weights::FileReport& file = findings.file;
  try {
    const weights::Checkpoint checkpoint = weights::Checkpoint::open(findings.path);
    findings.identity = arch::identify(checkpoint);
    if (weights::has_moving_averages(checkpoint.tensors())) file.warnings.emplace_back(kEma);
    if (findings.identity->foreign) file.warnings.emplace_back(kNotSupported);
    if (!findings.identity->convertible) return;
    findings.model = arch::detect(checkpoint);
    if (findings.model->missing.empty()) return;
    file.warnings.emplace_back(kIncomplete);
    for (const arch::Component& component : findings.model->components) {
      if (component.missing.empty()) continue;
      findings.identity->convertible = false;
      findings.identity->advice = "tensors are missing, so it cannot be converted as it is";
      findings.identity->next.clear();
    }
  } catch (const Error& error) {
    // A sound file of a kind that cannot be read further is still a report.
    file.warnings.emplace_back(error.message());
    if (!findings.identity) return;
    findings.identity->convertible = false;
    findings.identity->advice = error.hint();
    findings.identity->next.clear();
  }
}

/// A folder of graphs: named by what it was made from; its graphs and their links have to hold.
void identify_converted(Findings& findings) {
  const weights::ConvertedFolder& folder = *findings.converted;
  arch::Identity identity;
  identity.contents = "converted";
  identity.kind = "converted";
  identity.purpose = "graphs that engines load";
  identity.next = "sinter generate FILE -p \"a red circle\"";
  std::string title = folder.family;
  for (const arch::Family& family : arch::families()) {
    if (family.name != folder.family) continue;
    identity.architecture = family.architecture;
    title = family.title;
  }
  identity.sentence = fmt::format("{}, converted", title);
  identity.advice = "sinter generate draws with it; verify and bench take it too";
  findings.identity = std::move(identity);
  if (findings.file.verdict != weights::Verdict::kOk) return;
  try {
    for (const weights::ConvertedFolder::Graph& graph : folder.graphs)
      graph::OnnxModel::load(folder.root / graph.name / "model.onnx");
  } catch (const Error& error) {
    findings.file.verdict = weights::Verdict::kDamaged;
    findings.file.reason = error.message();
    findings.file.hint = error.hint();
  }
}

Findings examine(const std::string& path) {
  Findings findings{.path = path,
                    .file = weights::examine(path),
                    .identity = {},
                    .model = {},
                    .converted = {},
                    .sha256 = {}};
  const weights::FileReport& file = findings.file;
  if (file.format == weights::FileFormat::kConverted) {
    findings.converted = weights::read_converted_folder(path);
    if (findings.converted) identify_converted(findings);
  } else if (file.verdict == weights::Verdict::kOk && file.tensors.has_value()) {
    identify_sound(findings);
  } else if (!file.listed.empty()) {
    identify_damaged(findings);
  }
  return findings;
}

std::string file_sha256(const std::string& path) {
  const MappedFile file(path);
  Progress progress("hashing", "MB");
  Sha256 hash;
  constexpr std::size_t kPiece = std::size_t{16} << 20;
  const std::span<const std::byte> bytes = file.bytes();
  for (std::size_t done = 0; done < bytes.size(); done += kPiece) {
    const std::size_t piece = std::min(kPiece, bytes.size() - done);
    hash.update(bytes.subspan(done, piece));
    file.forget(done, piece);
    progress.update(printable(fs::path(path).filename().string()),
                    static_cast<double>(done + piece) / 1e6,
                    static_cast<double>(bytes.size()) / 1e6);
  }
  return hash.hex();
}

int run(const Options& options) {
  Findings findings = examine(options.path);
  if (options.hash) {
    if (fs::is_directory(options.path))
      throw Error(ErrorCode::kUsage,
                  fmt::format("--hash is of a file; {} is a folder", options.path));
    findings.sha256 = file_sha256(options.path);
  }
  if (options.json) {
    print_json(inspect_json(findings));
  } else {
    fmt::print("{}", inspect_text(findings));
  }
  return findings.file.verdict == weights::Verdict::kOk ? kDone : kFindings;
}

}  // namespace

Run declare_inspect(CLI::App& app) {
  auto options =
      std::make_shared<Options>();  // shared by the parser's bindings and the returned function
  app.add_option("path", options->path, "a checkpoint or adapter file, or a folder")->required();
  app.add_flag("--hash", options->hash, "also compute SHA-256, reading the whole file");
  app.add_flag("--json", options->json, "print the result as JSON");
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
