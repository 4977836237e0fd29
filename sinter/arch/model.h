#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sinter/arch/config.h"
#include "sinter/arch/weight_map.h"
#include "sinter/base/shape.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::arch {

/// What the UNet's output means.
enum class Prediction { kEpsilon, kV };

std::string_view prediction_name(Prediction prediction);                // "epsilon", "v_prediction"
std::optional<Prediction> prediction_from_name(std::string_view name);  // also "v"

/// A tensor that a network needs and its file lacks.
struct MissingTensor {
  std::string key;        // what this file would call it: "model.diffusion_model.out.2.weight"
  std::string canonical;  // "conv_out.weight"
  Shape shape;            // an extent of 0 cannot be told
};

/// One network of a checkpoint: its weights under canonical names, and its configuration read from
/// them.
struct Component {
  std::string name;    // the folder it becomes: "text_encoder", "text_encoder_2", "unet", "vae",
                       // "controlnet", "controlnet_1", ...
  std::string layout;  // "original" or "diffusers"
  std::string prefix;  // of its keys in the file
  std::variant<TextEncoderConfig, UNetConfig, VaeConfig, ControlNetConfig> config;
  WeightMap weights;
  std::vector<MissingTensor> missing;
  std::int64_t parameters = 0;
};

/// What a checkpoint is, and why.
struct Model {
  std::string family;                    // name of the family row, e.g. "sd15"
  std::vector<std::string> evidence;     // one sentence a fact that decided: "768-wide context"
  std::vector<Component> components;     // in pipeline order: text encoders, unet, vae, controlnets
  std::optional<Prediction> prediction;  // empty: the file cannot tell
  std::string prediction_evidence;       // where it was read, or why it cannot be
  bool foreign_prediction = false;       // the file names one that is not of Prediction
  bool zero_terminal_snr = false;        // trained down to pure noise, as the file says
  int native_size =
      512;  // pixels along each side that it was trained on: of the family, or as metadata say
  std::vector<std::string> missing;  // keys that the family needs and the file lacks, as this
                                     // file would call them; "vae (the whole component)"
  std::vector<std::string> missing_components;  // of the family, where the file has several others
  std::vector<std::string> unexpected;          // keys of the file that no component claims

  /// The component of that name, or null.
  const Component* find(std::string_view name) const;
};

struct DetectOptions {
  std::optional<std::string> family = {};     // overrides detection
  std::optional<Prediction> prediction = {};  // overrides what the file says
  /// Of an autoencoder whose config.json does not say it; empty: the family's.
  std::optional<double> vae_scaling = {};
  /// Id of the end of text where tokens were put behind it: of text encoders whose config.json does
  /// not name another.
  std::optional<std::int64_t> end_token = {};
};

/// Reads what a checkpoint is from its names and shapes. The result refers to the checkpoint's
/// entries.
/// @throws Error{kUnsupported} naming what the file is when sinter cannot convert it (Flux, a LoRA,
/// an
///         embedding, ...) or a variant of it that is not built; Error{kUsage} for an unknown
///         family name; Error{kShapeMismatch} where shapes contradict each other;
///         Error{kDTypeMismatch} for weights that are no floating numbers; Error{kBadFile} for a
///         folder's damaged config.json.
Model detect(const weights::Checkpoint& checkpoint, const DetectOptions& options = {});

}  // namespace sinter::arch
