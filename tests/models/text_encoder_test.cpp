#include "sinter/models/text_encoder.h"

#include "tests/models/block.h"

namespace sinter::models {
namespace {

using arch::Activation;
using arch::TextState;

class TextEncoder : public OnEngines {};

arch::TextEncoderConfig config(Activation activation, TextState state) {
  return {.vocabulary = 99,
          .positions = 9,
          .width = 32,
          .heads = 2,
          .layers = 2,
          .mlp_width = 64,
          .projection_dim = 16,
          .activation = activation,
          .state = state,
          .pooled_projection = true};
}

Block::Emit emit(const arch::TextEncoderConfig& config) {
  return [=](const Scope& s, const Block::Values& in) {
    const TextEncoderOutputs out =
        text_encoder(s, config, in.at("input_ids"), {.hidden_states = true, .text_embeds = true});
    Block::Outputs outputs{{"text_embeds", out.text_embeds}};
    if (config.state == TextState::kPenultimateNormed) {
      outputs.emplace_back("penultimate_normed", out.last_hidden_state);
    } else {
      outputs.emplace_back("last_hidden_state", out.last_hidden_state);
      outputs.emplace_back("pooler_output", out.pooler_output);
    }
    for (std::size_t i = 0; i < out.hidden_states.size(); ++i)
      outputs.emplace_back(fmt::format("hidden_states.{}", i), out.hidden_states[i]);
    return outputs;
  };
}

TEST_P(TextEncoder, StatesAndPoolingAreTransformers) {
  Block("text-quick-gelu")
      .expect_reference(GetParam(), DType::kF32,
                        emit(config(Activation::kQuickGelu, TextState::kLast)));
  Block("text-gelu")
      .expect_reference(GetParam(), DType::kF32, emit(config(Activation::kGelu, TextState::kLast)));
}

// The reference's texts end with the largest id, so both ways to find the place lead to it.
TEST_P(TextEncoder, PoolsAtTheEndTokenThatAFolderNames) {
  arch::TextEncoderConfig named = config(Activation::kGelu, TextState::kLast);
  named.end_token = 98;
  Block("text-gelu").expect_reference(GetParam(), DType::kF32, emit(named));
}

// The projection is of the last layer whatever state conditions.
TEST_P(TextEncoder, TheStateBeforeTheLastLayerIsNormedWhereItConditions) {
  Block("text-gelu")
      .expect_reference(GetParam(), DType::kF32,
                        emit(config(Activation::kGelu, TextState::kPenultimateNormed)));
}

TEST_P(TextEncoder, HoldsInFloat16) {
  Block("text-gelu")
      .expect_reference(GetParam(), DType::kF16, emit(config(Activation::kGelu, TextState::kLast)));
}

INSTANTIATE_TEST_SUITE_P(Engines, TextEncoder,
                         testing::Values(runtime::Engine::kOpenVino, runtime::Engine::kOnnxRuntime),
                         engine_of);

}  // namespace
}  // namespace sinter::models
