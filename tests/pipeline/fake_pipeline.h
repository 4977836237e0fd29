#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sinter/pipeline/sessions.h"
#include "sinter/pipeline/tokenizer.h"

namespace sinter::pipeline {

/// A graph in memory: declared inputs and outputs, and a function that remembers what it was asked.
struct FakeGraph {
  std::vector<graph::ValueDeclaration> inputs;
  std::vector<graph::ValueDeclaration> outputs;
  std::function<runtime::TensorMap(const runtime::TensorMap&)> run;
  std::vector<runtime::TensorMap> asked = {};
  int opened = 0;
  runtime::EngineInfo info = {};
};

class FakeSession final : public runtime::Session {
 public:
  explicit FakeSession(FakeGraph& graph) : graph_(graph) {}

  const std::vector<graph::ValueDeclaration>& inputs() const override { return graph_.inputs; }
  const std::vector<graph::ValueDeclaration>& outputs() const override { return graph_.outputs; }
  runtime::TensorMap run(const runtime::TensorMap& inputs) override {
    graph_.asked.push_back(inputs);
    return graph_.run(inputs);
  }
  runtime::EngineInfo info() const override { return graph_.info; }

 private:
  FakeGraph& graph_;
};

inline graph::ValueDeclaration declare(std::string name, Shape shape, DType dtype = DType::kF32) {
  return {std::move(name), dtype, shape, std::vector<std::string>(shape.size())};
}

/// A converted folder on disk whose graphs are fakes: text encoders of width 4 (states are the
/// token ids divided by 50000, hidden states the same plus one), a UNet that predicts a tenth of
/// its sample, a decoder that shows the mean of a latent cell.
class FakePipeline {
 public:
  explicit FakePipeline(const std::string& name)
      : root(std::filesystem::path(testing::TempDir()) / name) {
    std::filesystem::remove_all(root);
    write("model_index.json", "{}");
    write("sinter.json", R"({"family": "sd15", "sources": [{"path": "/models/fake.safetensors"}],
                              "model_hash": "0123456789", "io": "optimum"})");
    write("scheduler/scheduler_config.json",
          R"({"_class_name": "DDIMScheduler", "beta_start": 0.00085, "beta_end": 0.012,
              "beta_schedule": "scaled_linear", "clip_sample": false, "set_alpha_to_one": false,
              "steps_offset": 1})");
    write("unet/config.json", R"({"sample_size": 2})");
    write("vae_decoder/config.json",
          R"({"scaling_factor": 0.5, "block_out_channels": [1, 1, 1, 1]})");
    add_text_encoder("text_encoder", "tokenizer", Padding::kEnd);
    graphs["unet"] = {{declare("sample", {-1, 4, -1, -1}), declare("timestep", {-1}),
                       declare("encoder_hidden_states", {-1, -1, 4})},
                      {declare("out_sample", {-1, 4, -1, -1})},
                      [](const runtime::TensorMap& inputs) {
                        Tensor output = inputs.find("sample")->second;
                        for (float& value : output.floats()) value *= 0.1f;
                        return runtime::TensorMap{{"out_sample", output}};
                      }};
    graphs["vae_decoder"] = {
        {declare("latent_sample", {-1, 4, -1, -1})}, {declare("sample", {-1, 3, -1, -1})}, decode};
    write("unet/model.onnx", "");
    write("vae_decoder/model.onnx", "");
  }
  ~FakePipeline() { std::filesystem::remove_all(root); }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((root / name).parent_path());
    std::ofstream(root / name, std::ios::binary) << text;
  }

  void add_text_encoder(const std::string& name, const std::string& tokenizer, Padding padding) {
    write(name + "/model.onnx", "");
    write(name + "/config.json", R"({"num_hidden_layers": 2})");
    for (const VocabularyFile& file : Tokenizer::clip(padding).files())
      write(tokenizer + "/" + file.name, file.text);
    graphs[name] = {{declare("input_ids", {-1, 77}, DType::kI64)},
                    {declare("last_hidden_state", {-1, 77, 4})},
                    encode};
  }

  SessionFactory sessions() {
    return [this](const std::filesystem::path& model) {
      FakeGraph& graph = graphs.at(model.parent_path().filename().string());
      ++graph.opened;
      return std::make_unique<FakeSession>(graph);
    };
  }

  const std::filesystem::path root;
  std::map<std::string, FakeGraph> graphs;

 private:
  static runtime::TensorMap encode(const runtime::TensorMap& inputs) {
    const Tensor& ids = inputs.find("input_ids")->second;
    const std::int64_t rows = ids.shape()[0];
    Tensor states(DType::kF32, {rows, 77, 4});
    Tensor hidden(DType::kF32, {rows, 77, 4});
    Tensor pooled(DType::kF32, {rows, 4});
    for (std::size_t i = 0; i < states.floats().size(); ++i) {
      states.floats()[i] = static_cast<float>(ids.ints()[i / 4]) / 50000.0f;
      hidden.floats()[i] = states.floats()[i] + 1;
    }
    for (std::size_t i = 0; i < pooled.floats().size(); ++i)
      pooled.floats()[i] = static_cast<float>(ids.ints()[i / 4 * 77 + 1]);
    return {{"last_hidden_state", states}, {"hidden_states.1", hidden}, {"text_embeds", pooled}};
  }

  static runtime::TensorMap decode(const runtime::TensorMap& inputs) {
    const Tensor& latents = inputs.find("latent_sample")->second;
    const Shape& shape = latents.shape();
    Tensor sample(DType::kF32, {shape[0], 3, shape[2] * 8, shape[3] * 8});
    const auto value = latents.floats().front();
    for (float& each : sample.floats()) each = value;
    return {{"sample", sample}};
  }
};

}  // namespace sinter::pipeline
