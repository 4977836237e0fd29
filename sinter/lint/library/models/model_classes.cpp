#include "sinter/lint/library/models/model_classes.h"

#include <array>

namespace sinter::lint {
namespace {

struct Pattern {
  std::string_view part;  // of the class name
  Family family;
  bool at_end = false;
};

// The first that fits.
constexpr std::array kPatterns{
    Pattern{"AttnProcessor", Family::kNone},
    Pattern{"Pipeline", Family::kPipeline},
    Pattern{"AutoPipelineFor", Family::kPipeline},
    Pattern{"Tokenizer", Family::kTokenizer},
    Pattern{"ImageProcessor", Family::kProcessor},
    Pattern{"FeatureExtractor", Family::kProcessor},
    Pattern{"Processor", Family::kProcessor, true},
    Pattern{"Scheduler", Family::kScheduler},
    Pattern{"T2IAdapter", Family::kAdapter},
    Pattern{"MultiAdapter", Family::kAdapter},
    Pattern{"ControlNet", Family::kControl},
    Pattern{"UNet", Family::kDenoiser},
    Pattern{"Transformer2D", Family::kDenoiser},
    Pattern{"Transformer3D", Family::kDenoiser},
    Pattern{"Autoencoder", Family::kAutoencoder},
    Pattern{"VQModel", Family::kAutoencoder},
    Pattern{"CLIPText", Family::kTextEncoder},
    Pattern{"T5Encoder", Family::kTextEncoder},
    Pattern{"TextModel", Family::kTextEncoder},
    Pattern{"Safety", Family::kModel},
    Pattern{"Model", Family::kModel, true},
    Pattern{"ModelWithProjection", Family::kModel, true},
    Pattern{"LMHeadModel", Family::kModel, true},
    Pattern{"PreTrained", Family::kModel},
    Pattern{"MotionAdapter", Family::kModel},
    Pattern{"ForCausalLM", Family::kModel, true},
    Pattern{"ForConditionalGeneration", Family::kModel, true},
    Pattern{"ForDepthEstimation", Family::kModel, true},
    Pattern{"ForSemanticSegmentation", Family::kModel, true},
    Pattern{"ForUniversalSegmentation", Family::kModel, true},
    Pattern{"ForImageClassification", Family::kModel, true},
    Pattern{"ForObjectDetection", Family::kModel, true},
    Pattern{"ModelMixin", Family::kModel},
};

}  // namespace

Family family_of(std::string_view name) {
  for (const Pattern& pattern : kPatterns) {
    if (pattern.at_end ? name.ends_with(pattern.part) : name.find(pattern.part) != name.npos)
      return pattern.family;
  }
  return Family::kNone;
}

bool is_model(Family family) {
  switch (family) {
    case Family::kDenoiser:
    case Family::kControl:
    case Family::kAutoencoder:
    case Family::kAdapter:
    case Family::kTextEncoder:
    case Family::kModel:
      return true;
    default:
      return false;
  }
}

}  // namespace sinter::lint
