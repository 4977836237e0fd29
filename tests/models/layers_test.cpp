#include "sinter/models/layers.h"

#include "sinter/models/unet.h"
#include "tests/models/block.h"

namespace sinter::models {
namespace {

class Layers : public OnEngines {};

TEST_P(Layers, GeluIsPyTorchs) {
  Block("layers").expect_reference(
      GetParam(), DType::kF32, [](const Scope&, const Block::Values& in) {
        return Block::Outputs{{"gelu", gelu(in.at("gelu"), Gelu::kExact)},
                              {"quick_gelu", gelu(in.at("gelu"), Gelu::kSigmoid)}};
      });
}

TEST_P(Layers, SinusoidsAreDiffusersAlsoBetweenSteps) {
  const Block::Emit emit = [](const Scope&, const Block::Values& in) {
    return Block::Outputs{{"sinusoids", sinusoids(in.at("timestep"), 64)},
                          {"vector", vector_conditioning(in.at("pooled"), in.at("time_ids"))}};
  };
  Block("layers").expect_reference(GetParam(), DType::kF32, emit);
}

TEST_P(Layers, AttentionIsPyTorchs) {
  for (const DType compute : {DType::kF32, DType::kF16}) {
    Block("layers").expect_reference(
        GetParam(), compute, [&](const Scope& s, const Block::Values& in) {
          const auto wide = [&](const char* name) { return cast(in.at(name), compute); };
          const Value all =
              multi_head_attention(s, wide("q"), wide("k"), wide("v"), 2, s.graph().none());
          return Block::Outputs{{"attention", all}};
        });
  }
}

// Each token sees itself and those before it, so that keys and values are the queries' own.
TEST_P(Layers, AMaskHidesWhatIsBehind) {
  Block("layers").expect_reference(
      GetParam(), DType::kF32, [](const Scope& s, const Block::Values& in) {
        // The first five rows, by a product that picks them.
        std::vector<float> pick(5 * 7, 0.0f);
        for (std::size_t i = 0; i < 5; ++i) pick[8 * i] = 1.0f;
        const Value rows = s.graph().vector(pick, {5, 7}, DType::kF32, "pick");
        const Value k = matmul(rows, in.at("k"));
        const Value v = matmul(rows, in.at("v"));
        return Block::Outputs{
            {"masked", multi_head_attention(s, in.at("q"), k, v, 2, in.at("mask"))}};
      });
}

// A variance of 1e-8 beside a mean of 0.01: an eps of 1e-5 gives a third of these values.
TEST_P(Layers, NormsAreRightForSmallVariances) {
  Block("norms").expect_reference(
      GetParam(), DType::kF32, [](const Scope& s, const Block::Values& in) {
        return Block::Outputs{{"group", group_norm(s / "group", in.at("small"), 1e-6f)},
                              {"layer", layer_norm(s / "layer", in.at("tokens"))}};
      });
}

TEST_P(Layers, ResnetsAreDiffusers) {
  for (const DType compute : {DType::kF32, DType::kF16}) {
    Block("resnets").expect_reference(
        GetParam(), compute, [&](const Scope& s, const Block::Values& in) {
          const auto wide = [&](const char* name) { return cast(in.at(name), compute); };
          const Value timed = resnet(s / "timed", wide("x"), wide("time"), 32, 1e-5f);
          const Value plain = resnet(s / "plain", wide("y"), s.graph().none(), 32, 1e-6f);
          return Block::Outputs{{"timed", timed}, {"plain", plain}};
        });
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Layers,
                         testing::Values(runtime::Engine::kOpenVino, runtime::Engine::kOnnxRuntime),
                         engine_of);

}  // namespace
}  // namespace sinter::models
