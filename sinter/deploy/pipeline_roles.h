#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinter/graph/onnx_outline.h"

namespace sinter::deploy {

/// What one text encoder gives to the pipeline, by the names of its graph.
struct EncoderRole {
  std::string model;
  std::string ids;     // input
  std::string states;  // output [N,77,D] that goes into the UNet's context
  std::string pooled;  // output [N,D], or empty
};

/// How the graphs of a folder make one pipeline from a prompt to a picture; by shapes and types, so
/// that names may be those of any contract. Empty names: the family has no such value.
struct PipelineRoles {
  std::vector<EncoderRole> encoders;
  std::string sample, timestep, context, pooled, time_ids, noise;
  std::int64_t time_id_count = 0;
  std::string latent, image;
};

/// A graph of the folder: its name there and what its file says.
struct NamedGraph {
  std::string name;
  graph::Outline file;
};

/// The roles, or why these graphs make no pipeline from text to picture in `why`.
std::optional<PipelineRoles> pipeline_roles(const std::vector<NamedGraph>& graphs,
                                            std::string& why);

/// As pipeline.json for the model that drives the others.
/// scaling: what latents are multiplied with before the decoder divides it out.
std::string to_json(const PipelineRoles& roles, double scaling);

}  // namespace sinter::deploy
