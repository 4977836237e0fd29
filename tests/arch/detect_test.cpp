#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sinter/arch/model.h"
#include "sinter/arch/structure.h"
#include "sinter/base/error.h"
#include "tests/arch/manifest_checkpoint.h"

namespace sinter::arch {
namespace {

using arch_test::load_manifest;
using arch_test::Manifest;
using arch_test::ManifestCheckpoint;

const UNetConfig& unet_of(const Model& model) {
  return std::get<UNetConfig>(model.find("unet")->config);
}
const VaeConfig& vae_of(const Model& model) {
  return std::get<VaeConfig>(model.find("vae")->config);
}
const TextEncoderConfig& text_of(const Model& model, std::string_view name = "text_encoder") {
  return std::get<TextEncoderConfig>(model.find(name)->config);
}

std::vector<std::string> names_of(const Model& model) {
  std::vector<std::string> result;
  for (const Component& component : model.components) result.push_back(component.name);
  return result;
}
bool has_evidence(const Model& model, std::string_view part) {
  return std::ranges::any_of(model.evidence, [&](const std::string& sentence) {
    return sentence.find(part) != std::string::npos;
  });
}

using Names = std::vector<std::string>;
TEST(Detect, ReadsTheTextEncoderOfStableDiffusion1) {
  const ManifestCheckpoint checkpoint("sd15");
  const TextEncoderConfig text = text_of(detect(*checkpoint));
  EXPECT_EQ(text.vocabulary, 49408);
  EXPECT_EQ(text.positions, 77);
  EXPECT_EQ(text.width, 768);
  EXPECT_EQ(text.heads, 12);
  EXPECT_EQ(text.layers, 12);
  EXPECT_EQ(text.mlp_width, 3072);
  EXPECT_EQ(text.projection_dim, 0);
  EXPECT_EQ(text.activation, Activation::kQuickGelu);
  EXPECT_EQ(text.state, TextState::kLast);
  EXPECT_FALSE(text.pooled_projection);
}

TEST(Detect, ReadsTheTextEncoderOfStableDiffusion2) {
  const ManifestCheckpoint checkpoint("sd21");
  const TextEncoderConfig text = text_of(detect(*checkpoint));
  EXPECT_EQ(text.width, 1024);
  EXPECT_EQ(text.heads, 16);
  EXPECT_EQ(text.layers, 24);
  EXPECT_EQ(text.mlp_width, 4096);
  EXPECT_EQ(text.projection_dim, 1024);
  EXPECT_EQ(text.activation, Activation::kGelu);
  EXPECT_EQ(text.state, TextState::kPenultimateNormed);
  EXPECT_FALSE(text.pooled_projection);
}

TEST(Detect, ReadsBothTextEncodersOfStableDiffusionXl) {
  const ManifestCheckpoint checkpoint("sdxl-base");
  const Model model = detect(*checkpoint);
  const TextEncoderConfig first = text_of(model);
  EXPECT_EQ(first.width, 768);
  EXPECT_EQ(first.activation, Activation::kQuickGelu);
  EXPECT_EQ(first.state, TextState::kPenultimate);
  EXPECT_FALSE(first.pooled_projection);
  const TextEncoderConfig second = text_of(model, "text_encoder_2");
  EXPECT_EQ(second.width, 1280);
  EXPECT_EQ(second.heads, 20);
  EXPECT_EQ(second.layers, 32);
  EXPECT_EQ(second.mlp_width, 5120);
  EXPECT_EQ(second.projection_dim, 1280);
  EXPECT_EQ(second.activation, Activation::kGelu);
  EXPECT_EQ(second.state, TextState::kPenultimate);
  EXPECT_TRUE(second.pooled_projection);
}

TEST(Detect, ReadsTheAutoencoder) {
  for (const char* manifest : {"sd15", "vae-standalone", "diffusers/vae-kl-f8"}) {
    const ManifestCheckpoint checkpoint(manifest);
    const Model model = detect(*checkpoint);
    EXPECT_EQ(model.missing, Names{}) << manifest;
    EXPECT_EQ(model.unexpected, Names{}) << manifest;
    EXPECT_EQ(model.find("vae")->parameters, 83653863) << manifest;
    const VaeConfig vae = vae_of(model);
    EXPECT_EQ(vae.image_channels, 3);
    EXPECT_EQ(vae.latent_channels, 4);
    const std::vector<std::int64_t> wide{128, 256, 512, 512};
    ASSERT_EQ(vae.encoder.size(), 4U);
    ASSERT_EQ(vae.decoder.size(), 4U);
    for (std::size_t level = 0; level < 4; ++level) {
      EXPECT_EQ(vae.encoder[level].channels, wide[level]);
      EXPECT_EQ(vae.encoder[level].resnets, 2);
      EXPECT_EQ(vae.encoder[level].resample, level != 3);
      EXPECT_EQ(vae.decoder[level].channels, wide[3 - level]);
      EXPECT_EQ(vae.decoder[level].resnets, 3);
      EXPECT_EQ(vae.decoder[level].resample, level != 3);
    }
    EXPECT_TRUE(vae.encoder_attention && vae.decoder_attention);
    EXPECT_TRUE(vae.quant_conv && vae.post_quant_conv);
    EXPECT_EQ(vae.factor(), 8);
    EXPECT_EQ(vae.scaling_factor, 0.18215);
  }
}

TEST(Detect, KnowsTheScalingOfStableDiffusionXl) {
  for (const char* manifest : {"sdxl-base", "sdxl-refiner"}) {
    const ManifestCheckpoint checkpoint(manifest);
    EXPECT_EQ(vae_of(detect(*checkpoint)).scaling_factor, 0.13025);
  }
  const ManifestCheckpoint alone("vae-standalone");
  EXPECT_EQ(vae_of(detect(*alone, {.family = "sdxl-base"})).scaling_factor, 0.13025);
  EXPECT_TRUE(has_evidence(detect(*alone), "does not tell"));
}

TEST(Detect, SplitsAFusedProjectionIntoRows) {
  const ManifestCheckpoint checkpoint("sd21");
  const Model model = detect(*checkpoint);
  const WeightMap& weights = model.find("text_encoder")->weights;
  const std::string layer = "text_model.encoder.layers.5.self_attn.";
  std::int64_t row = 0;
  for (const char* part : {"q_proj", "k_proj", "v_proj"}) {
    const WeightSource* weight = weights.find(layer + part + ".weight");
    ASSERT_NE(weight, nullptr) << part;
    EXPECT_EQ(weight->tensor->name,
              "cond_stage_model.model.transformer.resblocks.5.attn.in_proj_weight");
    EXPECT_EQ(weight->first_row, row);
    EXPECT_EQ(logical_shape(*weight), (Shape{1024, 1024}));
    EXPECT_EQ(logical_shape(*weights.find(layer + part + ".bias")), (Shape{1024}));
    row += 1024;
  }
  EXPECT_TRUE(weights.find("text_projection.weight")->transposed);
}

TEST(Detect, TurnsTheOriginalDecoderRound) {
  const ManifestCheckpoint checkpoint("sd15");
  const Model model = detect(*checkpoint);
  const WeightMap& weights = model.find("vae")->weights;
  EXPECT_EQ(weights.find("decoder.up_blocks.0.resnets.0.conv1.weight")->tensor->name,
            "first_stage_model.decoder.up.3.block.0.conv1.weight");
  EXPECT_EQ(weights.find("decoder.up_blocks.2.upsamplers.0.conv.weight")->tensor->name,
            "first_stage_model.decoder.up.1.upsample.conv.weight");
  EXPECT_EQ(weights.find("decoder.mid_block.attentions.0.to_out.0.weight")->tensor->name,
            "first_stage_model.decoder.mid.attn_1.proj_out.weight");
}

TEST(Detect, GivesBothLayoutsOfAUNetTheSameNames) {
  const ManifestCheckpoint original("sdxl-base");
  const ManifestCheckpoint diffusers(load_manifest("diffusers/sdxl-unet"));
  const Model a = detect(*original);
  const Model b = detect(*diffusers);
  EXPECT_EQ(a.find("unet")->layout, "original");
  EXPECT_EQ(a.find("unet")->prefix, "model.diffusion_model.");
  EXPECT_EQ(b.find("unet")->layout, "diffusers");
  EXPECT_EQ(b.find("unet")->prefix, "");
  const auto& left = a.find("unet")->weights.all();
  const auto& right = b.find("unet")->weights.all();
  ASSERT_EQ(left.size(), right.size());
  for (auto l = left.begin(), r = right.begin(); l != left.end(); ++l, ++r) {
    EXPECT_EQ(l->first, r->first);
    EXPECT_EQ(logical_shape(l->second), logical_shape(r->second)) << l->first;
  }
}

TEST(Detect, TakesBareOriginalComponents) {
  Manifest unet = load_manifest("sdxl-refiner");
  unet.keep("model.diffusion_model.");
  unet.rename("model.diffusion_model.", "");
  const Model refiner = detect(*ManifestCheckpoint(unet));
  EXPECT_EQ(refiner.family, "sdxl-refiner");
  EXPECT_EQ(unet_of(refiner).time_ids, 5);
  EXPECT_EQ(refiner.missing, Names{});
  EXPECT_EQ(refiner.unexpected, Names{});

  Manifest text = load_manifest("sd21");
  text.keep("cond_stage_model.model.");
  text.rename("cond_stage_model.model.", "");
  const Model tower = detect(*ManifestCheckpoint(text));
  EXPECT_EQ(tower.family, "sd21");
  EXPECT_EQ(text_of(tower).layers, 24);
  EXPECT_EQ(tower.unexpected, Names{});
}

TEST(Detect, TellsTextEncodersInTransformersLayout) {
  const Model clip = detect(*ManifestCheckpoint(load_manifest("diffusers/text-encoder-clip-l")));
  EXPECT_EQ(clip.family, "sd15");
  EXPECT_EQ(names_of(clip), Names{"text_encoder"});
  EXPECT_EQ(clip.missing, Names{});
  EXPECT_EQ(clip.unexpected, Names{});
  const Model big = detect(*ManifestCheckpoint(load_manifest("diffusers/text-encoder-2-bigG")));
  EXPECT_EQ(big.family, "sdxl-base");
  EXPECT_EQ(names_of(big), Names{"text_encoder_2"});
  EXPECT_EQ(text_of(big, "text_encoder_2").projection_dim, 1280);
  EXPECT_TRUE(text_of(big, "text_encoder_2").pooled_projection);
  EXPECT_EQ(big.missing, Names{});
  EXPECT_EQ(big.unexpected, Names{});
}

TEST(Detect, TakesTextEncodersWithoutTheTextModelLevel) {
  Manifest manifest = load_manifest("tiny/sd1");
  manifest.rename("cond_stage_model.transformer.text_model.", "cond_stage_model.transformer.");
  const Model model = detect(*ManifestCheckpoint(manifest));
  EXPECT_EQ(model.missing, Names{});
  EXPECT_EQ(model.unexpected, Names{});
}

TEST(Detect, TakesTheAttentionNamesOfOlderDiffusers) {
  Manifest manifest = load_manifest("diffusers/vae-kl-f8");
  for (const char* half : {"encoder", "decoder"}) {
    const std::string at = std::string(half) + ".mid_block.attentions.0.";
    manifest.rename(at + "to_q.", at + "query.");
    manifest.rename(at + "to_k.", at + "key.");
    manifest.rename(at + "to_v.", at + "value.");
    manifest.rename(at + "to_out.0.", at + "proj_attn.");
  }
  const Model model = detect(*ManifestCheckpoint(manifest));
  EXPECT_EQ(model.missing, Names{});
  EXPECT_EQ(model.unexpected, Names{});
}

TEST(Detect, SaysThatStableDiffusion2HidesItsPrediction) {
  const Model model = detect(*ManifestCheckpoint(load_manifest("sd21")));
  EXPECT_FALSE(model.prediction.has_value());
  EXPECT_NE(model.prediction_evidence.find("same names and shapes"), std::string::npos);
  const Model given =
      detect(*ManifestCheckpoint(load_manifest("sd21")), {.prediction = Prediction::kV});
  EXPECT_EQ(given.prediction, Prediction::kV);
}

TEST(Detect, HasNoPredictionWithoutAUNet) {
  const Model model = detect(*ManifestCheckpoint(load_manifest("vae-standalone")));
  EXPECT_FALSE(model.prediction.has_value());
  EXPECT_EQ(model.prediction_evidence, "the file has no UNet");
}

TEST(Detect, ListsWhatIsMissing) {
  Manifest manifest = load_manifest("sd15");
  manifest.erase("model.diffusion_model.input_blocks.4.1.proj_in.weight");
  const Model model = detect(*ManifestCheckpoint(manifest));
  EXPECT_EQ(model.missing, Names{"model.diffusion_model.input_blocks.4.1.proj_in.weight"});
  EXPECT_EQ(model.unexpected, Names{});
}

TEST(Detect, NamesAMissingComponent) {
  Manifest manifest = load_manifest("sd15");
  manifest.erase("first_stage_model.");
  const Model model = detect(*ManifestCheckpoint(manifest));
  EXPECT_EQ(model.missing, Names{"vae (the whole component)"});
}

TEST(Detect, ListsWhatNobodyClaims) {
  Manifest manifest = load_manifest("tiny/sd1");
  manifest.add("model.diffusion_model.input_blocks.1.1.gate", {1});
  manifest.add("somebody.else", {2, 2});
  const Model model = detect(*ManifestCheckpoint(manifest));
  EXPECT_EQ(model.unexpected,
            (Names{"model.diffusion_model.input_blocks.1.1.gate", "somebody.else"}));
}

TEST(Detect, CountsMovingAveragesApart) {
  Manifest manifest = load_manifest("tiny/sd1");
  manifest.add("model_ema.decay", {});
  manifest.add("model_ema.diffusion_modelout2bias", {4});
  const Model model = detect(*ManifestCheckpoint(manifest));
  EXPECT_EQ(model.unexpected, Names{});
  EXPECT_TRUE(has_evidence(model, "2 moving averages"));
}

TEST(Detect, RefusesShapesThatContradictEachOther) {
  Manifest manifest = load_manifest("sd15");
  manifest.at("model.diffusion_model.output_blocks.5.0.in_layers.2.weight").shape = {1280, 1919, 3,
                                                                                     3};
  try {
    detect(*ManifestCheckpoint(manifest));
    FAIL() << "took it";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kShapeMismatch);
    EXPECT_EQ(error.message(),
              "'model.diffusion_model.output_blocks.5.0.in_layers.2.weight' is [1280,1919,3,3], "
              "expected [1280,1920,3,3]");
  }
}

TEST(Detect, RefusesAFamilyThatTheFileIsNot) {
  const ManifestCheckpoint checkpoint("sd15-inpainting");
  try {
    detect(*checkpoint, {.family = "sd15"});
    FAIL() << "took it";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "'model.diffusion_model.input_blocks.0.0.weight' is [320,9,3,3], expected "
                 "[320,4,3,3]\nhint: 9 input channels are Stable Diffusion 1.x inpainting; try "
                 "--family sd15-inpaint");
  }
  EXPECT_THROW(detect(*checkpoint, {.family = "sd21-inpaint"}), Error);
  EXPECT_THROW(detect(*checkpoint, {.family = "sdxl-base"}), Error);
}

TEST(Detect, RefusesATextEncoderOfAnotherFamily) {
  Manifest manifest = load_manifest("sd15");
  Manifest other = load_manifest("tiny/sd1");
  manifest.erase("cond_stage_model.");
  other.keep("cond_stage_model.");
  manifest.tensors.insert(manifest.tensors.end(), other.tensors.begin(), other.tensors.end());
  try {
    detect(*ManifestCheckpoint(manifest));
    FAIL() << "took it";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "the UNet reads a context 768 wide, the text encoders give 64");
  }
}

TEST(Detect, RefusesAnUnknownFamilyWithTheList) {
  try {
    detect(*ManifestCheckpoint(load_manifest("tiny/sd1")), {.family = "sd14"});
    FAIL() << "took it";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_EQ(error.message(), "unknown family 'sd14'");
    EXPECT_NE(error.hint().find("sd15, sd15-inpaint"), std::string::npos);
  }
}

TEST(Detect, RefusesWhatIsNoStableDiffusionInWords) {
  Manifest manifest = load_manifest("controlnet-sd15");
  manifest.rename("control_model.", "");
  manifest.add("lora_controlnet", {0});
  const ManifestCheckpoint checkpoint(manifest);
  try {
    detect(*checkpoint);
    FAIL() << "took it";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_EQ(error.message(),
              "'model.safetensors' is a control LoRA for Stable Diffusion 1.x");
    EXPECT_FALSE(error.hint().empty());
  }
}

void expect_error(const Manifest& manifest, ErrorCode code, const std::string& message) {
  try {
    detect(*ManifestCheckpoint(manifest));
    ADD_FAILURE() << "took it";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_EQ(error.message(), message);
  }
}

TEST(Detect, RefusesWeightsThatAreNoFloatingNumbers) {
  for (const auto& [dtype, word] :
       {std::pair("BOOL", "bool"), std::pair("I8", "int8"), std::pair("U8", "uint8"),
        std::pair("I64", "int64"), std::pair("U16", "uint16")}) {
    Manifest manifest = load_manifest("tiny/sd1");
    manifest.at("model.diffusion_model.input_blocks.0.0.weight").dtype = dtype;
    expect_error(manifest, ErrorCode::kDTypeMismatch,
                 std::string("'model.diffusion_model.input_blocks.0.0.weight' is ") + word +
                     ", expected a floating type");
  }
}

TEST(Detect, TakesIntegersThatAreNoWeights) {
  Manifest manifest = load_manifest("tiny/sd1");
  manifest.add("somebody.else", {2, 2}, "I8");
  EXPECT_EQ(detect(*ManifestCheckpoint(manifest)).unexpected, Names{"somebody.else"});
}

TEST(Detect, RefusesWeightsWithoutElements) {
  Manifest manifest = load_manifest("tiny/sd1");
  manifest.at("model.diffusion_model.input_blocks.0.0.weight").shape = {0, 4, 3, 3};
  expect_error(manifest, ErrorCode::kShapeMismatch,
               "'model.diffusion_model.input_blocks.0.0.weight' is [0,4,3,3]: it has no elements");
}

TEST(Detect, AStrayKeyOfAnAdapterDoesNotHideACheckpoint) {
  Manifest manifest = load_manifest("tiny/sd1");
  const std::string stray = "lora_unet_down_blocks_0_attentions_0_proj_in.lora_down.weight";
  manifest.add(stray, {4, 32});
  const Model model = detect(*ManifestCheckpoint(manifest));
  EXPECT_EQ(model.family, "sd15");
  EXPECT_EQ(model.unexpected, std::vector<std::string>{stray});
}

TEST(Detect, RefusesATokenTableShorterThanTheVocabulary) {
  const std::string table =
      "cond_stage_model.transformer.text_model.embeddings.token_embedding.weight";
  Manifest manifest = load_manifest("tiny/sd1");
  const std::int64_t width = manifest.at(table).shape[1];
  for (const std::int64_t rows : {std::int64_t{49407}, std::int64_t{1000}, std::int64_t{0}}) {
    manifest.at(table).shape = {rows, width};
    expect_error(manifest, ErrorCode::kShapeMismatch,
                 "'" + table + "' is [" + std::to_string(rows) + "," + std::to_string(width) +
                     "], expected at least 49408 rows: one for each id of the vocabulary");
  }
  manifest.at(table).shape = {49410, width};
  EXPECT_EQ(text_of(detect(*ManifestCheckpoint(manifest))).vocabulary, 49410);
}

TEST(Detect, RefusesHeadsThatDoNotDivideALevel) {
  Manifest manifest = load_manifest("tiny/sd2");
  // Levels 64, 128, 128, 128 wide with heads of 64; half as wide again, 96 is no multiple.
  for (auto& tensor : manifest.tensors) {
    if (!tensor.name.starts_with("model.diffusion_model.")) continue;
    const bool reads_text = tensor.name.find("attn2.to_k") != std::string::npos ||
                            tensor.name.find("attn2.to_v") != std::string::npos;
    for (std::size_t axis = 0; axis < (reads_text ? 1 : tensor.shape.size()); ++axis)
      if (tensor.shape[axis] % 64 == 0) tensor.shape[axis] += tensor.shape[axis] / 2;
  }
  try {
    detect(*ManifestCheckpoint(manifest));
    FAIL() << "took it";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(),
              "level 0 of the UNet has 96 channels, expected a multiple of the 64 of a head");
  }
}

TEST(Detect, RefusesQuantisedWeightsByName) {
  Manifest manifest = load_manifest("tiny/sd1");
  manifest.add("model.diffusion_model.scaled_fp8", {2});
  manifest.add("model.diffusion_model.out.2.scale_weight", {1});
  for (const DetectOptions& options : {DetectOptions{}, DetectOptions{.family = "sd15"}}) {
    try {
      detect(*ManifestCheckpoint(manifest), options);
      ADD_FAILURE() << "took it";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
      EXPECT_EQ(error.message(),
                "'model.safetensors' is a Stable Diffusion 1.x checkpoint with float8 weights and "
                "a scale for each (ComfyUI)");
    }
  }
}

TEST(Detect, DoesNotReadPastAShapeOfTooFewAxes) {
  Manifest manifest = load_manifest("sd15");
  manifest.at("model.diffusion_model.input_blocks.0.0.weight").shape = {320};
  manifest.erase("model.diffusion_model.out.2.bias");
  const Model model = detect(*ManifestCheckpoint(manifest), {.family = "sd15"});
  EXPECT_EQ(model.missing, Names{"model.diffusion_model.out.2.bias"});
}

}  // namespace
}  // namespace sinter::arch
