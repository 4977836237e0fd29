#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sinter/lint/library/library.h"
#include "sinter/lint/library/torch/torch_library.h"
#include "sinter/lint/values/containers.h"

namespace sinter::lint {
namespace {

constexpr double kOldestOpset = 17;  // the first with LayerNormalization

/// Where a value is changed: the constant that it comes from, else the argument.
Place place_of(const Argument& argument, const Place& call) {
  if (argument.value->place.known()) return argument.value->place;
  return argument.expr != nullptr ? argument.expr->place : call;
}

/// The inputs of the exported model in order: positional ones, then named ones.
std::vector<Argument> example_inputs(const Invocation& call) {
  std::vector<Argument> all;
  const Value given = call.get(1, "args");
  if (const auto* several = as<Sequence>(given); several && several->type != Sequence::Type::kSet) {
    for (const Value& item : several->items) all.push_back({"", item, nullptr});
    if (auto* last = all.empty() ? nullptr : as<Dict>(all.back().value)) {
      std::vector<Argument> named;
      for (auto& [name, value] : last->entries.all()) named.push_back({name, value, nullptr});
      all.pop_back();
      all.insert(all.end(), named.begin(), named.end());
    }
  } else if (given && !as<None>(given)) {
    all.push_back({"", given, nullptr});
  }
  if (auto* named = as<Dict>(call.named("kwargs")))
    for (auto& [name, value] : named->entries.all()) all.push_back({name, value, nullptr});
  return all;
}

bool inputs_known(const Invocation& call) {
  const Value given = call.get(1, "args");
  if (!given || as<Unknown>(given) || call.splat) return false;
  const auto* several = as<Sequence>(given);
  return !several || !several->open;
}

std::optional<std::vector<std::string>> names_of(const Value& value) {
  const auto* several = as<Sequence>(value);
  if (several == nullptr || several->open) return std::nullopt;
  std::vector<std::string> all;
  for (const Value& item : several->items) {
    const auto* word = as<Text>(item);
    if (word == nullptr || !word->exact()) return std::nullopt;
    all.push_back(word->text);
  }
  return all;
}

void check_model(Interpreter& in, const Invocation& call) {
  const auto* module = as<Module>(call.get(0, "model"));
  if (module && module->training)
    in.report(
        Rule::kExportNotEval, call.place,
        "the model is exported in training mode; the dynamo exporter then writes Dropout nodes");
  const bool trainable = !module || module->trainable;
  if (in.gradients_on() && trainable)
    in.report(Rule::kExportGradEnabled, call.place,
              "there is no torch.no_grad() around the export");
  if (!in.state.autocast.empty())
    in.report(
        Rule::kExportUnderAutocast, in.state.autocast.back(),
        "autocast writes Cast nodes around every product; export the half precision model itself",
        {}, call.place);
}

void check_settings(Interpreter& in, const Invocation& call) {
  if (const Argument* opset = call.find(Invocation::kNowhere, "opset_version")) {
    const auto* digits = as<Number>(opset->value);
    if (digits && digits->value && *digits->value < kOldestOpset) {
      Edit edit;
      if (opset->expr && opset->expr->kind == ExprKind::kNumber)
        edit = {.replacements = {{opset->expr->place.begin, opset->expr->place.end, "17"}},
                .safe = true};
      in.report(Rule::kExportOpsetTooLow, place_of(*opset, call.place),
                fmt::format("opset {} has no LayerNormalization; it is broken into primitive nodes",
                            *digits->value),
                edit, call.place);
    }
  }
  if (const Argument* folding = call.find(Invocation::kNowhere, "do_constant_folding")) {
    if (in.truth(folding->value) == std::optional(false)) {
      Edit edit;
      if (folding->expr && folding->expr->kind == ExprKind::kFalse)
        edit = {.replacements = {{folding->expr->place.begin, folding->expr->place.end, "True"}},
                .safe = true};
      in.report(Rule::kExportConstantFoldingOff, place_of(*folding, call.place),
                "constants stay as nodes and have to be folded before an engine is built", edit,
                call.place);
    }
  }
  check_output_path(in, call.get(2, "f"), call.place);
}

/// Whether a list of axes names the first one.
bool has_axis(const Value& axes, std::string_view axis) {
  if (auto* dict = as<Dict>(axes)) return dict->entries.find(axis) != nullptr;
  const auto* several = as<Sequence>(axes);
  return several &&
         std::any_of(several->items.begin(), several->items.end(), [&](const Value& item) {
           const auto* digits = as<Number>(item);
           return digits && digits->value && fmt::format("{}", *digits->value) == axis;
         });
}

bool is_optional_size(const Facts& facts) {
  // Without a dimension, or of one element: the same for every batch.
  if (facts.shape.maybe_scalar()) return true;
  if (!facts.shape.dims) return false;
  return facts.shape.dims->size() == 1 &&
         facts.shape.dims->front().extent == std::optional<std::int64_t>(1);
}

/// Pictures and latents of one model grow together.
std::string fixed_size(Dict* axes, const std::vector<Argument>& inputs,
                       const std::vector<std::string>& names) {
  std::string varies;
  std::string fixed;
  for (std::size_t i = 0; i < std::min(inputs.size(), names.size()); ++i) {
    const Facts* facts = facts_of(inputs[i].value);
    if (facts == nullptr || facts->shape.rank() != std::size_t{4}) continue;
    const Value* found = axes->entries.find(names[i]);
    const bool both = found && has_axis(*found, "2") && has_axis(*found, "3");
    (both ? varies : fixed) = names[i];
  }
  if (varies.empty() || fixed.empty()) return {};
  return fmt::format("{} varies in height and width, {} does not", varies, fixed);
}

/// Keys of dynamic_axes that name nothing; as many as names are missing may be meant for those.
std::string unknown_key(Dict& axes, const std::set<std::string>& known, std::size_t missing) {
  std::string wrong;
  std::size_t found = 0;
  for (const auto& [name, value] : axes.entries.all()) {
    if (known.contains(name)) continue;
    ++found;
    wrong = fmt::format("'{}' in dynamic_axes names no input or output", name);
  }
  return found > missing ? wrong : "";
}

void check_axes(Interpreter& in, const Invocation& call, const std::vector<Argument>& inputs,
                const std::vector<std::string>& names) {
  const Argument* given = call.find(Invocation::kNowhere, "dynamic_axes");
  if (given == nullptr) return;
  auto* axes = as<Dict>(given->value);
  if (axes == nullptr || !axes->others.empty() || axes->entries.empty()) return;
  std::set<std::string> known(names.begin(), names.end());
  std::optional<std::vector<std::string>> outputs = std::vector<std::string>{};
  if (const Value value = call.named("output_names"); value && !as<None>(value))
    outputs = names_of(value);
  if (!outputs) return;
  known.insert(outputs->begin(), outputs->end());
  const std::size_t missing = inputs.size() - std::min(inputs.size(), names.size());
  std::string wrong = unknown_key(*axes, known, missing);
  std::size_t unnamed = static_cast<std::size_t>(
      std::count_if(axes->entries.all().begin(), axes->entries.all().end(),
                    [&](const auto& entry) { return !known.contains(entry.first); }));
  bool batch = false;
  for (const std::string& name : names)
    if (const Value* found = axes->entries.find(name)) batch = batch || has_axis(*found, "0");
  for (std::size_t i = 0; batch && wrong.empty() && i < inputs.size(); ++i) {
    const Facts* facts = facts_of(inputs[i].value);
    if (facts == nullptr || is_optional_size(*facts)) continue;
    const std::string name = i < names.size() ? names[i] : fmt::format("input {}", i + 1);
    const Value* found = i < names.size() ? axes->entries.find(name) : nullptr;
    if (i >= names.size() && unnamed > 0) {
      --unnamed;
      continue;
    }
    if (found == nullptr || !has_axis(*found, "0"))
      wrong = fmt::format(
          "{} shares the batch with the inputs that vary, but has no dynamic axis 0", name);
  }
  if (wrong.empty()) wrong = fixed_size(axes, inputs, names);
  if (!wrong.empty())
    in.report(Rule::kExportDynamicAxesMissing, place_of(*given, call.place), wrong, {}, call.place);
}

void check_names(Interpreter& in, const Invocation& call) {
  const std::vector<Argument> inputs = example_inputs(call);
  const Argument* given = call.find(Invocation::kNowhere, "input_names");
  if (given == nullptr || as<None>(given->value)) return;
  const auto names = names_of(given->value);
  if (!names) return;
  // None and flags are no inputs of the graph.
  std::vector<Argument> tensors;
  bool sure = inputs_known(call);
  for (const Argument& input : inputs) {
    std::vector<Facts*> facts;
    gather_facts(input.value, facts);
    sure = sure && !as<Unknown>(input.value) && !as<Bundle>(input.value);
    const auto* several = as<Sequence>(input.value);
    if (several && several->open) sure = false;
    if (facts.size() == 1 && !several) {
      tensors.push_back(input);
    } else {
      for (std::size_t i = 0; i < facts.size(); ++i) tensors.push_back({"", nullptr, nullptr});
    }
  }
  // Flags between and behind the tensors may have names, too: the exporter passes over those.
  const bool with_flags = names->size() > tensors.size() && names->size() <= inputs.size();
  if (sure && !tensors.empty() && tensors.size() != names->size() && !with_flags)
    in.report(Rule::kExportInputNamesCount, place_of(*given, call.place),
              fmt::format("{} names for {} inputs{}", names->size(), tensors.size(),
                          names->size() < tensors.size() ? "; the rest get made-up names" : ""),
              {}, call.place);
  if (sure) check_axes(in, call, tensors, *names);
}

}  // namespace

Value export_onnx(Interpreter& in, const Invocation& call) {
  check_model(in, call);
  check_settings(in, call);
  check_names(in, call);
  const Value model = call.get(0, "model");
  if (as<Module>(model) && inputs_known(call)) {
    Invocation inner;
    inner.place = call.place;
    inner.arguments = example_inputs(call);
    struct Restore {
      const Invocation*& exporting;
      const Invocation* before;
      ~Restore() { exporting = before; }
    } restore{in.state.exporting, in.state.exporting};
    in.state.exporting = &call;
    // The exporter records no gradients and reads the model as it is.
    ++in.state.gradient_free;
    call_module(in, model, inner);
    --in.state.gradient_free;
  }
  return unknown();
}

}  // namespace sinter::lint
