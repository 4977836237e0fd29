#pragma once

#include <filesystem>
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

/// What a converted folder holds, read from its JSON files; the graphs are not opened.
struct PipelineFolder {
  std::filesystem::path root;
  std::string family;      // of sinter.json; empty where it does not say
  std::string model;       // the checkpoint's file name without its ending; may be empty
  std::string model_hash;  // its short hash, where sinter.json has "model_hash"; may be empty
  SchedulerConfig scheduler;
  std::vector<TextEncoderPart> text_encoders;  // in the order in which their states are joined
  std::filesystem::path unet;
  std::filesystem::path vae_decoder;
  double scaling_factor = 0.18215;  // latents divided by it go to the decoder
  int latent_channels = 4;
  int factor = 8;          // pixels a latent cell along each side
  int default_size = 512;  // pixels along each side when the user names none
  // An absent negative prompt means states of zero, not those of the empty text (SDXL base).
  bool zeros_for_empty_negative = false;
};

/// Reads a folder laid out like optimum's: model_index.json, scheduler/, tokenizer/, text_encoder/,
/// unet/, vae_decoder/ (and tokenizer_2/, text_encoder_2/), each graph a model.onnx with
/// config.json beside it, and sinter.json where sinter wrote it.
/// @throws Error{kIo} naming the missing piece, Error{kBadFile} for damaged JSON,
/// Error{kUnsupported}
///         when the graphs were given the names of another program.
PipelineFolder read_pipeline_folder(const std::filesystem::path& root);

}  // namespace sinter::pipeline
