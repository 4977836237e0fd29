// Any texts as the JSON files of a folder: of a diffusers pipeline with shards, and of one that
// sinter converted. Readers may refuse them, but only with sinter::Error.

#include <cstddef>
#include <cstdint>

#include "fuzz/text_files.h"
#include "sinter/arch/component_settings.h"
#include "sinter/base/error.h"
#include "sinter/pipeline/folder.h"
#include "sinter/weights/checkpoint.h"
#include "sinter/weights/folder.h"

namespace {

constexpr const char* kVocabulary = R"({"<|startoftext|>":0,"<|endoftext|>":1})";

template <typename Read>
void attempt(const Read& read) {
  try {
    read();
  } catch (const sinter::Error&) {
  }
}

void read_all(const std::filesystem::path& root) {
  namespace arch = sinter::arch;
  attempt([&] { sinter::pipeline::read_pipeline_folder(root); });
  attempt([&] { sinter::weights::Checkpoint::open(root); });
  attempt([&] {
    const auto configs = sinter::weights::plan_folder(root).configs;
    attempt([&] { arch::read_scheduler_prediction(configs); });
    for (const char* prefix : {"", "unet/", "text_encoder/", "vae/"}) {
      attempt([&] { arch::read_text_settings({configs, root}, prefix); });
      attempt([&] { arch::read_unet_settings({configs, root}, prefix); });
      attempt([&] { arch::read_vae_settings({configs, root}, prefix); });
    }
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static sinter::fuzz::TextFiles files{
      {"model_index.json", R"({"unet":["diffusers","UNet2DConditionModel"]})"},
      {"sinter.json", R"({"sinter":"0.1.0","graphs":[]})"},
      {"scheduler/scheduler_config.json", R"({"_class_name":"DDIMScheduler"})"},
      {"unet/config.json", "{}"},
      {"unet/diffusion_pytorch_model.safetensors.index.json", nullptr},
      {"unet/diffusion_pytorch_model-00001-of-00002.safetensors", nullptr},
      {"unet/diffusion_pytorch_model-00002-of-00002.safetensors", nullptr},
      {"unet/model.onnx", ""},
      {"vae/config.json", nullptr},
      {"vae_decoder/config.json", "{}"},
      {"vae_decoder/model.onnx", ""},
      {"text_encoder/config.json", "{}"},
      {"text_encoder/model.onnx", ""},
      {"tokenizer/vocab.json", kVocabulary},
      {"tokenizer/merges.txt", ""},
      {"tokenizer/tokenizer_config.json", "{}"},
      {"config.json", nullptr},
  };
  files.take(data, size);
  read_all(files.root());
  return 0;
}
