#include "sinter/arch/file_kinds.h"

#include <algorithm>
#include <array>

namespace sinter::arch {
namespace {

constexpr std::string_view kUnused =
    "sinter does not use it; the checkpoint that it goes with converts without it";
constexpr std::string_view kConvert = "sinter convert FILE OUT";

// Kinds whose support grows: their command stands here and nowhere else.
constexpr std::array kKinds{
    FileKindRow{FileKind::kCheckpoint, "checkpoint", "checkpoint", Standing::kOwn,
                "it draws pictures from text: text encoder, UNet and autoencoder", "",
                "sinter generate FILE -p \"a red circle\""},
    FileKindRow{FileKind::kUNet, "unet", "unet", Standing::kOwn,
                "the part of a checkpoint that removes noise; a pipeline also needs text encoder "
                "and autoencoder",
                "", kConvert},
    FileKindRow{FileKind::kVae, "vae", "vae", Standing::kOwn,
                "it turns latents into pictures and back, in place of a checkpoint's own", "",
                "sinter convert CHECKPOINT OUT --vae FILE"},
    FileKindRow{FileKind::kTextEncoder, "text-encoder", "text-encoder", Standing::kOwn,
                "it turns a prompt into what the UNet reads", "", kConvert},
    FileKindRow{FileKind::kLora, "lora", "lora", Standing::kBeside,
                "it changes the weights of a checkpoint: a style, a subject, or fewer steps",
                "it cannot stand alone: sinter convert CHECKPOINT OUT --lora FILE merges it",
                "sinter convert CHECKPOINT OUT --lora FILE"},
    FileKindRow{FileKind::kEmbedding, "embedding", "embedding", Standing::kBeside,
                "a new word for prompts",
                "it works beside a checkpoint: sinter convert CHECKPOINT OUT --embedding FILE "
                "gives its tokenizer and text encoder the word",
                "sinter convert CHECKPOINT OUT --embedding FILE"},
    FileKindRow{FileKind::kControlNet, "controlnet", "controlnet", Standing::kOwn,
                "it steers a UNet by a picture: edges, depth, a pose", "",
                "sinter convert CHECKPOINT OUT --controlnet FILE"},
    FileKindRow{FileKind::kControlVariant, "controlnet-variant", "controlnet", Standing::kBeside,
                "it steers a UNet by a picture, in a way of its own", kUnused, ""},
    FileKindRow{FileKind::kTinyVae, "tiny-vae", "vae", Standing::kOwn,
                "it decodes latents fast and roughly, for previews and small machines", "",
                "sinter convert CHECKPOINT OUT --taesd FILE"},
    FileKindRow{FileKind::kControlLora, "control-lora", "controlnet", Standing::kBeside,
                "a ControlNet stored as small changes to the UNet that it steers", kUnused, ""},
    FileKindRow{FileKind::kT2iAdapter, "t2i-adapter", "other", Standing::kBeside,
                "it steers a UNet by a picture, as a small ControlNet", kUnused, ""},
    FileKindRow{FileKind::kIpAdapter, "ip-adapter", "other", Standing::kBeside,
                "it makes a picture a part of the prompt", kUnused, ""},
    FileKindRow{FileKind::kFaceAdapter, "face-adapter", "other", Standing::kBeside,
                "it draws the face of a photograph", kUnused, ""},
    FileKindRow{FileKind::kMotionModule, "motion-module", "other", Standing::kBeside,
                "it makes short videos with a checkpoint's UNet", kUnused, ""},
    FileKindRow{FileKind::kHypernetwork, "hypernetwork", "other", Standing::kBeside,
                "an older way to change what the UNet reads of a prompt",
                "sinter does not use it; a LoRA of the same subject merges with --lora", ""},
    FileKindRow{FileKind::kGligen, "gligen", "other", Standing::kForeign,
                "it places things of the prompt in boxes", kForeign, ""},
    FileKindRow{FileKind::kForeignPictures, "other-model", "other", Standing::kForeign,
                "it draws pictures with a network of another kind", kForeign, ""},
    FileKindRow{FileKind::kForeignVideo, "video-model", "other", Standing::kForeign,
                "it makes videos", kForeign, ""},
    FileKindRow{FileKind::kForeignSound, "sound-model", "other", Standing::kForeign,
                "it makes sound", kForeign, ""},
    FileKindRow{FileKind::kForeignVae, "other-vae", "vae", Standing::kForeign,
                "it turns the latents of other models into pictures or videos", kForeign, ""},
    FileKindRow{FileKind::kForeignText, "other-text-encoder", "text-encoder", Standing::kForeign,
                "it turns a prompt into what other models read", kForeign, ""},
    FileKindRow{FileKind::kImageEncoder, "image-encoder", "other", Standing::kForeign,
                "it tells IP-Adapters and others what is to be seen in a picture", kForeign, ""},
    FileKindRow{FileKind::kPreview, "preview", "other", Standing::kForeign,
                "it shows a rough picture of latents while they are drawn", kForeign, ""},
    FileKindRow{FileKind::kUpscaler, "upscaler", "other", Standing::kForeign,
                "it enlarges finished pictures", kForeign, ""},
    FileKindRow{FileKind::kFaceRestorer, "face-restorer", "other", Standing::kForeign,
                "it repairs faces in finished pictures", kForeign, ""},
    FileKindRow{FileKind::kInpainter, "inpainter", "other", Standing::kForeign,
                "it removes things from pictures, without a prompt", kForeign, ""},
    FileKindRow{FileKind::kDetector, "detector", "other", Standing::kForeign,
                "it finds faces, hands or things in pictures", kForeign, ""},
    FileKindRow{FileKind::kSegmenter, "segmenter", "other", Standing::kForeign,
                "it cuts pictures into regions, for masks", kForeign, ""},
    FileKindRow{FileKind::kDepth, "annotator", "other", Standing::kForeign,
                "it makes the map that a ControlNet reads from a picture", kForeign, ""},
    FileKindRow{FileKind::kCaptioner, "captioner", "other", Standing::kForeign,
                "it describes pictures in words", kForeign, ""},
    FileKindRow{FileKind::kLanguageModel, "language-model", "other", Standing::kForeign,
                "it writes text, or reads prompts for newer models", kForeign, ""},
    FileKindRow{FileKind::kTrainingState, "training-state", "other", Standing::kBeside,
                "a training run continues from it; it holds no network",
                "take the model that the same run saved", ""},
    FileKindRow{FileKind::kUnknown, "unknown", "other", Standing::kBeside, "", kForeign, ""},
};

}  // namespace

const FileKindRow& file_kind(FileKind kind) {
  return *std::ranges::find(kKinds, kind, &FileKindRow::kind);  // every kind has its row
}

}  // namespace sinter::arch
