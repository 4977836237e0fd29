#include "sinter/verify/case_binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/verify/extents.h"

namespace sinter::verify {
namespace fs = std::filesystem;
using graph::ValueDeclaration;
using runtime::TensorMap;

namespace {

struct Spelling {
  std::string_view reference;  // NAME in a case
  std::string_view graph;      // in a graph
  bool first_channels = false;
};

// Every contract's word for an input, the default's first. Sources: optimum's export names; the
// demoDiffusion, WebUI-TensorRT and ComfyUI_TensorRT pipelines; diffusers' conversion script.
constexpr std::array kInputs{
    Spelling{"sample", "sample"},
    Spelling{"sample", "x"},
    Spelling{"timestep", "timestep"},
    Spelling{"timestep", "timesteps"},
    Spelling{"encoder_hidden_states", "encoder_hidden_states"},
    Spelling{"encoder_hidden_states", "context"},
    Spelling{"text_embeds", "text_embeds"},
    Spelling{"time_ids", "time_ids"},
    Spelling{"input_ids", "input_ids"},
    Spelling{"latent_sample", "latent_sample"},
    Spelling{"latent_sample", "latent"},
    Spelling{"pixels", "sample"},
    Spelling{"pixels", "images"},
};

constexpr std::array kOutputs{
    Spelling{"out_sample", "out_sample"},
    Spelling{"out_sample", "latent"},
    Spelling{"out_sample", "h"},
    Spelling{"out_sample", "noise_pred"},
    Spelling{"sample", "sample"},
    Spelling{"sample", "images"},
    Spelling{"moments", "latent_parameters"},
    Spelling{"moments", "latent_dist"},
    Spelling{"moments", "latent", true},
    Spelling{"last_hidden_state", "last_hidden_state"},
    Spelling{"last_hidden_state", "text_embeddings"},
    Spelling{"penultimate_hidden_state", "hidden_states"},
    Spelling{"penultimate_normed", "last_hidden_state"},
    Spelling{"penultimate_normed", "text_embeddings"},
    Spelling{"text_embeds", "text_embeds"},
    Spelling{"text_embeds", "text_embeddings"},
};

constexpr std::string_view kStatePrefix = "hidden_states.";

const ValueDeclaration* find(const std::vector<ValueDeclaration>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &ValueDeclaration::name);
  return found == all.end() ? nullptr : &*found;
}

// One name means two things in some contracts; their ranks tell them apart.
bool same_rank(const ValueDeclaration& declared, const Tensor& tensor) {
  return !declared.ranked || declared.shape.size() == tensor.shape().size();
}

std::optional<int> state_number(std::string_view name) {
  if (!name.starts_with(kStatePrefix)) return std::nullopt;
  name.remove_prefix(kStatePrefix.size());
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return number;
}

// The output that is the state before the last layer, or nothing.
std::optional<std::string> penultimate_state(const std::vector<ValueDeclaration>& outputs,
                                             const TextStates& states) {
  std::vector<int> numbers;
  for (const ValueDeclaration& output : outputs) {
    if (const auto number = state_number(output.name)) numbers.push_back(*number);
  }
  if (numbers.empty()) return std::nullopt;
  int wanted = *std::ranges::max_element(numbers) - 1;
  if (numbers.size() == 1) wanted = numbers.front();
  // Where the state before the last layer conditions, the layers that lead there end with it.
  if (states.layers > 0) wanted = states.penultimate_normed ? states.layers : states.layers - 1;
  if (std::ranges::find(numbers, wanted) == numbers.end()) return std::nullopt;
  return fmt::format("{}{}", kStatePrefix, wanted);
}

// A text encoder whose case gives no final state is one that is read before its last layer.
bool reads_penultimate_normed(const ReferenceCase& reference, const TextStates& states) {
  if (states.known) return states.penultimate_normed;
  return reference.component == "text_encoder" && !reference.outputs.contains("last_hidden_state");
}

// --- inputs ---

// Sinusoids of one number, 256 wide, cosines first. Source: Vaswani et al. 2017 (arXiv 1706.03762),
// section 3.5, in the order of Ho et al. 2020.
void append_sinusoids(float number, std::vector<float>& to) {
  constexpr int kHalf = 128;
  for (const bool cosine : {true, false}) {
    for (int i = 0; i < kHalf; ++i) {
      const double angle = static_cast<double>(number) * std::exp(-std::log(10000.0) * i / kHalf);
      to.push_back(static_cast<float>(cosine ? std::cos(angle) : std::sin(angle)));
    }
  }
}

// The pooled embedding followed by the sinusoids of the sizes: one row a sample.
std::optional<Tensor> vector_input(const ReferenceCase& reference) {
  const auto pooled = reference.inputs.find("text_embeds");
  const auto ids = reference.inputs.find("time_ids");
  if (pooled == reference.inputs.end() || ids == reference.inputs.end()) return std::nullopt;
  const Tensor embeds = to_dtype(pooled->second, DType::kF32);
  const Tensor sizes = to_dtype(ids->second, DType::kF32);
  if (embeds.shape().size() != 2 || sizes.shape().size() != 2 ||
      embeds.shape()[0] != sizes.shape()[0]) {
    throw Error(
        ErrorCode::kShapeMismatch,
        fmt::format("{}: text_embeds is {} and time_ids {}, expected two matrices with a "
                    "row for each sample",
                    reference.path.string(), to_string(embeds.shape()), to_string(sizes.shape())));
  }
  const std::int64_t rows = embeds.shape()[0];
  const auto width = static_cast<std::size_t>(embeds.shape()[1]);
  const auto count = static_cast<std::size_t>(sizes.shape()[1]);
  std::vector<float> values;
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    const auto first = embeds.floats().subspan(row * width, width);
    values.insert(values.end(), first.begin(), first.end());
    for (const float size : sizes.floats().subspan(row * count, count)) {
      append_sinusoids(size, values);
    }
  }
  const auto columns = static_cast<std::int64_t>(width + 256 * count);
  return Tensor({rows, columns}, values);
}

bool is_residual(std::string_view name) {
  return name.starts_with("down_block_additional_residual") ||
         name.starts_with("mid_block_additional_residual");
}

TensorMap bound_inputs(const ReferenceCase& reference,
                       const std::vector<ValueDeclaration>& declared) {
  TensorMap inputs;
  for (const ValueDeclaration& input : declared) {
    for (const Spelling& row : kInputs) {
      const auto given = reference.inputs.find(row.reference);
      if (row.graph == input.name && given != reference.inputs.end()) {
        inputs.emplace(input.name, given->second);
      }
    }
    // A case may also use the graph's own names.
    const auto same = reference.inputs.find(input.name);
    if (same != reference.inputs.end()) inputs.emplace(input.name, same->second);
    if (input.name == "y" && !inputs.contains("y")) {
      if (auto vector = vector_input(reference)) inputs.emplace(input.name, std::move(*vector));
    }
  }
  const Symbols symbols = bind_symbols(declared, inputs);
  for (const ValueDeclaration& input : declared) {
    if (inputs.contains(input.name) || !is_residual(input.name)) continue;
    if (auto shape = evaluate_shape(input, symbols)) {
      inputs.emplace(input.name, Tensor(input.dtype, std::move(*shape)));
    }
  }
  return inputs;
}

// --- runs ---

const ValueDeclaration* timestep_input(const std::vector<ValueDeclaration>& declared,
                                       const TensorMap& inputs) {
  for (const Spelling& row : kInputs) {
    if (row.reference != "timestep") continue;
    const ValueDeclaration* input = find(declared, row.graph);
    if (input != nullptr && input->ranked && inputs.contains(input->name)) return input;
  }
  return nullptr;
}

bool takes_one(const ValueDeclaration& timestep) {
  return timestep.shape.empty() || (timestep.shape.size() == 1 && timestep.shape[0] == 1);
}

// One timestep is for all rows; of several each has its row. Symbols do not say so: that of the
// timesteps is another than that of the rows, because it may be one.
void check_rows(const TensorMap& inputs, const std::string& timestep) {
  const Tensor& steps = inputs.at(timestep);
  if (steps.size() == 0) {
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("input '{}' is {}, expected at least one timestep", timestep,
                            to_string(steps.shape())));
  }
  for (const auto& [name, tensor] : inputs) {
    const Shape& shape = tensor.shape();
    if (name == timestep || steps.size() == 1 || shape.empty() || shape[0] == steps.size()) {
      continue;
    }
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("input '{}' is {}, expected {} rows: input '{}' has {} timesteps", name,
                            to_string(shape), steps.size(), timestep, steps.size()));
  }
}

Tensor row_of(const Tensor& tensor, std::int64_t row) {
  Shape shape = tensor.shape();
  if (shape.empty()) return tensor;
  const std::int64_t rows = shape[0];
  shape[0] = 1;
  Tensor result(tensor.dtype(), std::move(shape));
  const std::size_t bytes = tensor.bytes().size() / static_cast<std::size_t>(rows);
  const auto part = tensor.bytes().subspan(static_cast<std::size_t>(row) * bytes, bytes);
  if (!part.empty()) std::memcpy(result.bytes().data(), part.data(), part.size());
  return result;
}

std::vector<TensorMap> runs_of(TensorMap inputs, const std::vector<ValueDeclaration>& declared) {
  const ValueDeclaration* timestep = timestep_input(declared, inputs);
  if (timestep != nullptr) check_rows(inputs, timestep->name);
  std::vector<TensorMap> runs;
  if (timestep == nullptr || !takes_one(*timestep)) {
    runs.push_back(std::move(inputs));
    return runs;
  }
  const std::int64_t rows = inputs.at(timestep->name).size();
  for (std::int64_t row = 0; row < rows; ++row) {
    TensorMap& run = runs.emplace_back();
    for (const auto& [name, tensor] : inputs) {
      run.emplace(name, rows == 1 ? tensor : row_of(tensor, row));
    }
    Tensor& own = run.at(timestep->name);
    own = own.reshaped(timestep->shape.empty() ? Shape{} : Shape{1});
  }
  return runs;
}

std::optional<OutputPair> output_for(const std::string& name, const Tensor& expected,
                                     const ReferenceCase& reference,
                                     const std::vector<ValueDeclaration>& outputs,
                                     const TextStates& states) {
  const bool normed = reads_penultimate_normed(reference, states);
  if (name == "penultimate_hidden_state") {
    TextStates known = states;
    known.penultimate_normed = normed;
    if (auto output = penultimate_state(outputs, known)) return OutputPair{name, *output};
  }
  if (name == "last_hidden_state" && normed) return std::nullopt;
  if (name == "penultimate_normed" && !normed) return std::nullopt;
  for (const Spelling& row : kOutputs) {
    if (row.reference != name) continue;
    const ValueDeclaration* output = find(outputs, row.graph);
    if (output != nullptr && same_rank(*output, expected)) {
      return OutputPair{name, output->name, row.first_channels};
    }
  }
  const ValueDeclaration* same = find(outputs, name);
  if (same != nullptr && same_rank(*same, expected)) return OutputPair{name, name};
  return std::nullopt;
}

}  // namespace

TextStates text_states(const fs::path& model) {
  TextStates states;
  const fs::path config = model.parent_path() / "config.json";
  if (!fs::exists(config)) return states;
  const nlohmann::json json = nlohmann::json::parse(read_text(config), nullptr, false);
  if (!json.is_object()) return states;
  if (const auto layers = json.find("num_hidden_layers");
      layers != json.end() && layers->is_number_integer()) {
    states.layers = layers->get<int>();
  }
  if (const auto state = json.find("sinter_state"); state != json.end() && state->is_string()) {
    states.known = true;
    states.penultimate_normed = state->get<std::string>() == "penultimate-normed";
  }
  return states;
}

CaseBinding bind_case(const ReferenceCase& reference, const graph::OnnxModel& model,
                      const TextStates& states) {
  const std::vector<ValueDeclaration> declared = model.inputs();
  const std::vector<ValueDeclaration> outputs = model.outputs();
  CaseBinding binding;
  try {
    binding.runs = runs_of(bound_inputs(reference, declared), declared);
  } catch (Error& error) {
    error.add_context(fmt::format("taking the inputs of {} for {}", reference.path.string(),
                                  model.path().string()));
    throw;
  }
  for (const auto& [name, expected] : reference.outputs) {
    if (auto pair = output_for(name, expected, reference, outputs, states)) {
      binding.outputs.push_back(std::move(*pair));
    } else {
      binding.not_compared.push_back(name);
    }
  }
  return binding;
}

}  // namespace sinter::verify
