#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sinter/pipeline/scheduler_config.h"
#include "sinter/pipeline/tokenizer.h"

namespace sinter::pipeline {

/// A text encoder of a pipeline folder with the tokenizer that feeds it.
struct TextEncoderPart {
  std::string name;             // its folder, "text_encoder"
  std::filesystem::path model;  // ONNX
  Tokenizer tokenizer;
  int layers;  // 0: the folder does not say
};

/// What a UNet's or a ControlNet's config.json says of its widths; empty where it does not.
struct UNetWidths {
  std::optional<int> context;  // of the text that it reads
  std::vector<int> levels;
};

/// A ControlNet's graph.
struct ControlNetPart {
  std::string name;  // for stages and messages
  std::filesystem::path model;
  UNetWidths widths;
};

/// The one size that a folder's graphs were made for. A batch of another size runs in groups.
struct FixedSize {
  int height;  // pixels
  int width;
};

/// What a converted folder holds, read from its JSON files; the graphs are not opened.
struct PipelineFolder {
  std::filesystem::path root;
  std::string family;      // of sinter.json; empty where it does not say
  std::string model;       // the checkpoint's file name without its ending; may be empty
  std::string source;      // its path, where it is one file that sinter.json names; may be empty
  std::string model_hash;  // its short hash, where sinter.json has "model_hash"; may be empty
  std::map<std::string, std::string> compute;  // by component: "float16", where sinter.json says
  std::optional<FixedSize> fixed;              // of a static conversion
  SchedulerConfig scheduler;
  std::vector<TextEncoderPart> text_encoders;  // in the order in which their states are joined
  std::filesystem::path unet;
  UNetWidths widths;  // of the UNet
  std::optional<bool>
      takes_residuals;  // the UNet has inputs for ControlNets, where sinter.json says
  std::vector<ControlNetPart> controlnets;  // controlnet, controlnet_1, ... of the folder
  std::filesystem::path vae_decoder;
  double scaling_factor = 0.18215;  // latents divided by it go to the decoder
  int latent_channels = 4;
  int factor = 8;           // pixels a latent cell along each side
  int default_width = 512;  // pixels when the user names none
  int default_height = 512;
  // An absent negative prompt means states of zero, not those of the empty text (SDXL base).
  bool zeros_without_negative = false;
};

/// Reads a folder laid out like optimum's: model_index.json, scheduler/, tokenizer/, text_encoder/,
/// unet/, vae_decoder/ (and tokenizer_2/, text_encoder_2/), each graph a model.onnx with
/// config.json beside it, and sinter.json where sinter wrote it.
/// @throws Error{kIo} naming the missing pieces and what makes them, Error{kBadFile} for damaged
/// JSON, Error{kUnsupported}
///         when the graphs were given the names of another program.
PipelineFolder read_pipeline_folder(const std::filesystem::path& root);

/// The ControlNets of a converted folder, in the order of their numbers; none where it has none.
/// @throws Error{kBadFile} for damaged JSON.
std::vector<ControlNetPart> read_controlnets(const std::filesystem::path& root);

/// The command that makes a folder anew from its checkpoint, as far as it is known, for hints.
std::string convert_again(const PipelineFolder& folder);

}  // namespace sinter::pipeline
