#include "sinter/pipeline/denoiser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/pipeline/control/controlnet.h"
#include "sinter/pipeline/guidance.h"
#include "sinter/pipeline/tokenizer.h"

namespace sinter::pipeline {
namespace {

// Inputs that belong to another task, and what to say about them.
struct ForeignInput {
  std::string_view prefix;
  std::string_view hint;
};
constexpr std::array kForeignInputs{
    ForeignInput{"timestep_cond", "guidance embeddings (distilled guidance) are not supported yet"},
};
// Names, or what they begin with.
constexpr std::array<std::string_view, 7> kKnownInputs{"sample",
                                                       "timestep",
                                                       "encoder_hidden_states",
                                                       "text_embeds",
                                                       "time_ids",
                                                       "down_block_additional_residual_",
                                                       "mid_block_additional_residual"};

bool is_known(std::string_view input) {
  return std::ranges::any_of(kKnownInputs, [&](std::string_view known) {
    return known.ends_with('_') ? input.starts_with(known) : input == known;
  });
}

// Whether there is a negative text.
bool has_two_texts(const Conditioning& conditioning) {
  const Shape& states = conditioning.states.shape();
  if (states.size() != 3 || states[0] < 1 || states[0] > 2 || states[1] < 1) {
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("the conditioning is {}, expected [1,tokens,width], or 2 with guidance",
                            to_string(states)));
  }
  if (conditioning.pooled) {
    const Shape& pooled = conditioning.pooled->shape();
    if (pooled.size() != 2 || pooled[0] != states[0]) {
      throw Error(ErrorCode::kShapeMismatch,
                  fmt::format("the pooled conditioning is {}, expected [{},width]",
                              to_string(pooled), states[0]));
    }
  }
  return states[0] == 2;
}

}  // namespace

Denoiser::Denoiser(runtime::Session& session, const Conditioning& conditioning,
                   const DenoiserOptions& options)
    : session_(session), options_(options), guidance_(has_two_texts(conditioning)) {
  if (options.pictures < 1) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{} pictures, expected at least 1", options.pictures));
  }
  check_inputs(conditioning);
  conditions_.emplace("encoder_hidden_states",
                      each_repeated(conditioning.states, options.pictures));
  if (find_declaration(session.inputs(), "text_embeds") != nullptr) {
    if (!conditioning.pooled) {
      throw Error(ErrorCode::kMissingTensor,
                  "the unet wants 'text_embeds', but no text encoder has that output",
                  "SDXL needs text_encoder_2 with its pooled projection");
    }
    conditions_.emplace("text_embeds", each_repeated(*conditioning.pooled, options.pictures));
  }
  if (const auto* ids = find_declaration(session.inputs(), "time_ids")) {
    const bool five = ids->shape.size() == 2 && ids->shape[1] == 5;
    conditions_.emplace("time_ids", each_repeated(time_ids(five ? 5 : 6), options.pictures));
  }
}

void Denoiser::check_inputs(const Conditioning& conditioning) const {
  for (const graph::ValueDeclaration& input : session_.inputs()) {
    if (is_known(input.name)) continue;
    const auto foreign = std::ranges::find_if(kForeignInputs, [&](const ForeignInput& each) {
      return input.name.starts_with(each.prefix);
    });
    throw Error(
        ErrorCode::kUnsupported,
        fmt::format("the unet has an input '{}', which text to picture cannot fill", input.name),
        foreign == kForeignInputs.end() ? std::string() : std::string(foreign->hint));
  }
  check_sample();
  check_context(conditioning.states.shape());
}

void Denoiser::check_sample() const {
  const auto* sample = find_declaration(session_.inputs(), "sample");
  if (sample == nullptr || sample->shape.size() != 4) return;
  const Shape& shape = sample->shape;
  const std::int64_t height = shape[2] * options_.factor;
  const std::int64_t width = shape[3] * options_.factor;
  if ((shape[2] > 0 && height != options_.height) || (shape[3] > 0 && width != options_.width)) {
    throw Error(ErrorCode::kUsage,
                fmt::format("the size is {}x{}, but the unet was converted for {}x{} alone",
                            options_.width, options_.height, width, height),
                "ask for that size, or convert without --static");
  }
  if (shape[1] == 9) {
    throw Error(ErrorCode::kUnsupported,
                "the unet takes 9 channels, expected 4: it is an inpainting model",
                "drawing from text alone needs the model's ordinary version");
  }
}

void Denoiser::check_context(const Shape& states) const {
  const auto* context = find_declaration(session_.inputs(), "encoder_hidden_states");
  if (context == nullptr || context->shape.size() != 3) return;
  if (context->shape[1] > 0 && context->shape[1] != states[1]) {
    throw Error(ErrorCode::kUsage,
                fmt::format("the prompts fill {} tokens, but the unet was converted for {} alone",
                            states[1], context->shape[1]),
                "shorten the prompt, or convert without --static");
  }
  if (context->shape[2] > 0 && context->shape[2] != states[2]) {
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("the text encoders give states of width {}, but the unet takes {}",
                            states[2], context->shape[2]),
                "the folder lacks a text encoder, or has one of another model");
  }
}

// [texts, numbers]: the negative text's row first where there are two.
Tensor Denoiser::time_ids(std::size_t numbers) const {
  const auto height = static_cast<float>(options_.height);
  const auto width = static_cast<float>(options_.width);
  std::vector<float> values;
  for (const bool negative : {true, false}) {
    if (negative && !guidance_) continue;
    values.insert(values.end(), {height, width, 0.0f, 0.0f});
    if (numbers == 5) {
      values.push_back(static_cast<float>(negative ? options_.negative_aesthetic_score
                                                   : options_.aesthetic_score));
    } else {
      values.insert(values.end(), {height, width});
    }
  }
  return Tensor({guidance_ ? 2 : 1, static_cast<std::int64_t>(numbers)}, values);
}

// As the graph declares it: a scalar, one number for all, or one a row.
Tensor Denoiser::timestep_tensor(float timestep, std::int64_t rows) const {
  const auto* declared = find_declaration(session_.inputs(), "timestep");
  Shape shape{rows};
  if (declared != nullptr && declared->shape.empty()) shape = {};
  if (declared != nullptr && declared->shape == Shape{1}) shape = {1};
  Tensor result(DType::kF32, shape);
  std::ranges::fill(result.floats(), timestep);
  return result;
}

Tensor Denoiser::run(const Tensor& latents, float timestep, const AddInputs& add) {
  const Shape& shape = latents.shape();
  if (shape.size() != 4 || shape[0] != options_.pictures ||
      shape[2] * options_.factor != options_.height ||
      shape[3] * options_.factor != options_.width) {
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("the latents are {}, expected [{},channels,{},{}]", to_string(shape),
                            options_.pictures, options_.height / options_.factor,
                            options_.width / options_.factor));
  }
  const int halves = guidance_ ? 2 : 1;
  const std::int64_t rows = latents.shape().front() * halves;
  runtime::TensorMap inputs = conditions_;
  inputs.emplace("sample", repeated(latents, halves));
  inputs.emplace("timestep", timestep_tensor(timestep, rows));
  if (add) add(inputs, rows);
  complete_residuals(session_, inputs);
  runtime::TensorMap outputs = run_rows(session_, inputs, rows);
  const auto output = outputs.find("out_sample");
  if (output == outputs.end())
    throw Error(ErrorCode::kMissingTensor, "the graph of unet has no output 'out_sample'");
  return guidance_ ? guided(output->second, options_.guidance_scale) : std::move(output->second);
}

}  // namespace sinter::pipeline
