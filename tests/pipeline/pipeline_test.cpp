#include "sinter/pipeline/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinter/base/error.h"
#include "sinter/pipeline/denoiser.h"
#include "sinter/pipeline/guidance.h"
#include "sinter/pipeline/torch_random.h"
#include "tests/pipeline/fake_pipeline.h"

namespace sinter::pipeline {
namespace {

const Tensor& asked(const FakeGraph& graph, std::size_t call, const char* name) {
  return graph.asked.at(call).find(name)->second;
}

Error error_of(Pipeline& pipeline, const GenerateOptions& options) {
  try {
    pipeline.generate(options);
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorCode::kInternal, "no error");
}

TEST(Pipeline, GuidanceRunsUncondFirstInOneBatch) {
  FakePipeline fake("sinter_guidance");
  Pipeline pipeline = Pipeline::open(fake.root, {.sessions = fake.sessions()});
  const GenerateResult result =
      pipeline.generate({.prompt = "a cat", .negative_prompt = "dog", .steps = 3, .seed = 5});

  const Tensor& ids = asked(fake.graphs["text_encoder"], 0, "input_ids");
  ASSERT_EQ(ids.shape(), (Shape{2, 77}));
  EXPECT_EQ(ids.ints()[1], 1929);      // dog
  EXPECT_EQ(ids.ints()[77 + 1], 320);  // a
  const FakeGraph& unet = fake.graphs["unet"];
  ASSERT_EQ(unet.asked.size(), 3u);
  const Tensor& sample = asked(unet, 0, "sample");
  ASSERT_EQ(sample.shape(), (Shape{2, 4, 2, 2}));
  const Tensor noise = TorchRandom(5).normal({1, 4, 2, 2});
  EXPECT_TRUE(std::ranges::equal(sample.floats().first(16), noise.floats()));
  EXPECT_TRUE(std::ranges::equal(sample.floats().last(16), noise.floats()));
  const Tensor& states = asked(unet, 0, "encoder_hidden_states");
  ASSERT_EQ(states.shape(), (Shape{2, 77, 4}));
  EXPECT_FLOAT_EQ(states.floats()[4], 1929.0f / 50000.0f);
  EXPECT_FLOAT_EQ(states.floats()[77 * 4 + 4], 320.0f / 50000.0f);
  EXPECT_EQ(asked(unet, 0, "timestep").shape(), Shape{2});
  EXPECT_EQ(asked(unet, 0, "timestep").floats()[0], 667.0f);  // 2 * (1000 / 3) + 1

  EXPECT_FLOAT_EQ(asked(fake.graphs["vae_decoder"], 0, "latent_sample").floats()[0],
                  result.latents.floats()[0] / 0.5f);
  ASSERT_EQ(result.pictures.size(), 1u);
  EXPECT_EQ(result.pictures[0].image.width, 16);
  EXPECT_EQ(result.pictures[0].parameters,
            "a cat\nNegative prompt: dog\nSteps: 3, Sampler: DDIM, CFG scale: 7.5, Seed: 5, Size: "
            "16x16, Model hash: 0123456789, Model: fake");
}

TEST(Pipeline, GuidedOutputIsUncondPlusScaledDifference) {
  FakePipeline fake("sinter_scale");
  fake.graphs["unet"].run = [](const runtime::TensorMap& inputs) {
    Tensor output = inputs.find("sample")->second;
    for (std::size_t i = 0; i < output.floats().size(); ++i) output.floats()[i] = i < 16 ? 1 : 3;
    return runtime::TensorMap{{"out_sample", output}};
  };
  Pipeline pipeline = Pipeline::open(fake.root, {.sessions = fake.sessions()});
  const auto guided = pipeline.generate({.steps = 1, .guidance_scale = 2.0});
  // One DDIM step from timestep 1 with epsilon 1 + 2 (3 - 1) = 5, to the alpha of timestep 0.
  fake.graphs["unet"].run = [](const runtime::TensorMap& inputs) {
    Tensor output = inputs.find("sample")->second;
    std::ranges::fill(output.floats(), 5.0f);
    return runtime::TensorMap{{"out_sample", output}};
  };
  const auto plain = pipeline.generate({.steps = 1, .guidance_scale = 1.0});
  EXPECT_TRUE(std::ranges::equal(guided.latents.floats(), plain.latents.floats()));
}

TEST(Pipeline, WithoutGuidanceTheNegativePromptIsNotRun) {
  FakePipeline fake("sinter_unguided");
  Pipeline pipeline = Pipeline::open(fake.root, {.sessions = fake.sessions()});
  pipeline.generate({.prompt = "a cat", .negative_prompt = "dog", .steps = 2, .guidance_scale = 1});
  EXPECT_EQ(asked(fake.graphs["text_encoder"], 0, "input_ids").shape(), (Shape{1, 77}));
  EXPECT_EQ(asked(fake.graphs["unet"], 0, "sample").shape(), (Shape{1, 4, 2, 2}));
}

TEST(Pipeline, EachPictureOfABatchIsThatOfItsOwnSeed) {
  FakePipeline fake("sinter_batch");
  Pipeline pipeline = Pipeline::open(fake.root, {.sessions = fake.sessions()});
  GenerateOptions options{
      .prompt = "a cat", .sampler = "euler-a", .steps = 4, .batch = 3, .seed = 7};
  const GenerateResult batch = pipeline.generate(options);
  ASSERT_EQ(batch.pictures.size(), 3u);
  options.batch = 1;
  options.seed = 9;
  const GenerateResult alone = pipeline.generate(options);
  EXPECT_TRUE(std::ranges::equal(batch.latents.floats().last(16), alone.latents.floats()));
  EXPECT_EQ(batch.pictures[2].parameters, alone.pictures[0].parameters);
  EXPECT_EQ(batch.pictures[2].image, alone.pictures[0].image);
}

TEST(Pipeline, LongPromptsWidenBothHalves) {
  FakePipeline fake("sinter_windows");
  Pipeline pipeline = Pipeline::open(fake.root, {.sessions = fake.sessions()});
  std::string prompt;
  for (int i = 0; i < 80; ++i) prompt += "cat ";
  pipeline.generate({.prompt = prompt, .steps = 1});
  EXPECT_EQ(asked(fake.graphs["text_encoder"], 0, "input_ids").shape(), (Shape{4, 77}));
  const Tensor& states = asked(fake.graphs["unet"], 0, "encoder_hidden_states");
  ASSERT_EQ(states.shape(), (Shape{2, 154, 4}));
  EXPECT_FLOAT_EQ(states.floats()[(154 + 77 + 5) * 4], 2368.0f / 50000.0f);  // the 80th cat
  EXPECT_FLOAT_EQ(states.floats()[(154 + 77 + 6) * 4], 49407.0f / 50000.0f);
}

void make_sdxl(FakePipeline& fake, std::int64_t numbers) {
  fake.add_text_encoder("text_encoder_2", "tokenizer_2", Padding::kZero);
  FakeGraph& unet = fake.graphs["unet"];
  unet.inputs.push_back(declare("text_embeds", {-1, 4}));
  unet.inputs.push_back(declare("time_ids", {-1, numbers}));
  unet.inputs[2].shape[2] =
      numbers == 6 ? 8 : 4;  // states of both encoders side by side, or of one
}

TEST(Pipeline, SdxlJoinsPenultimateStatesAndTellsSizes) {
  FakePipeline fake("sinter_sdxl");
  make_sdxl(fake, 6);
  Pipeline pipeline = Pipeline::open(fake.root, {.sessions = fake.sessions()});
  pipeline.generate({.prompt = "a cat", .negative_prompt = "dog", .steps = 1, .width = 24});

  EXPECT_EQ(asked(fake.graphs["text_encoder"], 0, "input_ids").ints()[76], 49407);
  EXPECT_EQ(asked(fake.graphs["text_encoder_2"], 0, "input_ids").ints()[76], 0);
  const FakeGraph& unet = fake.graphs["unet"];
  const Tensor& states = asked(unet, 0, "encoder_hidden_states");
  ASSERT_EQ(states.shape(), (Shape{2, 77, 8}));
  EXPECT_FLOAT_EQ(states.floats()[8], 1929.0f / 50000.0f + 1);
  EXPECT_FLOAT_EQ(states.floats()[76 * 8 + 3], 49407.0f / 50000.0f + 1);  // first encoder's padding
  EXPECT_FLOAT_EQ(states.floats()[76 * 8 + 4], 1.0f);                     // second encoder's
  EXPECT_EQ(asked(unet, 0, "text_embeds").floats()[0], 1929.0f);
  EXPECT_EQ(asked(unet, 0, "text_embeds").floats()[4], 320.0f);
  const std::vector<float> ids{16, 24, 0, 0, 16, 24, 16, 24, 0, 0, 16, 24};
  EXPECT_TRUE(std::ranges::equal(asked(unet, 0, "time_ids").floats(), ids));
}

TEST(Pipeline, SdxlsAbsentNegativeIsZeroWhereTheFolderSaysSo) {
  FakePipeline fake("sinter_zeros");
  make_sdxl(fake, 6);
  fake.write("model_index.json", R"({"force_zeros_for_empty_prompt": true})");
  Pipeline pipeline = Pipeline::open(fake.root, {.sessions = fake.sessions()});
  pipeline.generate({.prompt = "a cat", .steps = 1});
  const Tensor& states = asked(fake.graphs["unet"], 0, "encoder_hidden_states");
  EXPECT_EQ(std::ranges::count(states.floats().first(77 * 8), 0.0f), 77 * 8);
  EXPECT_EQ(std::ranges::count(states.floats().last(77 * 8), 0.0f), 0);
  EXPECT_EQ(asked(fake.graphs["unet"], 0, "text_embeds").floats()[0], 0.0f);
}

// As StableDiffusionXLPipeline of diffusers: zeros only where `negative_prompt is None`.
TEST(Pipeline, AnEmptyNegativeIsNotAnAbsentOne) {
  FakePipeline fake("sinter_empty_negative");
  make_sdxl(fake, 6);
  fake.write("model_index.json", R"({"force_zeros_for_empty_prompt": true})");
  Pipeline pipeline = Pipeline::open(fake.root, {.sessions = fake.sessions()});
  const GenerateResult result =
      pipeline.generate({.prompt = "a cat", .negative_prompt = "", .steps = 1});
  const Tensor& ids = asked(fake.graphs["text_encoder"], 0, "input_ids");
  EXPECT_EQ(ids.ints()[1], 49407) << "the end of an empty text";
  const Tensor& states = asked(fake.graphs["unet"], 0, "encoder_hidden_states");
  EXPECT_EQ(std::ranges::count(states.floats(), 0.0f), 0);
  EXPECT_EQ(asked(fake.graphs["unet"], 0, "text_embeds").floats()[0], 49407.0f);
  EXPECT_EQ(result.pictures[0].parameters.find("Negative prompt"), std::string::npos);
}

TEST(Pipeline, WhetherAnAbsentNegativeIsZeroIsTheFoldersToSay) {
  struct Row {
    const char* index;
    bool refiner;
    bool zeros;
  };
  // Where it does not say: the default of diffusers' class, for two text encoders.
  for (const Row& row : {Row{"{}", false, true}, Row{"{}", true, false},
                         Row{R"({"force_zeros_for_empty_prompt": false})", false, false},
                         Row{R"({"force_zeros_for_empty_prompt": true})", true, true}}) {
    FakePipeline fake("sinter_absent_negative");
    make_sdxl(fake, row.refiner ? 5 : 6);
    if (row.refiner) std::filesystem::remove_all(fake.root / "text_encoder");
    fake.write("model_index.json", row.index);
    Pipeline pipeline = Pipeline::open(fake.root, {.sessions = fake.sessions()});
    pipeline.generate({.prompt = "a cat", .steps = 1});
    EXPECT_EQ(asked(fake.graphs["unet"], 0, "text_embeds").floats()[0], row.zeros ? 0.0f : 49407.0f)
        << row.index << row.refiner;
  }
}

TEST(Pipeline, ARefinerIsToldTheAestheticScore) {
  FakePipeline fake("sinter_refiner");
  make_sdxl(fake, 5);
  std::filesystem::remove_all(fake.root / "text_encoder");
  Pipeline pipeline = Pipeline::open(fake.root, {.sessions = fake.sessions()});
  pipeline.generate({.prompt = "a cat", .steps = 1});
  const std::vector<float> ids{16, 16, 0, 0, 2.5f, 16, 16, 0, 0, 6};
  EXPECT_TRUE(std::ranges::equal(asked(fake.graphs["unet"], 0, "time_ids").floats(), ids));
  EXPECT_EQ(asked(fake.graphs["unet"], 0, "encoder_hidden_states").shape(), (Shape{2, 77, 4}));
}

TEST(Pipeline, AGraphOfAFixedBatchRunsInGroups) {
  FakePipeline fake("sinter_fixed");
  Pipeline pipeline = Pipeline::open(fake.root, {.sessions = fake.sessions()});
  const auto dynamic = pipeline.generate({.prompt = "a cat", .steps = 2, .batch = 3});
  FakeGraph& unet = fake.graphs["unet"];
  for (graph::ValueDeclaration& input : unet.inputs) input.shape.front() = 4;
  unet.inputs[1].shape = {};  // and a timestep of rank 0
  unet.asked.clear();
  const auto fixed = pipeline.generate({.prompt = "a cat", .steps = 2, .batch = 3});
  EXPECT_EQ(unet.asked.size(), 4u);  // six rows in two groups of four, twice
  EXPECT_EQ(asked(unet, 1, "sample").shape(), (Shape{4, 4, 2, 2}));
  EXPECT_EQ(asked(unet, 1, "timestep").shape(), Shape{});
  EXPECT_TRUE(std::ranges::equal(fixed.latents.floats(), dynamic.latents.floats()));
}

TEST(Pipeline, AFolderOfOneSizeDrawsThatSizeAndNamesWhatMakesOthers) {
  FakePipeline fake("sinter_static");
  fake.write("sinter.json", R"({"sources": [{"path": "/models/fake.safetensors"}],
                                "static": [1, 16, 24]})");
  FakeGraph& unet = fake.graphs["unet"];
  unet.inputs[0].shape = {1, 4, 2, 3};
  unet.inputs[1].shape = {1};
  unet.inputs[2].shape = {1, 77, 4};
  fake.graphs["vae_decoder"].inputs[0].shape = {1, 4, 2, 3};
  Pipeline pipeline = Pipeline::open(fake.root, {.sessions = fake.sessions()});
  const Error error = error_of(pipeline, {.width = 64, .height = 48});
  EXPECT_EQ(error.code(), ErrorCode::kUsage);
  EXPECT_EQ(error.message(),
            "the size is 64x48, but " + fake.root.string() + " was converted for 24x16 alone");
  EXPECT_EQ(error.hint(), "sinter convert '/models/fake.safetensors' '" + fake.root.string() +
                              "' takes every size; with --static 1x48x64 just this one");
  EXPECT_EQ(fake.graphs["text_encoder"].opened, 0);

  const GenerateResult guided = pipeline.generate({.prompt = "a cat", .steps = 2, .batch = 2});
  EXPECT_EQ(guided.pictures[1].image.width, 24);
  EXPECT_EQ(guided.pictures[1].image.height, 16);
  EXPECT_EQ(unet.asked.size(), 8u) << "two pictures, two halves, two steps, one by one";
}

TEST(Denoiser, RefusesWhatDoesNotFit) {
  FakePipeline fake("sinter_denoiser");
  FakeSession session(fake.graphs["unet"]);
  const DenoiserOptions options{.pictures = 2,
                                .width = 16,
                                .height = 16,
                                .factor = 8,
                                .guidance_scale = 7.5,
                                .aesthetic_score = 6,
                                .negative_aesthetic_score = 2.5};
  const auto message = [&](const Shape& states, const Shape& pooled, const Shape& latents) {
    try {
      Conditioning conditioning{.states = Tensor(DType::kF32, states), .pooled = {}};
      if (!pooled.empty()) conditioning.pooled = Tensor(DType::kF32, pooled);
      Denoiser unet(session, conditioning, options);
      unet.run(Tensor(DType::kF32, latents), 1.0f);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kShapeMismatch);
      return error.message();
    }
    return std::string("no error");
  };
  const Shape latents{2, 4, 2, 2};
  EXPECT_EQ(message({2, 77, 4}, {}, latents), "no error");
  EXPECT_EQ(message({0, 77, 4}, {}, latents),
            "the conditioning is [0,77,4], expected [1,tokens,width], or 2 with guidance");
  EXPECT_EQ(message({3, 77, 4}, {}, latents),
            "the conditioning is [3,77,4], expected [1,tokens,width], or 2 with guidance");
  EXPECT_EQ(message({2, 77, 4}, {1, 4}, latents),
            "the pooled conditioning is [1,4], expected [2,width]");
  EXPECT_EQ(message({2, 77, 5}, {}, latents),
            "the text encoders give states of width 5, but the unet takes 4");
  EXPECT_EQ(message({2, 77, 4}, {}, {0, 4, 2, 2}),
            "the latents are [0,4,2,2], expected [2,channels,2,2]");
  EXPECT_EQ(message({2, 77, 4}, {}, {3, 4, 2, 2}),
            "the latents are [3,4,2,2], expected [2,channels,2,2]");
  EXPECT_EQ(message({2, 77, 4}, {}, {2, 4, 2}),
            "the latents are [2,4,2], expected [2,channels,2,2]");
}

TEST(Guidance, NeedsTwoHalves) {
  for (const Shape& shape : {Shape{}, Shape{0, 4}, Shape{1, 4}, Shape{3, 4}})
    EXPECT_THROW(guided(Tensor(DType::kF32, shape), 7.5), Error) << to_string(shape);
}

TEST(Sessions, RefuseAnEmptyBatchAndAnOutputOfAnother) {
  FakePipeline fake("sinter_rows");
  FakeSession session(fake.graphs["vae_decoder"]);
  const runtime::TensorMap latents{{"latent_sample", Tensor(DType::kF32, {0, 4, 2, 2})}};
  EXPECT_THROW(run_rows(session, latents, 0), Error);
  EXPECT_TRUE(fake.graphs["vae_decoder"].asked.empty()) << "it does not reach the engine";
  fake.graphs["vae_decoder"].run = [](const runtime::TensorMap&) {
    return runtime::TensorMap{{"sample", Tensor(DType::kF32, {1, 3, 8, 8})}};
  };
  try {
    run_rows(session, {{"latent_sample", Tensor(DType::kF32, {2, 4, 2, 2})}}, 2);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "the output 'sample' is [1,3,8,8] for a batch of 2");
  }
}

TEST(Pipeline, SessionsLiveAsLongAsTheirStageOrAreKept) {
  FakePipeline fake("sinter_sessions");
  for (const bool keep : {false, true}) {
    for (auto& [name, graph] : fake.graphs) graph.opened = 0;
    Pipeline pipeline =
        Pipeline::open(fake.root, {.sessions = fake.sessions(), .keep_sessions = keep});
    pipeline.generate({.steps = 1});
    pipeline.generate({.steps = 1});
    for (const auto& [name, graph] : fake.graphs) EXPECT_EQ(graph.opened, keep ? 1 : 2) << name;
  }
}

TEST(Pipeline, StagesAreTimedAndTold) {
  FakePipeline fake("sinter_stages");
  double now = 0;
  Pipeline pipeline =
      Pipeline::open(fake.root, {.sessions = fake.sessions(), .clock = [&] { return now += 0.5; }});
  std::vector<std::string> told;
  const auto result = pipeline.generate({.steps = 2}, [&](const Progress& progress) {
    told.push_back(std::string(progress.stage) + " " + std::to_string(progress.step) + "/" +
                   std::to_string(progress.steps));
  });
  EXPECT_EQ(told, (std::vector<std::string>{"load text_encoder 0/1", "load text_encoder 1/1",
                                            "text_encoder 0/1", "text_encoder 1/1", "load unet 0/1",
                                            "load unet 1/1", "unet 0/2", "unet 1/2", "unet 2/2",
                                            "load vae_decoder 0/1", "load vae_decoder 1/1",
                                            "vae_decoder 0/1", "vae_decoder 1/1"}));
  ASSERT_EQ(result.stages.size(), 6u);
  EXPECT_EQ(result.stages[3].name, "unet");
  EXPECT_DOUBLE_EQ(result.stages[3].seconds, 2.0);  // begin, three reports, end
  EXPECT_GT(result.stages[3].peak_rss_bytes, 0u);
}

TEST(Pipeline, SizesThatCannotBeNameTheNearest) {
  FakePipeline fake("sinter_sizes");
  Pipeline pipeline = Pipeline::open(fake.root, {.sessions = fake.sessions()});
  const Error odd = error_of(pipeline, {.width = 515, .height = 512});
  EXPECT_EQ(odd.message(), "the size is 515x512, expected multiples of 8 from 8 to 16384");
  EXPECT_EQ(odd.hint(), "the nearest sizes are 512x512 and 520x512");
  const Error large = error_of(pipeline, {.width = 99999, .height = 512});
  EXPECT_EQ(large.hint(), "the nearest size is 16384x512");
  EXPECT_EQ(error_of(pipeline, {.width = -8, .height = 8}).code(), ErrorCode::kUsage);
  EXPECT_EQ(error_of(pipeline, {.width = 0}).message(),
            "the size is 0x16, expected multiples of 8 from 8 to 16384");
  EXPECT_EQ(error_of(pipeline, {.batch = 0}).message(),
            "the batch is 0, expected 1 to 1024 pictures");
  EXPECT_EQ(error_of(pipeline, {.batch = 1025}).message(),
            "the batch is 1025, expected 1 to 1024 pictures");
  const Error many = error_of(pipeline, {.width = 1024, .height = 1024, .batch = 300});
  EXPECT_EQ(many.message(),
            "300 pictures of 1024x1024 are 314572800 pixels, expected at most 268435456 in a "
            "batch");
  EXPECT_EQ(many.hint(), "a smaller batch, and other seeds for the rest");
  EXPECT_EQ(error_of(pipeline, {.batch = 2, .seed = ~std::uint64_t{0}}).message(),
            "the last of 2 seeds from 18446744073709551615 would be beyond 18446744073709551615");
  EXPECT_EQ(error_of(pipeline, {.guidance_scale = 1e30}).message(),
            "the guidance scale is 1e+30, expected a number up to 1000");
  EXPECT_EQ(error_of(pipeline, {.guidance_scale = std::nan("")}).code(), ErrorCode::kUsage);
  EXPECT_EQ(error_of(pipeline, {.steps = 0}).code(), ErrorCode::kUsage);
  EXPECT_EQ(fake.graphs["text_encoder"].opened, 0);  // all before a graph is opened

  fake.graphs["unet"].inputs[0].shape = {-1, 4, 64, 64};
  EXPECT_EQ(error_of(pipeline, {.width = 64, .height = 512}).message(),
            "the size is 64x512, but the unet was converted for 512x512 alone");
}

// Makes what a graph gives hold this number.
void spoil(FakeGraph& graph, float number) {
  graph.run = [run = graph.run, number](const runtime::TensorMap& inputs) {
    runtime::TensorMap outputs = run(inputs);
    for (auto& [name, output] : outputs) output.floats()[3] = number;
    return outputs;
  };
}

TEST(Pipeline, TheComponentWhoseOutputIsNotFiniteIsNamed) {
  FakePipeline fake("sinter_nan");
  spoil(fake.graphs["unet"], -std::nanf(""));
  Pipeline pipeline = Pipeline::open(fake.root, {.sessions = fake.sessions()});
  const Error unet = error_of(pipeline, {.steps = 4});
  EXPECT_EQ(unet.code(), ErrorCode::kRuntime);
  EXPECT_EQ(unet.message(), "the output of unet holds NaN");
  EXPECT_EQ(unet.context(),
            (std::vector<std::string>{"taking step 1 of 4", "running the stage 'unet'"}));
  spoil(fake.graphs["text_encoder"], -std::numeric_limits<float>::infinity());
  const Error text = error_of(pipeline, {.steps = 4});
  EXPECT_EQ(text.message(), "the output of text_encoder holds infinities");
  EXPECT_EQ(text.context(), std::vector<std::string>{"running the stage 'text_encoder'"});

  FakePipeline other("sinter_nan_picture");
  spoil(other.graphs["vae_decoder"], std::nanf(""));
  Pipeline decoding = Pipeline::open(other.root, {.sessions = other.sessions()});
  EXPECT_EQ(error_of(decoding, {.steps = 1}).message(), "the output of vae_decoder holds NaN");
}

TEST(Pipeline, WhatHelpsAgainstNaNDependsOnThePrecision) {
  struct Row {
    const char* component;
    const char* compute;  // in sinter.json; null: it does not say
    const char* arithmetic;
    std::string hint;
  };
  const std::string module =
      "the checkpoint's weights hold NaN or infinities, or are extreme; "
      "sinter verify 'ROOT/unet/model.onnx' --bisect names the first module";
  for (const Row& row : {
           Row{"unet", "float16", "",
               "numbers overflow float16; convert with --precision fp32, bf16, or auto"},
           Row{"vae_decoder", "float16", "",
               "numbers overflow float16; convert with "
               "--vae-precision fp32, or auto"},
           Row{"unet", "float32", "float32",
               "this is no overflow of float16, it computes in float32: " + module},
           Row{"unet", "bfloat16", "float32",
               "this is no overflow of float16, it computes in bfloat16: " + module},
           Row{"unet", "float32", "float16",
               "the engine was let compute in float16, which overflows; leave out --arithmetic"},
           Row{"unet", nullptr, "", "if nothing computes in float16, " + module},
       }) {
    FakePipeline fake("sinter_nan_hint");
    if (row.compute != nullptr) {
      fake.write("sinter.json", std::string(R"({"graphs": {")") + row.component +
                                    R"(": {"compute": ")" + row.compute + R"("}}})");
    }
    spoil(fake.graphs[row.component], std::nanf(""));
    fake.graphs[row.component].info.arithmetic = row.arithmetic;
    Pipeline pipeline = Pipeline::open(fake.root, {.sessions = fake.sessions()});
    std::string hint = error_of(pipeline, {.steps = 1}).hint();
    if (const auto at = hint.find(fake.root.string()); at != hint.npos)
      hint.replace(at, fake.root.string().size(), "ROOT");
    EXPECT_EQ(hint, row.hint);
  }
}

TEST(Pipeline, ASchedulerThatDividesByZeroIsNotTheUNetsFault) {
  FakePipeline fake("sinter_zero_snr");
  fake.write("scheduler/scheduler_config.json",
             R"({"_class_name": "DDIMScheduler", "beta_schedule": "scaled_linear",
                 "clip_sample": false, "rescale_betas_zero_snr": true,
                 "timestep_spacing": "trailing"})");
  Pipeline pipeline = Pipeline::open(fake.root, {.sessions = fake.sessions()});
  const Error error = error_of(pipeline, {.steps = 2});
  EXPECT_EQ(error.code(), ErrorCode::kRuntime);
  EXPECT_TRUE(error.message().starts_with("the latents hold ")) << error.message();
  EXPECT_EQ(error.hint(),
            "a schedule that begins without signal (rescale_betas_zero_snr) needs v-prediction");
}

TEST(Pipeline, UNetsForOtherTasksAreNamed) {
  FakePipeline fake("sinter_foreign");
  Pipeline pipeline = Pipeline::open(fake.root, {.sessions = fake.sessions()});
  FakeGraph& unet = fake.graphs["unet"];
  unet.inputs.push_back(declare("timestep_cond", {-1, 256}));
  EXPECT_EQ(error_of(pipeline, {}).message(),
            "the unet has an input 'timestep_cond', which text to picture cannot fill");
  unet.inputs.pop_back();
  unet.inputs[0].shape = {-1, 9, -1, -1};
  EXPECT_EQ(error_of(pipeline, {}).code(), ErrorCode::kUnsupported);
  unet.inputs[0].shape = {-1, 4, -1, -1};
  unet.inputs.push_back(declare("text_embeds", {-1, 4}));
  EXPECT_EQ(error_of(pipeline, {}).code(), ErrorCode::kMissingTensor);
}

TEST(PipelineFolder, MissingPiecesAreNamed) {
  FakePipeline fake("sinter_missing");
  std::filesystem::remove(fake.root / "unet" / "model.onnx");
  try {
    read_pipeline_folder(fake.root);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), fake.root.string() +
                                   " has no unet/model.onnx; a picture needs text encoder, unet "
                                   "and vae_decoder");
    EXPECT_EQ(error.hint(), "sinter convert '/models/fake.safetensors' '" + fake.root.string() +
                                "' makes them all");
  }
  fake.write("unet/model.onnx", "");
  fake.write("unet/config.json", "{");
  EXPECT_THROW(read_pipeline_folder(fake.root), Error);
  EXPECT_THROW(read_pipeline_folder(fake.root / "nowhere"), Error);
}

TEST(PipelineFolder, TheNameOfAModelIsThatOfItsFileOrOfItsFolder) {
  FakePipeline fake("sinter_model_name");
  const std::pair<const char*, const char*> kRows[] = {
      {"/m/dream.v2.safetensors", "dream.v2"},
      {"/m/dream/unet/diffusion_pytorch_model.safetensors", "dream"},
      {"/m/dream/text_encoder/model.fp16.safetensors", "dream"},
  };
  for (const auto& [path, name] : kRows) {
    fake.write("sinter.json", std::string(R"({"sources": [{"path": ")") + path + R"("}]})");
    EXPECT_EQ(read_pipeline_folder(fake.root).model, name);
  }
}

TEST(PipelineFolder, GraphsNamedForAnotherProgramAreRefused) {
  FakePipeline fake("sinter_names");
  fake.write("sinter.json", R"({"io": "ldm"})");
  try {
    read_pipeline_folder(fake.root);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_EQ(error.message(), "the graphs of " + fake.root.string() +
                                   " have the names of 'ldm', expected those of 'optimum'");
  }
}

}  // namespace
}  // namespace sinter::pipeline
