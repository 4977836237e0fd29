#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sinter/graph/onnx_outline.h"

namespace sinter::deploy {

struct TritonOptions {
  bool tensorrt = false;           // plans instead of ONNX files
  std::filesystem::path engines;   // folder of the plans, GRAPH.smXX[-smYY].*.engine or .plan
  std::int64_t max_batch = 4;      // rows that a model takes at once, where its graph has them free
  int instances = 1;               // copies of each model at work
  std::string kind = "KIND_AUTO";  // KIND_GPU, KIND_CPU, KIND_AUTO
  std::int64_t queue_delay_us = 100;
};

/// One model of the repository.
struct TritonModel {
  std::string name;
  std::string backend;
  std::int64_t max_batch = 0;
  std::uint64_t bytes = 0;         // of graph and weights, or of all plans
  std::vector<std::string> files;  // below the repository
};

struct TritonReport {
  std::vector<TritonModel> models;
  std::string pipeline;     // name of the model that drives the others, or empty
  std::string no_pipeline;  // why there is none
  bool linked = false;      // weights are linked to a checkpoint, once a model
};

/// Writes a Triton model repository of a converted folder: a model for each graph, with ONNX
/// Runtime in the directory form that external data needs, or with a TensorRT plan for each compute
/// capability; and a model "stable_diffusion" in Python that drives them from a prompt to a
/// picture, where the graphs make such a pipeline.
///
/// OUT appears complete or not at all. Weights get second names where the disk has hard links and
/// are copied otherwise.
/// @throws Error{kUsage} when OUT is a folder with something in it, Error{kBadFile} when DIR has no
///         graphs, Error{kMissingTensor} when a graph has no plan.
TritonReport export_triton(const std::filesystem::path& folder, const std::filesystem::path& out,
                           const TritonOptions& options = {});

}  // namespace sinter::deploy
