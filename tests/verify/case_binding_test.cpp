#include "sinter/verify/case_binding.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinter/base/error.h"
#include "tests/verify/case_builder.h"

namespace sinter::verify {
namespace {

using graph::OnnxModel;

OnnxModel model_of(const ModelBuilder& builder) {
  const std::string bytes = builder.bytes();
  return OnnxModel::parse(std::as_bytes(std::span(bytes)), "model.onnx");
}

// Pairs as text, for comparison.
std::vector<std::string> pairs_of(const CaseBinding& binding) {
  std::vector<std::string> result;
  for (const OutputPair& pair : binding.outputs) {
    result.push_back(pair.reference + " = " + pair.output + (pair.first_channels ? " (half)" : ""));
  }
  return result;
}

using Names = std::vector<std::string>;

ReferenceCase unet_case() {
  ReferenceCase reference{
      .path = "case", .component = "unet", .metadata = {}, .inputs = {}, .outputs = {}};
  reference.inputs.emplace("sample", filled({2, 4, 8, 8}, 1));
  reference.inputs.emplace("timestep", floats({2}, {10, 20}));
  reference.inputs.emplace("encoder_hidden_states", filled({2, 77, 16}, 1));
  reference.outputs.emplace("out_sample", filled({2, 4, 8, 8}, 1));
  return reference;
}

TEST(CaseBinding, TakesTheDefaultNames) {
  const OnnxModel model = model_of(ModelBuilder()
                                       .input("sample", DType::kF32, {"b", 4, "h", "w"})
                                       .input("timestep", DType::kF32, {"t"})
                                       .input("encoder_hidden_states", DType::kF32, {"b", "s", 16})
                                       .output("out_sample", DType::kF32, {"b", 4, "h", "w"}));
  const CaseBinding binding = bind_case(unet_case(), model, {});
  ASSERT_EQ(binding.runs.size(), 1u);
  EXPECT_EQ(binding.runs[0].at("timestep").shape(), (Shape{2}));
  EXPECT_EQ(pairs_of(binding), (Names{"out_sample = out_sample"}));
  EXPECT_TRUE(binding.not_compared.empty());
}

TEST(CaseBinding, KnowsOtherSpellings) {
  const OnnxModel model = model_of(ModelBuilder()
                                       .input("x", DType::kF32, {"b", 4, "h", "w"})
                                       .input("timesteps", DType::kF32, {"b"})
                                       .input("context", DType::kF32, {"b", "s", 16})
                                       .output("h", DType::kF32, {"b", 4, "h", "w"}));
  const CaseBinding binding = bind_case(unet_case(), model, {});
  ASSERT_EQ(binding.runs.size(), 1u);
  EXPECT_EQ(binding.runs[0].size(), 3u);
  EXPECT_EQ(binding.runs[0].at("context").shape(), (Shape{2, 77, 16}));
  EXPECT_EQ(pairs_of(binding), (Names{"out_sample = h"}));
}

TEST(CaseBinding, RunsRowByRowWhereAGraphTakesOneTimestep) {
  for (const ModelBuilder::Dims& dims : {ModelBuilder::Dims{}, ModelBuilder::Dims{1}}) {
    const OnnxModel model = model_of(ModelBuilder()
                                         .input("sample", DType::kF32, {"b", 4, "h", "w"})
                                         .input("timestep", DType::kF32, dims)
                                         .output("out_sample", DType::kF32, {"b", 4, "h", "w"}));
    const CaseBinding binding = bind_case(unet_case(), model, {});
    ASSERT_EQ(binding.runs.size(), 2u);
    EXPECT_EQ(binding.runs[1].at("sample").shape(), (Shape{1, 4, 8, 8}));
    EXPECT_EQ(binding.runs[1].at("timestep").shape().size(), dims.size());
    EXPECT_EQ(binding.runs[1].at("timestep").floats()[0], 20);
  }
}

TEST(CaseBinding, RefusesOtherRowsThanTimesteps) {
  const auto message = [](const ModelBuilder::Dims& dims, const Tensor& timestep) {
    const OnnxModel model = model_of(ModelBuilder()
                                         .input("sample", DType::kF32, {"b", 4, "h", "w"})
                                         .input("timestep", DType::kF32, dims)
                                         .output("out_sample", DType::kF32, {"b", 4, "h", "w"}));
    ReferenceCase reference = unet_case();
    reference.inputs.insert_or_assign("timestep", timestep);
    try {
      bind_case(reference, model, {});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kShapeMismatch);
      return error.message();
    }
    return std::string("no error");
  };
  for (const ModelBuilder::Dims& dims :
       {ModelBuilder::Dims{}, ModelBuilder::Dims{1}, ModelBuilder::Dims{"timesteps"}}) {
    EXPECT_EQ(message(dims, floats({1}, {5})), "no error");
    EXPECT_EQ(message(dims, floats({3}, {5, 6, 7})),
              "input 'sample' is [2,4,8,8], expected 3 rows: input 'timestep' has 3 timesteps");
    EXPECT_EQ(message(dims, floats({0}, {})),
              "input 'timestep' is [0], expected at least one timestep");
  }
}

TEST(CaseBinding, RefusesPooledEmbeddingsAndSizesOfOtherRows) {
  for (const Tensor& ids : {floats({1, 1}, {512}), floats({2}, {0, 512}), floats({}, {512})}) {
    ReferenceCase reference = unet_case();
    reference.inputs.emplace("text_embeds", floats({2, 1}, {7, 8}));
    reference.inputs.emplace("time_ids", ids);
    const OnnxModel model = model_of(ModelBuilder()
                                         .input("y", DType::kF32, {"b", 257})
                                         .output("h", DType::kF32, {"b", 4, "h", "w"}));
    try {
      bind_case(reference, model, {});
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.message(),
                fmt::format("case: text_embeds is [2,1] and time_ids {}, expected two matrices "
                            "with a row for each sample",
                            to_string(ids.shape())));
    }
  }
}

TEST(CaseBinding, FillsResidualInputsWithZeros) {
  const OnnxModel model =
      model_of(ModelBuilder()
                   .input("sample", DType::kF32, {"batch", 4, "height", "width"})
                   .input("down_block_additional_residual_0", DType::kF32,
                          {"batch", 32, "height/2", "width/2"})
                   .output("out_sample", DType::kF32, {"batch", 4, "height", "width"}));
  const CaseBinding binding = bind_case(unet_case(), model, {});
  const Tensor& zeros = binding.runs[0].at("down_block_additional_residual_0");
  EXPECT_EQ(zeros.shape(), (Shape{2, 32, 4, 4}));
  EXPECT_EQ(zeros.floats()[5], 0);
}

TEST(CaseBinding, MakesTheVectorInputFromPooledEmbeddingAndSizes) {
  ReferenceCase reference = unet_case();
  reference.inputs.emplace("text_embeds", floats({2, 1}, {7, 8}));
  reference.inputs.emplace("time_ids", floats({2, 1}, {0, 512}));
  const OnnxModel model = model_of(ModelBuilder()
                                       .input("y", DType::kF32, {"b", 257})
                                       .output("h", DType::kF32, {"b", 4, "h", "w"}));
  const CaseBinding binding = bind_case(reference, model, {});
  const Tensor& y = binding.runs[0].at("y");
  ASSERT_EQ(y.shape(), (Shape{2, 257}));
  EXPECT_EQ(y.floats()[0], 7);
  EXPECT_EQ(y.floats()[1], 1);    // cos 0
  EXPECT_EQ(y.floats()[129], 0);  // sin 0
  EXPECT_EQ(y.floats()[257], 8);
  EXPECT_NEAR(y.floats()[258], std::cos(512.0), 1e-6);
  EXPECT_NEAR(y.floats()[257 + 129], std::sin(512.0), 1e-6);
}

ReferenceCase vae_case() {
  ReferenceCase reference{
      .path = "case", .component = "vae", .metadata = {}, .inputs = {}, .outputs = {}};
  reference.inputs.emplace("latent_sample", filled({1, 4, 2, 2}, 1));
  reference.inputs.emplace("pixels", filled({1, 3, 16, 16}, 2));
  reference.outputs.emplace("sample", filled({1, 3, 16, 16}, 1));
  reference.outputs.emplace("moments", filled({1, 8, 2, 2}, 1));
  return reference;
}

TEST(CaseBinding, SplitsAnAutoencodersCaseBetweenItsGraphs) {
  const OnnxModel decoder = model_of(ModelBuilder()
                                         .input("latent_sample", DType::kF32, {"b", 4, "h", "w"})
                                         .output("sample", DType::kF32, {"b", 3, "H", "W"}));
  const OnnxModel encoder =
      model_of(ModelBuilder()
                   .input("sample", DType::kF32, {"b", 3, "h", "w"})
                   .output("latent_parameters", DType::kF32, {"b", 8, "h", "w"}));
  CaseBinding binding = bind_case(vae_case(), decoder, {});
  EXPECT_EQ(pairs_of(binding), (Names{"sample = sample"}));
  EXPECT_EQ(binding.not_compared, (Names{"moments"}));
  binding = bind_case(vae_case(), encoder, {});
  EXPECT_EQ(binding.runs[0].at("sample").shape(), (Shape{1, 3, 16, 16}));
  EXPECT_EQ(pairs_of(binding), (Names{"moments = latent_parameters"}));
}

TEST(CaseBinding, HoldsAMeanAgainstTheFirstHalfOfTheMoments) {
  const OnnxModel encoder = model_of(ModelBuilder()
                                         .input("images", DType::kF32, {"b", 3, "h", "w"})
                                         .output("latent", DType::kF32, {"b", 4, "h", "w"}));
  EXPECT_EQ(pairs_of(bind_case(vae_case(), encoder, {})), (Names{"moments = latent (half)"}));
}

ReferenceCase text_case(const Names& outputs, std::string component = "text_encoder") {
  ReferenceCase reference{.path = "case",
                          .component = std::move(component),
                          .metadata = {},
                          .inputs = {},
                          .outputs = {}};
  reference.inputs.emplace("input_ids", Tensor(DType::kI64, {1, 77}));
  for (const std::string& name : outputs) {
    reference.outputs.emplace(name,
                              filled(name == "text_embeds" ? Shape{1, 8} : Shape{1, 77, 8}, 1));
  }
  return reference;
}

ModelBuilder text_graph(int states) {
  ModelBuilder builder;
  builder.input("input_ids", DType::kI64, {"b", 77})
      .output("last_hidden_state", DType::kF32, {"b", 77, 8});
  for (int i = 0; i < states; ++i) {
    builder.output(fmt::format("hidden_states.{}", i), DType::kF32, {"b", 77, 8});
  }
  return builder;
}

TEST(CaseBinding, FindsTheStateBeforeTheLastLayer) {
  const ReferenceCase reference = text_case({"last_hidden_state", "penultimate_hidden_state"});
  // The embedding and twelve layers: the state before the last is number eleven.
  const Names expected{"last_hidden_state = last_hidden_state",
                       "penultimate_hidden_state = hidden_states.11"};
  const OnnxModel all = model_of(text_graph(13));
  EXPECT_EQ(pairs_of(bind_case(reference, all, {})), expected);
  EXPECT_EQ(pairs_of(bind_case(reference, all,
                               {.known = true, .penultimate_normed = false, .layers = 12})),
            expected);
  EXPECT_EQ(bind_case(reference, model_of(text_graph(0)), {}).not_compared,
            (Names{"penultimate_hidden_state"}));
}

TEST(CaseBinding, ReadsNormedStatesWhereTheyCondition) {
  const ReferenceCase reference =
      text_case({"penultimate_hidden_state", "penultimate_normed", "text_embeds"});
  const OnnxModel model = model_of(text_graph(25));
  // 24 layers, of which 23 lead to the conditioning state.
  EXPECT_EQ(pairs_of(bind_case(reference, model,
                               {.known = true, .penultimate_normed = true, .layers = 23})),
            (Names{"penultimate_hidden_state = hidden_states.23",
                   "penultimate_normed = last_hidden_state"}));
  // The second encoder of SDXL has the same outputs in its case, but its last state is the last.
  const CaseBinding second =
      bind_case(text_case({"penultimate_hidden_state", "penultimate_normed", "text_embeds"},
                          "text_encoder_2"),
                model_of(text_graph(33).output("text_embeds", DType::kF32, {"b", 8})),
                {.known = true, .penultimate_normed = false, .layers = 32});
  EXPECT_EQ(pairs_of(second),
            (Names{"penultimate_hidden_state = hidden_states.31", "text_embeds = text_embeds"}));
  EXPECT_EQ(second.not_compared, (Names{"penultimate_normed"}));
}

TEST(CaseBinding, TellsOutputsOfOneNameApartByRank) {
  const ReferenceCase reference = text_case({"last_hidden_state", "text_embeds"}, "text_encoder_2");
  const OnnxModel model = model_of(ModelBuilder()
                                       .input("input_ids", DType::kI32, {"b", 77})
                                       .output("text_embeddings", DType::kF32, {"b", 8}));
  const CaseBinding binding = bind_case(reference, model, {});
  EXPECT_EQ(pairs_of(binding), (Names{"text_embeds = text_embeddings"}));
  EXPECT_EQ(binding.not_compared, (Names{"last_hidden_state"}));
}

TEST(TextStates, AreReadFromTheConfigBesideTheGraph) {
  const TestFolder folder("text_states");
  const std::filesystem::path model = folder / "model.onnx";
  EXPECT_FALSE(text_states(model).known);
  write_file(folder / "config.json",
             R"({"num_hidden_layers": 23, "sinter_state": "penultimate-normed"})");
  EXPECT_TRUE(text_states(model).known);
  EXPECT_TRUE(text_states(model).penultimate_normed);
  EXPECT_EQ(text_states(model).layers, 23);
  write_file(folder / "config.json", R"({"num_hidden_layers": 12})");
  EXPECT_FALSE(text_states(model).known);
  EXPECT_EQ(text_states(model).layers, 12);
  write_file(folder / "config.json", "not json");
  EXPECT_EQ(text_states(model).layers, 0);
}

}  // namespace
}  // namespace sinter::verify
