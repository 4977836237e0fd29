#include "sinter/diagnose/memory/trace_reader.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <utility>

#include "sinter/diagnose/memory/tables.h"

namespace sinter::diagnose::memory {
namespace {

constexpr std::size_t kLongestLine = 4096;  // what is beyond says nothing about memory
constexpr std::size_t kNear = 60;           // lines within which a traceback belongs to its error

struct StageWord {
  Stage stage;
  std::string_view word;
};
// Names of functions, classes and log words that only one stage has; decoding before the rest,
// because its traceback also passes through what drives the sampling.
constexpr std::array kStageWords{
    StageWord{Stage::kDecode, "decode_first_stage"},
    StageWord{Stage::kDecode, "vae.decode"},
    StageWord{Stage::kDecode, "vae decode"},
    StageWord{Stage::kDecode, "vae decoding"},
    StageWord{Stage::kDecode, "vaedecode"},
    StageWord{Stage::kDecode, "vae_decode"},
    StageWord{Stage::kDecode, "decode_latents"},
    StageWord{Stage::kDecode, "decode_latent"},
    StageWord{Stage::kDecode, "decoding latents"},
    StageWord{Stage::kDecode, "autoencoder_kl"},
    StageWord{Stage::kDecode, "first_stage_model.decode"},
    StageWord{Stage::kDecode, "samples_to_images"},
    StageWord{Stage::kDecode, "decode"},
    StageWord{Stage::kTextEncoder, "encode_prompt"},
    StageWord{Stage::kTextEncoder, "text_encoder"},
    StageWord{Stage::kTextEncoder, "text encoder"},
    StageWord{Stage::kTextEncoder, "cliptextencode"},
    StageWord{Stage::kLoad, "load_model"},
    StageWord{Stage::kLoad, "loading stable diffusion model"},
    StageWord{Stage::kLoad, "failed to load"},
    StageWord{Stage::kLoad, "load_state_dict"},
    StageWord{Stage::kLoad, "from_pretrained"},
    StageWord{Stage::kLoad, "from_single_file"},
    StageWord{Stage::kLoad, "loading weights"},
    StageWord{Stage::kLoad, ".to(device)"},
    StageWord{Stage::kLoad, ".to(\"cuda"},
    StageWord{Stage::kLoad, ".to('cuda"},
    StageWord{Stage::kLoad, ".cuda()"},
    StageWord{Stage::kLoad, "loading pipeline components"},
    StageWord{Stage::kLoad, "loading checkpoint shards"},
    StageWord{Stage::kUnet, "unet"},
    StageWord{Stage::kUnet, "denois"},
    StageWord{Stage::kUnet, "apply_model"},
    StageWord{Stage::kUnet, "ksampler"},
    StageWord{Stage::kUnet, "sampling"},
};

struct Refusal {
  std::string_view words;
  bool retried;
};
constexpr std::array kRefusals{
    Refusal{"ran out of memory when regular vae", true},
    Refusal{"cuda out of memory", false},
    Refusal{"hip out of memory", false},
    Refusal{"xpu out of memory", false},
    Refusal{"mps backend out of memory", false},
    Refusal{"outofmemoryerror: allocation on device", false},
    Refusal{"would exceed allowed memory", false},
    Refusal{"cuda error: out of memory", false},
    Refusal{"cuda failure 2: out of memory", false},
    Refusal{"cublas_status_alloc_failed", false},
    Refusal{"failed to allocate memory for requested buffer", false},
    Refusal{"requested amount of gpu memory", false},
    Refusal{"not enough gpu video memory available", false},
    Refusal{"not enough memory, use lower resolution", false},
};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// Without colours, carriage returns and the clock or level that loggers put in front.
std::string cleaned(std::string_view line) {
  static const RE2 colour(R"(\x1b\[[0-9;?]*[A-Za-z])");
  static const RE2 stamp(
      R"(^[\[(]?(?:\d{4}[-/]\d{2}[-/]\d{2}|[A-Z][a-z]{2} +\d{1,2})?[T ]?\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?[\])]?[ \t|:-]*)");
  static const RE2 level(
      R"(^[\[(]?(?:(?:INFO|DEBUG|WARNING|WARN|ERROR)[\])]?\s+(?:-\s+)?|(?:INFO|DEBUG|WARNING|WARN|ERROR|I|W|E)[\])]?(?:[:|]\s*|\s+-\s+|\s{2,})))");
  static const RE2 service(R"(^[\w.-]+ [\w.-]+\[\d+\]: ?|^\w[\w.-]*-\d+\s+\| ?|^\[rank\d+\]: ?)");
  std::string text(line.substr(0, kLongestLine));
  RE2::GlobalReplace(&text, colour, "");
  // A line that was drawn over: what is shown is the last state.
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.pop_back();
  if (const std::size_t over = text.rfind('\r'); over != text.npos) text.erase(0, over + 1);
  RE2::Replace(&text, stamp, "");
  RE2::Replace(&text, service, "");
  RE2::Replace(&text, stamp, "");
  RE2::Replace(&text, level, "");
  return text;
}

std::optional<double> amount(std::string_view line, const RE2& pattern) {
  std::string number;
  std::string unit;
  if (!RE2::PartialMatch(line, pattern, &number, &unit)) return std::nullopt;
  std::erase(number, ',');
  return to_mb(std::strtod(number.c_str(), nullptr), unit_mb(unit));
}

/// A pattern in which @ is an amount: its number and its unit are caught.
std::string with_amount(std::string_view pattern) {
  std::string result(pattern);
  result.replace(result.find('@'), 1, R"(([\d.,]*\d) *([KMGT]?i?B\b|bytes\b)?)");
  return result;
}

/// The numbers of one line about a refused allocation; those that it has not stay as they are.
void read_refusal(std::string_view line, Failure& failure) {
  static const RE2 requested(with_amount(
      R"re((?i)(?:tried to allocate|requested +:|requested buffer of size|attempting to allocate) *@)re"));
  static const RE2 requested_before(with_amount(R"re((?i)requested amount of GPU memory \(@)re"));
  static const RE2 total(
      with_amount(R"re((?i)(?:total capacity of|device limit +:|max allowed:) *@)re"));
  static const RE2 total_before(with_amount(R"re((?i)@ total capacity)re"));
  static const RE2 free_of(with_amount(R"re((?i)of which @ is free)re"));
  static const RE2 free_before(with_amount(R"re((?i)@ free[;,])re"));
  static const RE2 free_said(with_amount(R"re((?i)free \(according to CUDA\): *@)re"));
  static const RE2 allocated_by(with_amount(R"re((?i)@ is allocated by PyTorch)re"));
  static const RE2 allocated_before(with_amount(R"re((?i)@ (?:already|currently) allocated)re"));
  static const RE2 allocated_said(with_amount(R"re((?i)currently allocated +: *@)re"));
  static const RE2 unallocated(with_amount(R"re((?i)@ is reserved by PyTorch but unallocated)re"));
  static const RE2 reserved(with_amount(R"re((?i)@ (?:reserved in total by PyTorch|cached))re"));
  static const RE2 foreign(with_amount(R"re((?i)process \d+ has @ memory in use)re"));
  static const RE2 used(with_amount(R"re((?i)this process has @ memory in use)re"));
  const auto first = [&](std::initializer_list<const RE2*> patterns, std::optional<double>& value) {
    for (const RE2* pattern : patterns)
      if (const auto found = amount(line, *pattern); found && !value) value = found;
  };
  first({&requested, &requested_before}, failure.requested);
  first({&total, &total_before}, failure.figures.total);
  first({&free_of, &free_before, &free_said}, failure.figures.free);
  first({&allocated_by, &allocated_before, &allocated_said}, failure.figures.allocated);
  first({&reserved}, failure.figures.reserved);
  first({&unallocated}, failure.figures.unallocated);
  first({&foreign}, failure.foreign);
  first({&used}, failure.figures.used);
  if (!failure.figures.unallocated && failure.figures.reserved && failure.figures.allocated)
    failure.figures.unallocated = *failure.figures.reserved - *failure.figures.allocated;
}

/// Whether figures with that label were taken before their round; those without a word for it stand
/// at its end.
bool begins_round(std::string_view label) {
  for (const std::string_view word : {"before", "start", "begin", "pre-", "enter"})
    if (has(label, word)) return true;
  return false;
}

}  // namespace

std::string_view stage_name(Stage stage) {
  switch (stage) {
    case Stage::kLoad:
      return "load";
    case Stage::kTextEncoder:
      return "text encoder";
    case Stage::kUnet:
      return "unet";
    case Stage::kDecode:
      return "vae decode";
    case Stage::kUnknown:
      break;
  }
  return "";
}

Stage stage_of(std::string_view words) {
  const std::string text = lower(words);
  for (const StageWord& row : kStageWords)
    if (has(text, row.word)) return row.stage;
  return Stage::kUnknown;
}

struct TraceReader::State {
  Trace trace;
  std::string partial;  // of a line that has not ended
  std::string heading;  // the last line of text, for a table behind it
  SummaryTable summary;
  SmiTable smi;
  MonitorTable monitor;
  CsvRows csv;
  std::optional<double> heading_round;  // of a line "round 6"
  double current = 0;                   // the round that is on
  double prompts = 0;                   // "got prompt"
  Stage near_stage = Stage::kUnknown;   // that the last lines spoke of
  std::size_t near_line = 0;
  bool sampled = false;  // a progress bar has come to its end in this round
  bool begun = false;    // or has begun
  std::string requested_model;
  double held_by_loads = 0;  // when the last model had come

  void take(std::string_view raw);
  bool take_refusal(const std::string& line, const std::string& small);
  bool take_models(const std::string& line, const std::string& small);
  bool take_comfy_models(const std::string& line, const std::string& small);
  bool take_announced(const std::string& line);
  void take_wanted(const std::string& line, Failure& failure);
  void load(const std::string& name, std::optional<double> mb, bool complete);
  void take_round(const std::string& small);
  void take_figures(const std::string& line);
  void add(Sample sample);
  bool join(const Sample& sample);  // to the one above, when each says what the other does not
  Stage stage_here(const std::string& small) const;
  void unload(std::string_view name);
};

Stage TraceReader::State::stage_here(const std::string& small) const {
  if (const Stage own = stage_of(small); own != Stage::kUnknown) return own;
  if (near_stage != Stage::kUnknown && trace.lines - near_line <= kNear) return near_stage;
  if (sampled) return Stage::kDecode;
  return begun ? Stage::kUnet : Stage::kUnknown;
}

bool TraceReader::State::take_refusal(const std::string& line, const std::string& small) {
  if (!trace.failures.empty() && trace.lines - trace.failures.back().line < 8) {
    // The numbers may stand below, one a line.
    read_refusal(line, trace.failures.back());
  }
  const auto* row = std::ranges::find_if(
      kRefusals, [&](const Refusal& refusal) { return has(small, refusal.words); });
  if (row == kRefusals.end()) return false;
  // The same refusal is often printed twice, by who caught it and by who passed it on.
  if (!trace.failures.empty() && !row->retried && !trace.failures.back().retried &&
      trace.lines - trace.failures.back().line < kNear && trace.failures.back().round == current) {
    read_refusal(line, trace.failures.back());
    return true;
  }
  Failure failure{.line = trace.lines,
                  .text = line.substr(0, 200),
                  .retried = row->retried,
                  .headed = heading_round.has_value(),
                  .round = current,
                  .stage = {},
                  .requested = {},
                  .foreign = {},
                  .figures = {}};
  const std::string before = small.substr(0, small.find(row->words));
  failure.stage = row->retried ? Stage::kDecode : stage_here(before);
  take_wanted(line, failure);
  read_refusal(line, failure);
  if (failure.figures.total) trace.total = failure.figures.total;
  trace.failures.push_back(std::move(failure));
  return true;
}

void TraceReader::State::unload(std::string_view name) {
  for (Load& load : trace.loads)
    if (name.empty() || load.name == name) load.unloaded = true;
}

void TraceReader::State::load(const std::string& name, std::optional<double> mb, bool complete) {
  std::erase_if(trace.loads, [&](const Load& other) { return other.name == name; });
  trace.loads.push_back({trace.lines, name, mb, complete, false});
}

bool TraceReader::State::take_comfy_models(const std::string& line, const std::string& small) {
  static const RE2 requested(R"(Requested to load (\S+))");
  static const RE2 loaded(
      R"(loaded (completely|partially)[;:]? +([\d.]+)(?: MB usable,)? +([\d.]+)( MB loaded)?)");
  static const RE2 forge(R"(Target: (\w+), Free GPU: ([\d.]+) MB, Model Require: ([\d.]+) MB)");
  static const RE2 invoke(
      R"(Loaded model '([^']+)' onto \w+ device .*Total model size: ([\d.]+)MB, VRAM: ([\d.]+)MB)");
  std::string name, word, free, size, unit;
  if (RE2::PartialMatch(line, invoke, &name, &size, &free)) {
    const double present = std::strtod(free.c_str(), nullptr);
    load(name, present, present >= 0.99 * std::strtod(size.c_str(), nullptr));
    return true;
  }
  if (RE2::PartialMatch(line, requested, &requested_model)) {
    load(requested_model, std::nullopt, false);
    return true;
  }
  if (RE2::PartialMatch(line, loaded, &word, &free, &size, &unit)) {
    for (Load& row : trace.loads) {
      if (row.name != requested_model) continue;
      row.complete = word == "completely";
      row.mb = std::strtod(size.c_str(), nullptr);
    }
    return true;
  }
  if (RE2::PartialMatch(line, forge, &name, &free, &size)) {
    load(name, std::strtod(size.c_str(), nullptr), !has(small, "swap"));
    return true;
  }
  if (has(small, "unloading models") || has(small, "unload all models") ||
      (has(small, "[unload]") && has(small, "done"))) {
    unload("");
    return true;
  }
  return false;
}

/// "loaded model NAME on cuda, allocated 12.7 GB": a model that came, and what is held then.
bool TraceReader::State::take_announced(const std::string& line) {
  static const RE2 came(
      R"re((?i)^\W*(?:loaded|loading|moved|moving|placed|put|sent)\s+(?:(?:the\s+)?(?:model|checkpoint|pipeline|network)\s+)?['"]?([\w./\\-]+?)['"]?\s+(?:model\s+)?(?:on|onto|to|into|in)\s+(?:the\s+)?(?:cuda|gpu|device|vram)\b(?::\d+)?(.*))re");
  static const RE2 is_there(
      R"re((?i)^\W*(?:model\s+)?['"]?([\w./\\-]+?)['"]?\s+(?:(?:was|is|has been)\s+)?(?:loaded|moved|placed)\s+(?:on|onto|to|into)\s+(?:the\s+)?(?:cuda|gpu|device|vram)\b(?::\d+)?(.*))re");
  static const RE2 chinese(
      R"re((?i)^\W*(?:已经?)?(?:加载|载入)(?:模型|检查点)?[\s：:'"]*([\w./\\-]+?)['"]?\s*(?:到|至|进)\s*(?:cuda|gpu|显存|设备)(?::\d+)?(.*))re");
  static const RE2 size(R"((?i)([\d.]+) ?([MG]i?B)\b)");
  std::string name, rest, number, unit;
  if (!RE2::FullMatch(line, came, &name, &rest) && !RE2::FullMatch(line, is_there, &name, &rest) &&
      !RE2::FullMatch(line, chinese, &name, &rest))
    return false;
  Sample sample{
      .line = trace.lines, .label = {}, .round = heading_round, .device = 0, .figures = {}};
  sample.figures = figures_in(rest, sample.label);
  if (sample.figures.total && !trace.total) trace.total = sample.figures.total;
  const Figures& f = sample.figures;
  const auto held = f.allocated ? f.allocated : f.used ? f.used : f.reserved;
  if (!held) {
    const bool sized = RE2::PartialMatch(rest, size, &number, &unit);
    load(name,
         sized ? std::optional(to_mb(std::strtod(number.c_str(), nullptr), unit_mb(unit)))
               : std::nullopt,
         true);
    return true;
  }
  // A model that comes again and again is a round; the first time it is none.
  sample.loading = std::ranges::find(trace.loads, name, &Load::name) == trace.loads.end();
  const double own = *held - held_by_loads;
  load(name, own > 0 ? std::optional(own) : std::nullopt, true);
  held_by_loads = *held;
  sample.label = "loaded " + name;
  trace.samples.push_back(std::move(sample));
  return true;
}

/// "out of memory loading NAME": the model that found no room.
void TraceReader::State::take_wanted(const std::string& line, Failure& failure) {
  static const RE2 wanted(
      R"re((?i)out of memory\W+(?:(?:while|when|on|during)\s+)?(?:loading|moving|placing)\s+(?:(?:the\s+)?(?:model|checkpoint|network)\s+)?['"]?([\w./\\-]*[\w-]))re");
  std::string name;
  if (!RE2::PartialMatch(line, wanted, &name)) return;
  failure.stage = Stage::kLoad;
  load(name, std::nullopt, false);
}

/// Returns whether the line says nothing else.
bool TraceReader::State::take_models(const std::string& line, const std::string& small) {
  static const RE2 weights(R"(Loading weights \[\w+\] from (.+))");
  static const RE2 resident(
      R"((?i)(?:models? )?resident(?: models?| on gpu| in vram)?\s*[:=]\s*(.+))");
  static const RE2 sized(
      R"((?i)^\W*(?:loaded|loading|moved|moving)\s+([\w .+/-]+?)\s+(?:to (?:cuda|gpu|device)\S*\s*)?[(:,=]*\s*(?:\+|took|using|needs|size)?\s*([\d.]+) ?([MG]i?B)\b)");
  static const RE2 bare(
      R"((?i)^\W*loading (?:model |checkpoint )?([\w./\\-]+)(?: (?:on|in)?to (?:cuda|gpu|device)\S*)?(?: ?\.\.\.)?$)");
  static const RE2 offloaded(
      R"((?i)(?:unload(?:ed|ing)|offload(?:ed|ing)|moved)\s+([\w.-]+)(?:\s+to (?:the )?(?:cpu|ram))?\s*$)");
  if (take_comfy_models(line, small) || take_announced(line)) return true;
  std::string name, list, size, unit;
  if (RE2::PartialMatch(line, resident, &list)) {
    static const RE2 item(R"(([\w.+-]+)[ :=]+([\d.]+) ?([KMG]i?B))");
    re2::StringPiece rest(list);
    // What is not in the list has left; what found no room has not come.
    for (Load& load_row : trace.loads)
      if (load_row.complete) load_row.unloaded = true;
    while (RE2::FindAndConsume(&rest, item, &name, &size, &unit))
      load(name, to_mb(std::strtod(size.c_str(), nullptr), unit_mb(unit)), true);
    return true;
  }
  if (RE2::PartialMatch(line, offloaded, &name)) {
    unload(name);
    return true;
  }
  if (RE2::PartialMatch(line, sized, &name, &size, &unit)) {
    load(name, to_mb(std::strtod(size.c_str(), nullptr), unit_mb(unit)), true);
    return true;
  }
  if (RE2::PartialMatch(line, weights, &name) || RE2::PartialMatch(line, bare, &name))
    load(name, std::nullopt, false);
  return false;
}

void TraceReader::State::take_round(const std::string& small) {
  static const RE2 numbered(
      R"(^[\W_]*(?:(?:start(?:ing)?|begin|processing|generating|generate|running|run|after|before|end of|finished|done)\W+)*(?:round|iter(?:ation)?|image|img|epoch|batch|prompt|generation|gen|loop|sample|picture|frame|job|request|run)\b[ #:=_-]*(\d+)\b)");
  static const RE2 bar(R"((\d{1,3})%\|)");
  double number = 0;
  int percent = 0;
  if (has(small, "got prompt")) {
    current = ++prompts;
    sampled = begun = false;
  } else if (RE2::PartialMatch(small, numbered, &number)) {
    heading_round = number;
    const bool ends = has(small.substr(0, small.size() / 2 + 8), "after") ||
                      has(small, "finished") || has(small, "end of");
    const double now = ends ? number + 1 : number;
    if (now > current) {
      current = now;
      sampled = begun = false;
    }
  }
  // Bars of loading are no rounds.
  if (RE2::PartialMatch(small, bar, &percent) && !has(small, "load") && !has(small, "fetch")) {
    begun = true;
    sampled = percent == 100;
    if (prompts == 0 && !heading_round && current == 0) current = 1;
  }
  if (has(small, "prompt executed in") || has(small, "time taken:")) {
    if (prompts == 0) current = std::max(current, 1.0) + 1;
    sampled = begun = false;
  }
}

void TraceReader::State::add(Sample sample) {
  if (sample.figures.total) trace.total = sample.figures.total;
  const std::vector<double> numbers = numbers_in(sample.label);
  if (!numbers.empty() && numbers.front() < 1e6) {
    const bool ends = !begins_round(lower(sample.label));
    const double now = ends ? numbers.front() + 1 : numbers.front();
    if (stage_of(sample.label) == Stage::kUnknown && now > current && (!heading_round || ends)) {
      current = now;
      sampled = begun = false;
    }
  }
  if (!sample.round) sample.round = heading_round;
  trace.samples.push_back(std::move(sample));
}

void TraceReader::State::take_figures(const std::string& line) {
  Sample sample{.line = trace.lines, .label = {}, .round = {}, .device = 0, .figures = {}};
  sample.figures = figures_in(line, sample.label);
  if (sample.figures.total && !trace.total) trace.total = sample.figures.total;
  if (sample.figures.sample() && !join(sample)) add(std::move(sample));
}

bool TraceReader::State::join(const Sample& sample) {
  if (trace.samples.empty() || trace.samples.back().line + 2 < sample.line) return false;
  Sample& last = trace.samples.back();
  Figures& have = last.figures;
  const Figures& more = sample.figures;
  if (shape_of(last.label) != shape_of(sample.label) || last.round != heading_round) return false;
  if ((have.allocated && more.allocated) || (have.reserved && more.reserved) ||
      (have.used && more.used))
    return false;
  if (more.allocated) have.allocated = more.allocated;
  if (more.reserved) have.reserved = more.reserved;
  if (more.used) have.used = more.used;
  if (more.peak) have.peak = more.peak;
  return true;
}

void TraceReader::State::take(std::string_view raw) {
  ++trace.lines;
  const std::string line = cleaned(raw);
  if (summary.take(line, trace.lines)) {
    if (auto sample = summary.ended()) {
      sample->label = heading;
      add(*std::move(sample));
    }
    return;
  }
  if (auto sample = smi.take(line, trace.lines)) {
    add(*std::move(sample));
    return;
  }
  if (auto sample = monitor.take(raw.substr(0, kLongestLine), trace.lines)) {
    add(*std::move(sample));
    return;
  }
  if (csv.take(raw.substr(0, kLongestLine), trace.lines, trace.samples)) return;
  const std::string small = lower(line);
  take_round(small);
  if (!take_refusal(line, small) && !take_models(line, small)) {
    const std::size_t since =
        trace.failures.empty() ? kNear : trace.lines - trace.failures.back().line;
    if (since >= 8 || !has(small, ":")) take_figures(line);
    const Stage stage = stage_of(small);
    const bool traceback = has(small, "file \"") || since < kNear;
    if (stage != Stage::kUnknown) {
      near_stage = stage;
      near_line = trace.lines;
      // A traceback printed below its error.
      if (traceback && since < kNear && trace.failures.back().stage == Stage::kUnknown &&
          has(small, "file \""))
        trace.failures.back().stage = stage;
    } else if (has(small, "100%|")) {
      near_stage = Stage::kUnknown;
    }
  }
  if (!line.empty()) heading = line;
}

TraceReader::TraceReader() : state_(std::make_unique<State>()) {}
TraceReader::~TraceReader() = default;

void TraceReader::feed(std::string_view piece) {
  for (std::size_t at = 0; at < piece.size();) {
    const std::size_t end = piece.find('\n', at);
    const std::size_t stop = std::min(end, piece.size());
    // Of an endless line the beginning is enough.
    if (state_->partial.size() < kLongestLine) state_->partial.append(piece.substr(at, stop - at));
    if (end == piece.npos) return;
    state_->take(state_->partial);
    state_->partial.clear();
    at = end + 1;
  }
}

Trace TraceReader::finish() {
  if (!state_->partial.empty()) state_->take(state_->partial);
  if (auto sample = state_->summary.ended()) {
    sample->label = state_->heading;
    state_->add(*std::move(sample));
  }
  state_->csv.finish(state_->trace.samples);
  state_->trace.rounds = state_->current;
  for (const Sample& sample : state_->trace.samples)
    if (sample.figures.total) state_->trace.total = sample.figures.total;
  return std::move(state_->trace);
}

}  // namespace sinter::diagnose::memory
