#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sinter/arch/identity.h"
#include "sinter/arch/model.h"
#include "sinter/base/error.h"
#include "sinter/base/hash.h"
#include "sinter/cli/command.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/progress.h"
#include "sinter/cli/text.h"
#include "sinter/weights/checkpoint.h"
#include "sinter/weights/file_report.h"

namespace sinter::cli {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
namespace {

struct Options {
  std::string path;
  bool hash = false;
  bool json = false;
  std::size_t most_keys = 8;  // of missing and unexpected ones, in text
};

/// Everything that is known of the file; what does not apply is empty.
struct Findings {
  weights::FileReport file;
  std::optional<arch::Identity> identity;
  std::optional<arch::Model>
      model;  // its components' entries are gone with the checkpoint; names and counts stay
  std::string sha256;
};

Findings examine(const std::string& path) {
  Findings findings{.file = weights::examine(path), .identity = {}, .model = {}, .sha256 = {}};
  if (findings.file.verdict != weights::Verdict::kOk || !findings.file.tensors.has_value())
    return findings;
  try {
    const weights::Checkpoint checkpoint = weights::Checkpoint::open(path);
    findings.identity = arch::identify(checkpoint);
    if (findings.identity->convertible) findings.model = arch::detect(checkpoint);
  } catch (const Error& error) {
    // A sound file of a kind that cannot be read further is still a report.
    findings.file.warnings.emplace_back(error.message());
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
    progress.update(fs::path(path).filename().string(), static_cast<double>(done + piece) / 1e6,
                    static_cast<double>(bytes.size()) / 1e6);
  }
  return hash.hex();
}

// AUTOMATIC1111's "model hash" since late 2022: the first ten digits.
std::string short_hash(const std::string& sha256) { return sha256.substr(0, 10); }

Json to_json(const Options& options, const Findings& findings) {
  const weights::FileReport& file = findings.file;
  Json json{
      {"path", options.path},  {"verdict", verdict_name(file.verdict)},
      {"reason", file.reason}, {"format", format_name(file.format)},
      {"bytes", file.bytes},   {"tensors", file.tensors ? Json(*file.tensors) : Json(nullptr)},
      {"dtypes", file.dtypes}, {"architecture", nullptr},
      {"contents", nullptr},   {"warnings", file.warnings}};
  if (!file.hint.empty()) json["hint"] = file.hint;
  if (findings.identity) {
    const arch::Identity& identity = *findings.identity;
    if (!identity.architecture.empty()) json["architecture"] = identity.architecture;
    json["contents"] = identity.contents;
    json["what"] = identity.sentence;
    json["convertible"] = identity.convertible;
    if (!identity.advice.empty()) json["advice"] = identity.advice;
  }
  if (findings.model) {
    const arch::Model& model = *findings.model;
    json["family"] = model.family;
    json["evidence"] = model.evidence;
    json["prediction"] =
        model.prediction ? Json(prediction_name(*model.prediction)) : Json(nullptr);
    json["prediction_evidence"] = model.prediction_evidence;
    json["components"] = Json::array();
    for (const arch::Component& component : model.components) {
      json["components"].push_back({{"name", component.name},
                                    {"parameters", component.parameters},
                                    {"layout", component.layout},
                                    {"prefix", component.prefix}});
    }
    json["missing"] = model.missing;
    json["unexpected"] = model.unexpected;
  }
  json["metadata"] = file.metadata;
  if (!findings.sha256.empty())
    json["hash"] = {{"sha256", findings.sha256}, {"automatic1111", short_hash(findings.sha256)}};
  return json;
}

void print_keys(std::string_view title, const std::vector<std::string>& keys, std::size_t most) {
  if (keys.empty()) return;
  fmt::print("{:<16}{}\n", title, keys.size());
  for (std::size_t i = 0; i < std::min(most, keys.size()); ++i)
    fmt::print("                {}\n", keys[i]);
  if (keys.size() > most)
    fmt::print("                ... and {} more (--json lists all)\n", keys.size() - most);
}

void print_model(const Options& options, const arch::Model& model) {
  fmt::print("{:<16}{}: {}\n", "family", model.family, fmt::join(model.evidence, "; "));
  fmt::print("{:<16}{}: {}\n", "prediction",
             model.prediction ? prediction_name(*model.prediction) : "not known",
             model.prediction_evidence);
  for (const arch::Component& component : model.components) {
    fmt::print("{:<16}{:.1f} million parameters, {} layout\n", component.name,
               static_cast<double>(component.parameters) / 1e6, component.layout);
  }
  print_keys("missing", model.missing, options.most_keys);
  print_keys("unexpected", model.unexpected, options.most_keys);
}

void print_text(const Options& options, const Findings& findings) {
  const weights::FileReport& file = findings.file;
  fmt::print("{}\n", options.path);
  fmt::print("{:<16}{}: {}\n", "verdict", verdict_name(file.verdict), file.reason);
  fmt::print("{:<16}{}, {}\n", "format", format_name(file.format), human_bytes(file.bytes));
  if (file.tensors) {
    std::vector<std::string> kinds;
    for (const auto& [dtype, count] : file.dtypes)
      kinds.push_back(fmt::format("{} {}", count, dtype));
    fmt::print("{:<16}{} ({})\n", "tensors", *file.tensors, fmt::join(kinds, ", "));
  }
  if (findings.identity) {
    fmt::print("{:<16}{}\n", "what", findings.identity->sentence);
    if (!findings.identity->advice.empty())
      fmt::print("{:<16}{}\n", "use", findings.identity->advice);
  }
  if (findings.model) print_model(options, *findings.model);
  for (const auto& [key, value] : file.metadata) {
    fmt::print("{:<16}{} = {}\n", "metadata", key,
               value.size() > 100 ? value.substr(0, 100) + "..." : value);
  }
  for (const std::string& warning : file.warnings) fmt::print("{:<16}{}\n", "warning", warning);
  if (!findings.sha256.empty()) {
    fmt::print("{:<16}{}\n{:<16}{} (AUTOMATIC1111)\n", "sha256", findings.sha256, "short hash",
               short_hash(findings.sha256));
  }
  if (!file.hint.empty()) fmt::print("{:<16}{}\n", "hint", file.hint);
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
    print_json(to_json(options, findings));
  } else {
    print_text(options, findings);
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
