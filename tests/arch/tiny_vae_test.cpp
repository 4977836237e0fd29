#include "sinter/arch/tiny_vae.h"

#include <gtest/gtest.h>

#include "sinter/arch/identity.h"
#include "sinter/arch/model.h"
#include "sinter/base/error.h"
#include "tests/arch/pipeline_folder.h"

namespace sinter::arch {
namespace {

using arch_test::load_manifest;
using arch_test::Manifest;
using arch_test::ManifestCheckpoint;

/// TAESD as its authors name it: the decoder counts the clamp that it begins with.
Manifest original(const std::string& encoder, const std::string& decoder) {
  Manifest manifest;
  for (const auto& tensor : load_manifest("diffusers/taesd").tensors) {
    constexpr std::string_view kBehind = "encoder.layers.";  // as long as the decoder's
    const bool decodes = tensor.name.starts_with("decoder.");
    const std::string rest = tensor.name.substr(kBehind.size());
    const std::size_t dot = rest.find('.');
    const int layer = std::stoi(rest.substr(0, dot)) + (decodes ? 1 : 0);
    manifest.add((decodes ? decoder : encoder) + std::to_string(layer) + rest.substr(dot),
                 tensor.shape);
  }
  return manifest;
}

Manifest half(const std::string& name) {
  const bool decodes = name == "decoder";
  Manifest manifest = original(decodes ? "no." : "", decodes ? "" : "no.");
  manifest.erase("no.");
  return manifest;
}

std::vector<int> blocks(const std::vector<VaeLevel>& levels) {
  std::vector<int> result;
  for (const VaeLevel& level : levels) result.push_back(level.resnets);
  return result;
}

const VaeConfig& vae_of(const Model& model) {
  return std::get<VaeConfig>(model.find("vae")->config);
}

void expect_published(const Manifest& manifest) {
  const ManifestCheckpoint checkpoint(manifest);
  const Model model = detect(*checkpoint);
  EXPECT_EQ(model.missing, std::vector<std::string>{});
  EXPECT_EQ(model.unexpected, std::vector<std::string>{});
  const VaeConfig& vae = vae_of(model);
  EXPECT_TRUE(vae.tiny);
  EXPECT_EQ(vae.scaling_factor, 1.0);
  EXPECT_EQ(vae.latent_channels, 4);
  EXPECT_EQ(vae.image_channels, 3);
  EXPECT_EQ(vae.factor(), 8);
  using Blocks = std::vector<int>;
  EXPECT_EQ(blocks(vae.encoder), vae.encoder.empty() ? Blocks{} : (Blocks{1, 3, 3, 3}));
  EXPECT_EQ(blocks(vae.decoder), vae.decoder.empty() ? Blocks{} : (Blocks{3, 3, 3, 1}));
}

TEST(TinyVae, IsReadInEveryLayout) {
  const Manifest diffusers = load_manifest("diffusers/taesd");
  for (const Manifest& manifest :
       {diffusers, original("encoder.", "decoder."), original("taesd_encoder.", "taesd_decoder."),
        original("first_stage_model.encoder.", "first_stage_model.decoder.")}) {
    expect_published(manifest);
    const ManifestCheckpoint checkpoint(manifest);
    const Model model = detect(*checkpoint);
    EXPECT_EQ(model.components.front().parameters, diffusers.parameters);
    for (const auto& tensor : diffusers.tensors)
      EXPECT_NE(model.find("vae")->weights.find(tensor.name), nullptr) << tensor.name;
  }
}

TEST(TinyVae, IsToldFromItsHalves) {
  for (const std::string name : {"encoder", "decoder"}) {
    expect_published(half(name));
    const ManifestCheckpoint checkpoint(half(name));
    EXPECT_EQ(identify(*checkpoint).sentence, "a tiny autoencoder (TAESD), the " + name + " alone");
    const Model model = detect(*checkpoint);
    EXPECT_EQ(vae_of(model).encoder.empty(), name == "decoder");
    EXPECT_EQ(vae_of(model).decoder.empty(), name == "encoder");
  }
}

TEST(TinyVae, NamesWhatIsMissingAsTheFileWould) {
  struct Case {
    Manifest manifest;
    std::vector<std::string> lost;
  };
  for (Case& each : std::vector<Case>{
           {half("decoder"), {"4.conv.2.weight", "7.weight"}},
           {half("encoder"), {"0.bias"}},
           {original("encoder.", "decoder."), {"decoder.18.conv.4.bias", "encoder.14.weight"}},
           {load_manifest("diffusers/taesd"), {"decoder.layers.17.conv.0.weight"}}}) {
    for (const std::string& name : each.lost) each.manifest.erase(name);
    const ManifestCheckpoint checkpoint(each.manifest);
    std::vector<std::string> missing = detect(*checkpoint).missing;
    std::ranges::sort(missing);
    std::ranges::sort(each.lost);
    EXPECT_EQ(missing, each.lost);
  }
}

std::string refusal(const Manifest& manifest) {
  const ManifestCheckpoint checkpoint(manifest);
  try {
    detect(*checkpoint);
    return "taken";
  } catch (const Error& error) {
    return error.message() + " (" + error.hint() + ")";
  }
}

TEST(TinyVae, OfLaterVariantsIsRefused) {
  Manifest manifest = half("decoder");
  manifest.add("3.pool.0.weight", {256, 64, 1, 1});
  EXPECT_EQ(refusal(manifest),
            "'3.pool.0.weight' is no part of the tiny autoencoder that sinter builds (the file may "
            "hold a later variant of TAESD)");
}

TEST(TinyVae, OfSixteenChannelsIsRefusedAlone) {
  Manifest manifest = half("decoder");
  manifest.at("1.weight").shape[1] = 16;
  EXPECT_NE(refusal(manifest).find("is a tiny autoencoder with 16 latent channels (TAESD3, TAEF1)"),
            std::string::npos)
      << refusal(manifest);
}

TEST(TinyVae, HasAConfigurationOfItsOwn) {
  arch_test::PipelineFolder folder;
  folder.add("vae", load_manifest("diffusers/taesd"), arch_test::kUNetFile);
  const auto with = [&](const char* text) {
    folder.write("vae/config.json", text);
    const weights::Checkpoint checkpoint = weights::Checkpoint::open(folder.path() / "vae");
    return vae_of(detect(checkpoint)).scaling_factor;
  };
  EXPECT_EQ(with(R"({"_class_name": "AutoencoderTiny", "act_fn": "relu", "latent_magnitude": 3,
                     "latent_shift": 0.5, "upsampling_scaling_factor": 2, "scaling_factor": 1.0})"),
            1.0);
  EXPECT_EQ(with(R"({"num_decoder_blocks": [3, 3, 3, 1], "act_fn": "relu",
                     "scaling_factor": 0.5})"),
            0.5);
  EXPECT_THROW(with(R"({"_class_name": "AutoencoderTiny", "act_fn": "silu"})"), Error);
}

// Transformers call their layers so too.
TEST(TinyVae, IsNoTransformer) {
  Manifest manifest;
  manifest.add("encoder.layers.0.self_attn.q_proj.weight", {64, 64});
  manifest.add("encoder.layers.1.fc1.weight", {64, 64});
  const ManifestCheckpoint checkpoint(manifest);
  EXPECT_NE(identify(*checkpoint).architecture, "taesd");
}

}  // namespace
}  // namespace sinter::arch
