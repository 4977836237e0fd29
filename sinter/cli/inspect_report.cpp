#include "sinter/cli/inspect_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "sinter/base/message.h"
#include "sinter/cli/adapter_summary.h"
#include "sinter/cli/text.h"

namespace sinter::cli {
using Json = nlohmann::ordered_json;
namespace {

constexpr std::size_t kMostKeys = 8;  // of missing and unexpected ones, in text

// AUTOMATIC1111's "model hash" since late 2022: the first ten digits.
std::string short_hash(const std::string& sha256) { return sha256.substr(0, 10); }

/// The path as a word of a shell's command line.
std::string shell_word(const std::string& path) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:@%=";
  if (!path.empty() && path.find_first_not_of(kPlain) == path.npos) return path;
  std::string word = "'";
  for (const char c : path) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

/// The command of the identity with the file's own path in it.
std::string next_command(const Findings& findings) {
  constexpr std::string_view kFile = "FILE";
  std::string command = findings.identity->next;
  if (const std::size_t at = command.find(kFile); at != command.npos)
    command.replace(at, kFile.size(), shell_word(findings.path));
  return command;
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

void add_model(Json& json, const arch::Model& model) {
  json["family"] = model.family;
  json["evidence"] = model.evidence;
  json["prediction"] = model.prediction ? Json(prediction_name(*model.prediction)) : Json(nullptr);
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

Json converted_json(const weights::ConvertedFolder& folder) {
  Json json{{"version", folder.version},
            {"family", folder.family},
            {"prediction", text_or_null(folder.prediction)},
            {"io", folder.io},
            {"weights", folder.weights},
            {"sources", Json::array()},
            {"graphs", Json::array()}};
  for (const weights::ConvertedFolder::Source& source : folder.sources)
    json["sources"].push_back({{"path", source.path}, {"bytes", source.bytes}});
  for (const weights::ConvertedFolder::Graph& graph : folder.graphs) {
    json["graphs"].push_back({{"folder", graph.name},
                              {"compute", graph.compute},
                              {"nodes", graph.nodes},
                              {"weight_bytes", graph.weight_bytes}});
  }
  return json;
}

Json pickle_json(const weights::PickleReport& pickle) {
  Json json{{"devices", pickle.devices},  {"torch_load", Json::array()},
            {"globals", pickle.globals},  {"unknown_classes", pickle.unknown},
            {"dangerous", Json::array()}, {"tensors_elsewhere", pickle.tensors_elsewhere},
            {"notes", pickle.notes}};
  for (const weights::PickleReport::Load& load : pickle.loads)
    json["torch_load"].push_back({{"device", load.device}, {"without_it", load.error}});
  for (const weights::PickleReport::Use& use : pickle.dangerous)
    json["dangerous"].push_back({{"global", use.global}, {"call", text_or_null(use.call)}});
  return json;
}

/// Lines of a title and words.
class Lines {
 public:
  void add(std::string_view title, std::string_view words) {
    text_ += fmt::format("{:<16}{}\n", title, printable(words));
  }
  void add(std::string_view words) { text_ += printable(words) + "\n"; }

  void add_keys(std::string_view title, const std::vector<std::string>& keys) {
    if (keys.empty()) return;
    add(title, fmt::to_string(keys.size()));
    for (std::size_t i = 0; i < std::min(kMostKeys, keys.size()); ++i) add("", shown(keys[i]));
    if (keys.size() > kMostKeys)
      add("", fmt::format("... and {} more (--json lists all)", keys.size() - kMostKeys));
  }

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void add_model(Lines& lines, const arch::Model& model) {
  lines.add("family", fmt::format("{}: {}", model.family, fmt::join(model.evidence, "; ")));
  lines.add(
      "prediction",
      fmt::format("{}: {}", model.prediction ? prediction_name(*model.prediction) : "not known",
                  model.prediction_evidence));
  for (const arch::Component& component : model.components) {
    lines.add(component.name,
              fmt::format("{:.1f} million parameters, {} layout",
                          static_cast<double>(component.parameters) / 1e6, component.layout));
  }
  lines.add_keys("missing", model.missing);
  lines.add_keys("unexpected", model.unexpected);
}

void add_converted(Lines& lines, const weights::ConvertedFolder& folder) {
  lines.add("family", folder.family);
  if (!folder.prediction.empty()) lines.add("prediction", folder.prediction);
  lines.add("names", folder.io);
  for (const weights::ConvertedFolder::Graph& graph : folder.graphs) {
    lines.add(graph.name, fmt::format("{}, {}, {} of weights, {}", graph.compute,
                                      counted(graph.nodes, "node"), human_bytes(graph.weight_bytes),
                                      folder.weights == "link" ? "linked" : "packed"));
  }
  for (const weights::ConvertedFolder::Source& source : folder.sources)
    lines.add("source", fmt::format("{}, {}", source.path, human_bytes(source.bytes)));
}

void add_pickle(Lines& lines, const weights::PickleReport& pickle) {
  for (const weights::PickleReport::Use& use : pickle.dangerous)
    lines.add("dangerous", use.call.empty() ? fmt::format("{} is named", use.global)
                                            : fmt::format("{}: {}", use.global, use.call));
  if (!pickle.devices.empty())
    lines.add("devices", fmt::format("{}", fmt::join(pickle.devices, ", ")));
  for (const weights::PickleReport::Load& load : pickle.loads)
    lines.add("torch.load",
              fmt::format("without {}, and without map_location: {}", load.device, load.error));
  if (!pickle.loads.empty())
    lines.add("", "torch.load(..., map_location=\"cpu\") and sinter read it on any machine");
  lines.add_keys("unknown classes", pickle.unknown);
  if (pickle.tensors_elsewhere != 0)
    lines.add("elsewhere", counted(pickle.tensors_elsewhere, "tensor") + " beside the model's");
  for (const std::string& note : pickle.notes) lines.add("note", note);
}

}  // namespace

Json inspect_json(const Findings& findings) {
  const weights::FileReport& file = findings.file;
  Json json{
      {"path", findings.path}, {"verdict", verdict_name(file.verdict)},
      {"reason", file.reason}, {"format", format_name(file.format)},
      {"bytes", file.bytes},   {"tensors", file.tensors ? Json(*file.tensors) : Json(nullptr)},
      {"dtypes", file.dtypes}, {"architecture", nullptr},
      {"contents", nullptr},   {"warnings", file.warnings}};
  if (!file.hint.empty()) json["hint"] = file.hint;
  if (findings.identity) {
    const arch::Identity& identity = *findings.identity;
    json["architecture"] = text_or_null(identity.architecture);
    json["contents"] = identity.contents;
    json["kind"] = identity.kind;
    json["what"] = identity.sentence;
    if (!identity.purpose.empty()) json["purpose"] = identity.purpose;
    if (identity.vectors > 0) json["vectors"] = identity.vectors;
    json["convertible"] = identity.convertible;
    if (!identity.advice.empty()) json["advice"] = identity.advice;
    if (!identity.next.empty()) json["next"] = next_command(findings);
  }
  // What a program wrote may be any bytes; printing JSON replaces those that are no UTF-8.
  if (file.pickle) json.update(pickle_json(*file.pickle));
  if (findings.model) add_model(json, *findings.model);
  if (findings.adapter) json["adapter"] = summary_json(*findings.adapter);
  if (findings.converted) json["converted"] = converted_json(*findings.converted);
  json["metadata"] = file.metadata;
  if (!findings.sha256.empty())
    json["hash"] = {{"sha256", findings.sha256}, {"automatic1111", short_hash(findings.sha256)}};
  return json;
}

std::string inspect_text(const Findings& findings) {
  const weights::FileReport& file = findings.file;
  Lines lines;
  lines.add(findings.path);
  lines.add("verdict", fmt::format("{}: {}", verdict_name(file.verdict), file.reason));
  lines.add("format", fmt::format("{}, {}", format_name(file.format), human_bytes(file.bytes)));
  if (file.tensors) {
    std::vector<std::string> kinds;
    for (const auto& [dtype, count] : file.dtypes)
      kinds.push_back(fmt::format("{} {}", count, dtype));
    lines.add("tensors", fmt::format("{} ({})", *file.tensors, fmt::join(kinds, ", ")));
  }
  if (file.pickle) add_pickle(lines, *file.pickle);
  if (findings.identity) {
    lines.add("what", findings.identity->sentence);
    if (!findings.identity->purpose.empty()) lines.add("for", findings.identity->purpose);
    if (!findings.identity->advice.empty()) lines.add("use", findings.identity->advice);
    if (!findings.identity->next.empty()) lines.add("next", next_command(findings));
  }
  if (findings.model) add_model(lines, *findings.model);
  if (findings.adapter)
    for (const auto& [title, text] : summary_lines(*findings.adapter)) lines.add(title, text);
  if (findings.converted) add_converted(lines, *findings.converted);
  for (const auto& [key, value] : file.metadata)
    lines.add("metadata", fmt::format("{} = {}", shown(key), shown(value)));
  for (const std::string& warning : file.warnings) lines.add("warning", warning);
  if (!findings.sha256.empty()) {
    lines.add("sha256", findings.sha256);
    lines.add("short hash", fmt::format("{} (AUTOMATIC1111)", short_hash(findings.sha256)));
  }
  if (!file.hint.empty()) lines.add("hint", file.hint);
  return lines.take();
}

}  // namespace sinter::cli
