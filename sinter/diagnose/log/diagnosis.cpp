#include "sinter/diagnose/log/diagnosis.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "sinter/diagnose/log/component.h"
#include "sinter/diagnose/log/decoder.h"
#include "sinter/diagnose/log/devices.h"
#include "sinter/diagnose/log/excerpt.h"
#include "sinter/diagnose/log/finding.h"
#include "sinter/diagnose/log/numbers.h"
#include "sinter/diagnose/log/unknown.h"

namespace sinter::diagnose::log {
namespace {

constexpr std::size_t kEvidenceBytes = 400;
constexpr std::size_t kMostEvidence = 6;

struct DomainRow {
  Domain domain;
  std::string_view component;  // where it is when nothing tells
  bool always;                 // whatever the stack says
};

// Where faults of a domain are as a rule.
constexpr std::array kPlaces{
    DomainRow{Domain::kDependency, "env", true},
    DomainRow{Domain::kModel, "loader", false},
    DomainRow{Domain::kTensorRtBuild, "builder", true},
    DomainRow{Domain::kTensorRtRuntime, "runtime", false},
    DomainRow{Domain::kOnnxRuntimeProvider, "runtime", false},
    DomainRow{Domain::kTokenizerConfig, "loader", false},
    DomainRow{Domain::kOutput, "output", true},
};

// What an operator usually belongs to in Stable Diffusion, where no stack says more.
struct ModuleRow {
  std::string_view operation;
  std::string_view component;
};
constexpr std::array kModules{
    ModuleRow{"index_select", "text encoder"},
    ModuleRow{"embedding", "text encoder"},
    ModuleRow{"cat", "unet"},
    // The first norm that a prompt meets.
    ModuleRow{"layer_norm", "text encoder"},
    ModuleRow{"upsample_nearest2d", "unet"},
    ModuleRow{"aten::scaled_dot_product_attention", "unet"},
    ModuleRow{"scaled_dot_product_attention", "unet"},
    ModuleRow{"xformers_flash::flash_fwd", "unet"},
    ModuleRow{"xformers::efficient_attention_forward_cutlass", "unet"},
};

std::string_view captured(const Match& match, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (const std::string_view text = match.capture(name); !text.empty()) return text;
  return {};
}

/// What the message says, with all of its lines: keys and classes in them name the part.
std::string whole_message(const LogParts& parts, const Finding& finding) {
  std::string text = finding.text;
  if (!finding.in_message) {
    // A list below its heading is indented.
    for (std::size_t i = finding.record + 1;
         i < parts.records.size() && text.size() < 4000 && text.ends_with(':'); ++i) {
      for (; i < parts.records.size() && text.size() < 4000 && parts.records[i].indent() >= 2 &&
             !parts.records[i].blank();
           ++i)
        text += "\n" + parts.records[i].text;
    }
    return text;
  }
  const Exception& exception = parts.exceptions[static_cast<std::size_t>(finding.exception)];
  text = exception.type + ": " + exception.message;
  for (std::size_t i = exception.record + 1; i <= exception.last_record && text.size() < 4000; ++i)
    text += "\n" + parts.records[i].text;
  return text;
}

bool fault_is_full(const Finding& finding) {
  return finding.match.pattern != nullptr && finding.match.pattern->cause == "filesystem-full";
}

/// Saving and loading calls of a stack, for faults of files. A disk fills when something is saved.
std::string_view direction_of(const LogParts& parts, const Finding& finding) {
  static const RE2 kSaves(
      R"(torch\.save|save_pretrained|save_file|safe_save|write_record|_write_file|\.save\(|save_image|save_images|save_weights|makedirs|serialize_file|_save\(|save_\w*checkpoint|write_video|imwrite|export_to_)");
  static const RE2 kLoads(
      R"(torch\.load|load_file|safe_open|from_pretrained|load_state_dict|load_checkpoint|load_model|from_single_file|InferenceSession|open_zipfile_reader|hf_hub_download|snapshot_download|download_url|http_get)");
  static const RE2 kSaving(R"((?i)while serializing|failed writing|saving|file write failed)");
  if (RE2::PartialMatch(finding.text, kSaving)) return "output";
  if (finding.exception < 0) return fault_is_full(finding) ? "output" : "";
  const auto& frames = parts.exceptions[static_cast<std::size_t>(finding.exception)].frames;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (RE2::PartialMatch(frame->source, kSaves)) return "output";
    if (RE2::PartialMatch(frame->function, kSaves)) return "output";
    if (RE2::PartialMatch(frame->source, kLoads)) return "loader";
  }
  return {};
}

struct WeightRow {
  std::string_view shape;  // of a weight in a message, as a pattern
  std::string_view component;
};

// Shapes that only one kind of network has. Sources: the configurations of the families.
constexpr std::array kWeights{
    WeightRow{R"(\[(?:320|192|128), ?(?:4|5|7|8|9|12|13|16), ?[13], ?[13]\])", "unet"},
    WeightRow{R"(\[128, ?3, ?3, ?3\]|\[(?:512|384), ?(?:4|16), ?3, ?3\])", "vae"},
    WeightRow{R"(\[16, ?3, ?3, ?3\])", "controlnet"},
    // To keys and values of cross-attention; the vector beside the time embedding.
    WeightRow{R"(\b(?:768|1024|2048)x(?:320|640|1280)\b|\b2816x1280\b)", "unet"},
};

std::string_view component_of_weight(const Finding& finding) {
  const Pattern* pattern = finding.match.pattern;
  if (pattern == nullptr || pattern->reading != Reading::kChannels) return {};
  const std::string shape = std::string(finding.match.capture("y"));
  for (const WeightRow& row : kWeights) {
    const RE2 expression(re2::StringPiece(row.shape.data(), row.shape.size()));
    if (RE2::PartialMatch(shape.find('x') == shape.npos ? "[" + shape + "]" : shape, expression))
      return row.component;
  }
  return {};
}

/// Shapes that met while the network ran, not while its file was read.
bool met_at_work(const Fault& fault) {
  return fault.operation != "load_state_dict" &&
         (fault.cause == "model-shapes" || fault.cause == "model-channels");
}

/// A context of SDXL (2048) that meets layers for SD 1.x or 2.x: those are of a part beside the
/// UNet, which would have made the context itself.
bool meets_wider_context(const Finding& finding) {
  if (finding.match.pattern == nullptr || finding.match.pattern->reading != Reading::kChannels)
    return false;
  static const RE2 kContext(R"(^\d+x2048$)");
  static const RE2 kLayer(R"(^(?:768|1024)x\d+$)");
  return RE2::FullMatch(std::string(finding.match.capture("x")), kContext) &&
         RE2::FullMatch(std::string(finding.match.capture("y")), kLayer);
}

/// What the program said last that it was doing, where a crash says nothing itself.
bool was_building_engine(const LogParts& parts, const Finding& finding) {
  constexpr std::size_t kLines = 8;
  static const RE2 kBuilding(
      R"((?i)\bbuilding (?:a |the )?(?:tensorrt |trt )?engine|buildSerializedNetwork|build_serialized_network|builder\.build_|\[TRT\].*(?:tactic|timing|autotun)|=== Build)");
  const std::size_t end = finding.record > kLines ? finding.record - kLines : 0;
  for (std::size_t i = finding.record; i-- > end;)
    if (RE2::PartialMatch(parts.records[i].text, kBuilding)) return true;
  return false;
}

/// A part that later lines name, which say that in vain something else was looked for.
std::string_view component_in_consequences(const LogParts& parts, const Finding& finding) {
  for (const std::size_t record : finding.also)
    if (const auto name = component_in_message(parts.records[record].text); !name.empty())
      return name;
  return {};
}

/// The clues from the surest to the weakest: what the rule knows, what the message names, whose
/// code raised it, what the operator usually belongs to, what stood in the log before.
std::string component_of(const LogParts& parts, const Finding& finding, const Fault& fault) {
  const Pattern* pattern = finding.match.pattern;
  if (pattern != nullptr && !pattern->component.empty()) return std::string(pattern->component);
  if (!fault.component.empty()) return fault.component;
  const auto row = std::find_if(kPlaces.begin(), kPlaces.end(), [&](const DomainRow& place) {
    return place.domain == fault.domain;
  });
  if (row != kPlaces.end() && row->always) return std::string(row->component);
  if (fault.domain == Domain::kFilesystem) {
    const std::string_view direction = direction_of(parts, finding);
    const std::string_view named = component_in_path(finding.text);
    if (direction != "output" && !named.empty()) return std::string(named);
    return direction.empty() ? "env" : std::string(direction);
  }
  if (fault.cause == "code-crash" && was_building_engine(parts, finding)) return "builder";
  const bool session =
      fault.domain == Domain::kTensorRtRuntime || fault.domain == Domain::kOnnxRuntimeProvider;
  if (session) {
    if (const auto name = component_of_input(fault.argument); !name.empty())
      return std::string(name);
  }
  if (fault.domain == Domain::kModel || fault.domain == Domain::kTensorRtRuntime ||
      fault.domain == Domain::kOnnxExport || fault.domain == Domain::kTokenizerConfig ||
      fault.domain == Domain::kOnnxRuntimeProvider) {
    if (const auto name = component_in_message(whole_message(parts, finding)); !name.empty())
      return std::string(name);
  }
  Component place;
  if (finding.exception >= 0)
    place = component_in_stack(parts.exceptions[static_cast<std::size_t>(finding.exception)]);
  if (place.sure) return std::string(place.name);
  if (meets_wider_context(finding)) return "controlnet";
  if (const auto name = component_of_weight(finding); !name.empty()) return std::string(name);
  for (const ModuleRow& module : kModules)
    if (fault.operation == module.operation) return std::string(module.component);
  // A value that the code got wrong is in none of the parts that its callers prepare.
  if (!place.name.empty() && fault.domain != Domain::kUserCode) return std::string(place.name);
  // A pipeline that was put on the CPU whole fails at its first matrix product: the prompt's.
  if (fault.cause == "precision-half-on-cpu" && fault.operation == "addmm") return "text encoder";
  if (const auto name = component_in_message(finding.text); !name.empty()) return std::string(name);
  static const RE2 kLoading(
      R"((?i)could not be loaded|(?:failed|unable|error) (?:to )?load(?:ing)? (?:the )?(?:\S+ )?(?:model|checkpoint|weights))");
  if (RE2::PartialMatch(finding.text, kLoading)) return "loader";
  if (const auto name = component_in_context(parts.records, finding.record); !name.empty())
    return std::string(name);
  if (const auto name = component_in_consequences(parts, finding); !name.empty())
    return std::string(name);
  if (row != kPlaces.end() && !met_at_work(fault)) return std::string(row->component);
  return fault.cause.starts_with("host-") ? "loader" : "unknown";
}

Evidence evidence_of(const Record& record) {
  std::string text = record.text;
  text.erase(0, record.indent());
  if (text.size() > kEvidenceBytes) {
    std::size_t end = kEvidenceBytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
    text.resize(end);
    text += "...";
  }
  return {record.first_line, std::move(text)};
}

bool is_library(const std::string& path) {
  static const RE2 kLibrary(R"(site-packages|dist-packages|<frozen|[/\\]lib[/\\]python\d|\.nuget)");
  return RE2::PartialMatch(path, kLibrary);
}

/// The message, what repeats or foretells it, and the innermost call that is not a library's.
void add_evidence(const LogParts& parts, const Finding& finding, Fault& fault) {
  std::vector<std::size_t> records = finding.also;
  if (finding.in_message) {
    const Exception& exception = parts.exceptions[static_cast<std::size_t>(finding.exception)];
    records.insert(records.begin(), exception.record);
  }
  records.insert(records.begin(), finding.record);
  if (finding.exception >= 0) {
    const auto& frames = parts.exceptions[static_cast<std::size_t>(finding.exception)].frames;
    const auto own = std::find_if(frames.rbegin(), frames.rend(),
                                  [](const Frame& frame) { return !is_library(frame.path); });
    if (own != frames.rend()) {
      records.push_back(own->record);
      if (own->source_record != own->record) records.push_back(own->source_record);
    }
  }
  std::vector<std::size_t> unique;
  for (const std::size_t record : records) {
    if (unique.size() >= kMostEvidence) break;
    if (std::find(unique.begin(), unique.end(), record) == unique.end()) unique.push_back(record);
  }
  std::sort(unique.begin(), unique.end());
  for (const std::size_t record : unique)
    fault.evidence.push_back(evidence_of(parts.records[record]));
}

/// The library call that the stack ends in, for faults of files and graphs; the kernel that an
/// assertion on the GPU names.
void add_call(const LogParts& parts, const Finding& finding, Fault& fault) {
  static const RE2 kGather(R"(ScatterGatherKernel\.cu)");
  static const RE2 kSelect(R"(indexSelect\w*|Indexing\.cu)");
  static const RE2 kIndex(R"(IndexKernel\.cu)");
  if (fault.cause == "code-device-assert") {
    fault.operation = RE2::PartialMatch(finding.text, kGather)   ? "gather"
                      : RE2::PartialMatch(finding.text, kSelect) ? "index_select"
                      : RE2::PartialMatch(finding.text, kIndex)  ? "index"
                                                                 : fault.operation;
    if (!fault.operation.empty()) fault.argument = "index";
    return;
  }
  const bool files = fault.domain == Domain::kFilesystem || fault.domain == Domain::kModel;
  const bool graphs = fault.domain == Domain::kOnnxExport || fault.domain == Domain::kDependency;
  if (finding.exception < 0 || (!files && !graphs)) return;
  static const RE2 kFiles(
      R"(\b(torch\.save|torch\.load|pickle\.load|safe_open|InferenceSession|np\.load|save_pretrained|from_single_file)\()");
  static const RE2 kGraphs(
      R"(\b(torch\.onnx\.export|onnx\.checker\.check_model|onnx\.load|InferenceSession)\()");
  if (graphs && !fault.operation.empty()) return;
  const auto& frames = parts.exceptions[static_cast<std::size_t>(finding.exception)].frames;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (RE2::PartialMatch(frame->source, files ? kFiles : kGraphs, &fault.operation)) return;
  }
  // The call itself may be cut off, and only its inside be left.
  static const RE2 kWriter(R"(write_record|_write_file|PyTorchFileWriter)");
  const bool writes = std::any_of(frames.begin(), frames.end(), [](const Frame& frame) {
    return RE2::PartialMatch(frame.source, kWriter);
  });
  if (files && fault.operation.empty() && writes) fault.operation = "torch.save";
}

Fault explain(const LogParts& parts, const Finding& finding) {
  Fault fault;
  const Pattern* pattern = finding.match.pattern;
  const Cause& cause = cause_of(
      pattern != nullptr ? pattern->cause
      : !finding.guess.empty()
          ? finding.guess
          : cause_of_unknown(parts.exceptions[static_cast<std::size_t>(finding.exception)]));
  fault.cause = cause.id;
  fault.domain = cause.domain;
  fault.root_exception = root_text(parts, finding);
  fault.meaning = {std::string(cause.meaning.english), std::string(cause.meaning.chinese)};
  for (const Text& fix : cause.fixes)
    if (!fix.english.empty()) fault.fixes.push_back(fix);
  fault.confirm = cause.confirm;
  if (pattern != nullptr) {
    fault.operation = operator_name(captured(finding.match, {"op", "op2", "op3"}));
    if (fault.operation.empty()) fault.operation = pattern->operation;
    fault.argument = captured(finding.match, {"arg", "arg2", "arg3", "arg4", "arg5", "arg6"});
    if (fault.argument.empty()) fault.argument = pattern->argument;
    fault.side = pattern->side;
    if (pattern->reading == Reading::kDevices || pattern->reading == Reading::kTypes)
      read_devices(parts, finding, fault);
    read_numbers(finding, fault);
  }
  add_call(parts, finding, fault);
  while (fault.argument.ends_with('.')) fault.argument.pop_back();
  fault.component = component_of(parts, finding, fault);
  add_evidence(parts, finding, fault);
  return fault;
}

}  // namespace

struct LogReader::State {
  Decoder decoder;
  Excerpt excerpt;
};

LogReader::LogReader() : state_(std::make_unique<State>()) {}
LogReader::~LogReader() = default;

void LogReader::feed(std::string_view bytes) { state_->excerpt.add(state_->decoder.decode(bytes)); }

Diagnosis LogReader::finish() {
  LogParts parts;
  parts.records = read_records(state_->excerpt.finish());
  parts.exceptions = read_tracebacks(parts.records);
  Diagnosis diagnosis;
  diagnosis.lines = state_->excerpt.lines_read();
  for (const Finding& finding : independent(parts, find_all(parts)))
    diagnosis.faults.push_back(explain(parts, finding));
  return diagnosis;
}

Diagnosis diagnose_log(std::string_view text) {
  LogReader reader;
  reader.feed(text);
  return reader.finish();
}

}  // namespace sinter::diagnose::log
