#include "sinter/convert/external_vae.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/tensor.h"
#include "sinter/convert/convert.h"
#include "sinter/runtime/session.h"
#include "sinter/weights/safetensors_writer.h"
#include "tests/convert/stand_in.h"

namespace sinter::convert {
namespace {
namespace fs = std::filesystem;
using Json = nlohmann::json;

/// A tensor of a file to write: another's bytes under a name and a shape.
struct Renamed {
  std::string name;
  Shape shape;
  const weights::TensorEntry* from;
};

void write_file(const fs::path& path, const weights::Checkpoint& source,
                const std::vector<Renamed>& tensors,
                const std::map<std::string, std::string>& metadata = {}) {
  std::vector<weights::PlannedTensor> planned;
  std::map<std::string, const weights::TensorEntry*> from;
  for (const Renamed& tensor : tensors) {
    planned.push_back({tensor.name, tensor.from->dtype, tensor.shape});
    from[tensor.name] = tensor.from;
  }
  weights::sort_for_alignment(planned);
  weights::SafetensorsWriter writer(path, planned, metadata);
  for (const weights::PlannedTensor& tensor : planned)
    writer.write(source.bytes(*from.at(tensor.name)));
  writer.commit();
}

/// Names of the attention in the middle, and whether it consists of matrices.
struct Style {
  const char* name;
  const char* q;
  const char* k;
  const char* v;
  const char* out;
};
constexpr Style kStyles[] = {{"ldm", "q", "k", "v", "proj_out"},
                             {"old", "query", "key", "value", "proj_attn"},
                             {"new", "to_q", "to_k", "to_v", "to_out.0"}};

class ExternalVaeTest : public testing::Test {
 protected:
  /// The autoencoder of the stand-in, as another file would have it. prefix: before all names.
  void write_vae(const fs::path& path, bool diffusers, const Style& style, bool matrices,
                 const std::string& prefix = "") {
    const arch::Model model = arch::detect(checkpoint_);
    std::vector<Renamed> tensors;
    for (const auto& [canonical, source] : model.find("vae")->weights.all()) {
      constexpr std::string_view kPrefix = "first_stage_model.";
      std::string name = diffusers ? canonical : source.tensor->name.substr(kPrefix.size());
      Shape shape = source.tensor->shape;
      restyle(name, canonical, style);
      if (canonical.find("attentions.0.to_") != canonical.npos && shape.size() >= 2) {
        shape.resize(2);
        if (!matrices) shape.insert(shape.end(), {1, 1});
      }
      tensors.push_back({prefix + name, shape, source.tensor});
    }
    write_file(path, checkpoint_, tensors);
  }

  static void restyle(std::string& name, const std::string& canonical, const Style& style) {
    const std::pair<const char*, const char*> parts[] = {
        {"to_q", style.q}, {"to_k", style.k}, {"to_v", style.v}, {"to_out.0", style.out}};
    for (const auto& [part, word] : parts) {
      const std::size_t at = canonical.find(fmt::format("attentions.0.{}.", part));
      if (at == canonical.npos) continue;
      const std::string ending = canonical.substr(canonical.rfind('.'));
      const std::string place =
          name.find("attn_1") != name.npos ? "mid.attn_1." : "mid_block.attentions.0.";
      name = canonical.substr(0, canonical.find('.') + 1) + place + word + ending;
    }
  }

  ConvertReport convert_with(const std::optional<ExternalVae>& vae, const std::string& out,
                             const fs::path& checkpoint = {}) {
    ConvertOptions options;
    options.components = {"vae"};
    options.vae = vae;
    return convert(checkpoint.empty() ? path_ : checkpoint, folder_.path() / out, options);
  }

  std::vector<float> run(const std::string& out, const std::string& graph) const {
    const auto model = graph::OnnxModel::load(folder_.path() / out / graph / "model.onnx");
    const auto session = runtime::open_session(runtime::Engine::kOnnxRuntime, model);
    const bool decoder = graph == "vae_decoder";
    Tensor input(DType::kF32, decoder ? Shape{1, 4, 6, 5} : Shape{1, 3, 24, 16});
    float value = -1;
    for (float& element : input.floats()) element = value = value > 1 ? -1 : value + 0.01f;
    const Tensor result =
        session->run({{decoder ? "latent_sample" : "sample", input}}).begin()->second;
    return {result.floats().begin(), result.floats().end()};
  }

  static double scaling(const ConvertReport& report) {
    return std::get<arch::VaeConfig>(report.model.find("vae")->config).scaling_factor;
  }

  /// An autoencoder of the stand-in's shapes that was made apart from it; `change` alters shapes.
  void write_stranger(const std::string& file,
                      const std::function<void(const std::string&, Json&)>& change = {}) {
    Json manifest = Json::parse(read_text(fs::path(SINTER_TEST_DATA) / "manifests/tiny/sd1.json"));
    constexpr std::string_view kPrefix = "first_stage_model.";
    Json kept = Json::array();
    for (Json& tensor : manifest["tensors"]) {
      std::string name = tensor[0];
      if (!name.starts_with(kPrefix)) continue;
      name.erase(0, kPrefix.size());
      if (change) change(name, tensor[2]);
      tensor[0] = name;
      kept.push_back(tensor);
    }
    manifest["tensors"] = kept;
    std::ofstream(in_folder("manifest.json")) << manifest;
    synth::write_stand_in(in_folder("manifest.json"), in_folder(file),
                          {.dtype = DType::kF16, .prefix = {}, .threads = 1, .progress = {}});
  }

  std::string refusal(const ExternalVae& vae, const fs::path& checkpoint = {}) {
    try {
      convert_with(vae, "refused", checkpoint);
      return "taken";
    } catch (const Error& error) {
      return error.message() + (error.hint().empty() ? "" : " (" + error.hint() + ")");
    }
  }

  fs::path in_folder(const std::string& name) const { return folder_.path() / name; }

  TemporaryFolder folder_{std::string("external-vae-") +
                          testing::UnitTest::GetInstance()->current_test_info()->name()};
  fs::path path_ = stand_in(folder_.path(), "tiny/sd1");
  weights::Checkpoint checkpoint_ = weights::Checkpoint::open(path_);
};

TEST_F(ExternalVaeTest, OfEveryLayoutStyleAndShapeGivesTheSameNumbers) {
  convert_with({}, "own");
  const std::vector<float> image = run("own", "vae_decoder");
  const std::vector<float> moments = run("own", "vae_encoder");
  for (const bool diffusers : {false, true}) {
    for (const Style& style : kStyles) {
      for (const bool matrices : {false, true}) {
        const std::string name =
            fmt::format("{}-{}-{}", diffusers ? "diffusers" : "original", style.name, matrices);
        write_vae(in_folder(name + ".safetensors"), diffusers, style, matrices);
        const ConvertReport report =
            convert_with(ExternalVae{{in_folder(name + ".safetensors")}}, name);
        EXPECT_EQ(run(name, "vae_decoder"), image) << name;
        EXPECT_EQ(run(name, "vae_encoder"), moments) << name;
        EXPECT_EQ(report.warnings, std::vector<std::string>{}) << name;
        EXPECT_EQ(report.model.missing, std::vector<std::string>{}) << name;
      }
    }
  }
}

TEST_F(ExternalVaeTest, IsTakenOutOfCheckpointsAndFolders) {
  convert_with({}, "own");
  const std::vector<float> image = run("own", "vae_decoder");
  write_vae(in_folder("prefixed.safetensors"), false, kStyles[0], false, "first_stage_model.");
  fs::create_directories(in_folder("component"));
  write_vae(in_folder("component/diffusion_pytorch_model.safetensors"), true, kStyles[2], true);
  fs::create_directories(in_folder("pipeline/vae"));
  fs::copy(in_folder("component/diffusion_pytorch_model.safetensors"), in_folder("pipeline/vae"));
  std::ofstream(in_folder("pipeline/model_index.json"))
      << R"({"_class_name": "X", "vae": ["diffusers", "AutoencoderKL"]})";
  for (const fs::path& file :
       {in_folder("prefixed.safetensors"), path_, in_folder("component"), in_folder("pipeline")}) {
    convert_with(ExternalVae{{file}}, "out");
    EXPECT_EQ(run("out", "vae_decoder"), image) << file;
  }
}

TEST_F(ExternalVaeTest, TakesThePlaceOfTheCheckpointsOwn) {
  convert_with({}, "own");
  write_vae(in_folder("plain.safetensors"), true, kStyles[2], true);
  // Another network: one convolution has the weights of another.
  const weights::Checkpoint vae = weights::Checkpoint::open(in_folder("plain.safetensors"));
  std::vector<Renamed> tensors;
  for (const weights::TensorEntry& tensor : vae.tensors())
    tensors.push_back({tensor.name, tensor.shape,
                       tensor.name == "decoder.mid_block.resnets.0.conv1.weight"
                           ? vae.find("decoder.mid_block.resnets.0.conv2.weight")
                           : &tensor});
  write_file(in_folder("changed.safetensors"), vae, tensors);
  const ConvertReport report = convert_with(ExternalVae{{in_folder("changed.safetensors")}}, "out");
  EXPECT_NE(run("out", "vae_decoder"), run("own", "vae_decoder"));
  EXPECT_EQ(scaling(report), 0.18215);
  ASSERT_GE(report.model.evidence.size(), 2u);
  EXPECT_EQ(report.model.evidence[report.model.evidence.size() - 2],
            "the autoencoder is changed.safetensors's");
  EXPECT_EQ(report.model.evidence.back(),
            "its weights are akin to those of the checkpoint's own (correlation 1.00)");
  EXPECT_EQ(report.warnings, std::vector<std::string>{});
}

TEST_F(ExternalVaeTest, WithOtherLatentsIsRefusedWithBothNumbers) {
  write_stranger("flux.safetensors", [](const std::string& name, Json& shape) {
    if (name == "decoder.conv_in.weight") shape[1] = 16;
  });
  EXPECT_EQ(refusal(ExternalVae{{in_folder("flux.safetensors")}}),
            fmt::format("the autoencoder in {} has 16 latent channels, the UNet of {} writes 4 (16 "
                        "latent channels are those of Flux's and Stable Diffusion 3's "
                        "autoencoders)",
                        in_folder("flux.safetensors").string(), path_.string()));
}

TEST_F(ExternalVaeTest, IsHeldAgainstTheCheckpointsOwn) {
  struct Case {
    const char* file;
    const char* warning;  // its end behind the file's path; empty: there is none
  };
  constexpr const char* kXl =
      " looks made for Stable Diffusion XL base: it is called 'sdxl_vae.safetensors', and its "
      "weights are not akin to the checkpoint's own (correlation 0.0";
  constexpr const char* kUnknown = " is not akin to the checkpoint's own (correlation 0.0";
  for (const Case& each :
       {Case{"sdxl_vae.safetensors", kXl}, Case{"vae-ft-mse-840000.safetensors", ""},
        Case{"mine.safetensors", kUnknown}}) {
    write_stranger(each.file);
    const ConvertReport report = convert_with(ExternalVae{{in_folder(each.file)}}, "out");
    const std::string expected = "the autoencoder in " + in_folder(each.file).string();
    if (*each.warning == '\0') {
      EXPECT_EQ(report.warnings, std::vector<std::string>{});
      continue;
    }
    ASSERT_EQ(report.warnings.size(), 1u) << each.file;
    EXPECT_TRUE(report.warnings[0].starts_with(expected + each.warning)) << report.warnings[0];
    EXPECT_EQ(scaling(report), 0.18215) << "the space is the UNet's";
  }
  // Whatever it is called: these weights were not trained from scratch.
  write_vae(in_folder("sdxl.safetensors"), true, kStyles[2], true);
  EXPECT_EQ(convert_with(ExternalVae{{in_folder("sdxl.safetensors")}}, "out").warnings,
            std::vector<std::string>{});
}

TEST_F(ExternalVaeTest, OfStableDiffusion1OnXlIsToldToo) {
  const fs::path xl = stand_in(folder_.path(), "tiny/sdxl-base");
  write_stranger("vae-ft-mse.safetensors");
  const ConvertReport report =
      convert_with(ExternalVae{{in_folder("vae-ft-mse.safetensors")}}, "out", xl);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_NE(report.warnings[0].find("looks made for Stable Diffusion 1.x and Stable Diffusion 2.x: "
                                    "it is called 'vae-ft-mse.safetensors'"),
            std::string::npos)
      << report.warnings[0];
  EXPECT_EQ(scaling(report), 0.13025);
}

TEST_F(ExternalVaeTest, OfAFolderHasTheScalingThatItSays) {
  fs::create_directories(in_folder("vae"));
  write_stranger("vae/diffusion_pytorch_model.safetensors");
  std::ofstream(in_folder("vae/config.json")) << R"({"scaling_factor": 0.13025})";
  const ConvertReport report = convert_with(ExternalVae{{in_folder("vae")}}, "out");
  EXPECT_EQ(scaling(report), 0.13025);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_NE(report.warnings[0].find("its config.json has scaling_factor 0.13025"),
            std::string::npos)
      << report.warnings[0];
}

TEST_F(ExternalVaeTest, IsRefusedWhereThereIsNone) {
  const weights::TensorEntry& any = checkpoint_.tensors().front();
  write_file(in_folder("lora.safetensors"), checkpoint_,
             {{"lora_unet_x.lora_down.weight", any.shape, &any}});
  EXPECT_EQ(refusal(ExternalVae{{in_folder("lora.safetensors")}}),
            in_folder("lora.safetensors").string() +
                " is a LoRA in kohya's layout, rank 1, expected an autoencoder");
}

/// TAESD in the original's names, of both halves or of one.
class TinyExternalVaeTest : public ExternalVaeTest {
 protected:
  void write_original(const std::string& file, const std::string& half) {
    std::vector<Renamed> tensors;
    for (const weights::TensorEntry& tensor : taesd_.tensors()) {
      const bool decodes = tensor.name.starts_with("decoder.");
      if (!half.empty() && decodes != (half == "decoder")) continue;
      std::string rest = tensor.name.substr(std::string_view("encoder.layers.").size());
      const std::size_t dot = rest.find('.');
      rest = std::to_string(std::stoi(rest) + (decodes ? 1 : 0)) + rest.substr(dot);
      const std::string prefix = half.empty() ? (decodes ? "decoder." : "encoder.") : "";
      tensors.push_back({prefix + rest, tensor.shape, &tensor});
    }
    write_file(in_folder(file), taesd_, tensors);
  }

  fs::path taesd_path_ = stand_in(folder_.path(), "diffusers/taesd");
  weights::Checkpoint taesd_ = weights::Checkpoint::open(taesd_path_);
};

TEST_F(TinyExternalVaeTest, OfEveryLayoutGivesTheSameNumbers) {
  convert_with(ExternalVae{{taesd_path_}, true}, "diffusers");
  const std::vector<float> image = run("diffusers", "vae_decoder");
  const std::vector<float> latent = run("diffusers", "vae_encoder");
  write_original("taesd.safetensors", "");
  write_original("taesd_decoder.safetensors", "decoder");
  write_original("taesd_encoder.safetensors", "encoder");

  convert_with(ExternalVae{{in_folder("taesd.safetensors")}}, "both");
  EXPECT_EQ(run("both", "vae_decoder"), image);
  EXPECT_EQ(run("both", "vae_encoder"), latent);
  convert_with(
      ExternalVae{{in_folder("taesd_decoder.safetensors"), in_folder("taesd_encoder.safetensors")},
                  true},
      "two");
  EXPECT_EQ(run("two", "vae_decoder"), image);
  EXPECT_EQ(run("two", "vae_encoder"), latent);
  const ConvertReport alone =
      convert_with(ExternalVae{{in_folder("taesd_decoder.safetensors")}, true}, "alone");
  EXPECT_EQ(run("alone", "vae_decoder"), image);
  EXPECT_FALSE(fs::exists(in_folder("alone/vae_encoder")));
  EXPECT_EQ(scaling(alone), 1.0);
  EXPECT_EQ(alone.warnings, std::vector<std::string>{});
}

TEST_F(TinyExternalVaeTest, OfXlIsToldByItsName) {
  write_original("taesdxl_decoder.safetensors", "decoder");
  const ConvertReport report =
      convert_with(ExternalVae{{in_folder("taesdxl_decoder.safetensors")}, true}, "out");
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_EQ(report.warnings[0],
            fmt::format("the autoencoder in {} looks made for Stable Diffusion XL base: it is "
                        "called 'taesdxl_decoder.safetensors'; if so, colours come out wrong, "
                        "because the latents of Stable Diffusion 1.x are others",
                        in_folder("taesdxl_decoder.safetensors").string()));
}

TEST_F(TinyExternalVaeTest, IsAskedFor) {
  write_vae(in_folder("large.safetensors"), true, kStyles[2], true);
  EXPECT_EQ(refusal(ExternalVae{{in_folder("large.safetensors")}, true}),
            fmt::format("{} is an autoencoder, expected a tiny one (TAESD) (--vae takes it)",
                        in_folder("large.safetensors").string()));
}

TEST_F(TinyExternalVaeTest, WritesTheConfigurationOfItsClass) {
  convert_with(ExternalVae{{taesd_path_}, true}, "out");
  const Json config = Json::parse(read_text(in_folder("out/vae_decoder/config.json")));
  EXPECT_EQ(config["_class_name"], "AutoencoderTiny");
  EXPECT_EQ(config["num_decoder_blocks"], (std::vector<int>{3, 3, 3, 1}));
  EXPECT_EQ(config["block_out_channels"].size(), 4u) << "readers count the levels";
  EXPECT_EQ(config["scaling_factor"], 1.0);
}

}  // namespace
}  // namespace sinter::convert
