#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sinter/graph/graph.h"
#include "sinter/graph/onnx_model.h"
#include "sinter/graph/onnx_writer.h"
#include "sinter/graph/ops.h"
#include "sinter/graph/scope.h"
#include "sinter/runtime/session.h"
#include "sinter/verify/comparison.h"
#include "sinter/verify/reference_case.h"
#include "sinter/weights/checkpoint.h"
#include "tools/synth/synth.h"

namespace sinter::models {

/// A block of tests/data/models: its weights, its inputs, and what PyTorch made of them.
class Block : public graph::WeightProvider {
 public:
  using Values = std::map<std::string, graph::Value, std::less<>>;
  using Outputs = std::vector<std::pair<std::string, graph::Value>>;
  /// Emits the block at the scope from its inputs, which are as wide as they are stored.
  using Emit = std::function<Outputs(const graph::Scope& scope, const Values& inputs)>;

  explicit Block(const std::string& name)
      : folder_(std::filesystem::path(SINTER_TEST_SCRATCH) / test_name()),
        reference_(verify::ReferenceCase::load(data(name + ".safetensors"))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    if (!std::filesystem::exists(data(name + ".json"))) return;
    synth::write_stand_in(data(name + ".json"), folder_ / kWeights,
                          {.dtype = DType::kF16, .prefix = {}, .threads = 1, .progress = {}});
    checkpoint_ = weights::Checkpoint::open(folder_ / kWeights);
  }
  ~Block() override { std::filesystem::remove_all(folder_); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  std::optional<graph::StoredWeight> find(std::string_view name) const override {
    const weights::TensorEntry* entry = checkpoint_ ? checkpoint_->find(name) : nullptr;
    if (entry == nullptr) return std::nullopt;
    return graph::StoredWeight{.name = entry->name,
                               .dtype = entry->dtype,
                               .shape = entry->shape,
                               .file = entry->file,
                               .begin = entry->begin};
  }

  /// Builds the block into an empty graph.
  void build(graph::Graph& graph, DType compute, const Emit& emit) const {
    Values inputs;
    for (const auto& [name, tensor] : reference_.inputs) {
      graph::Dims dims(tensor.shape().begin(), tensor.shape().end());
      inputs.emplace(name, graph.add_input(name, tensor.dtype(), std::move(dims)));
    }
    for (const auto& [name, value] : emit(graph::Scope(graph, *this, {.compute = compute}), inputs))
      graph.add_output("out." + name, cast(value, DType::kF32));
  }

  /// The block on an engine gives what PyTorch gave, within the tolerance of the arithmetic.
  void expect_reference(runtime::Engine engine, DType compute, const Emit& emit) const {
    graph::Graph graph("block");
    build(graph, compute, emit);
    graph::OnnxWriteOptions options;
    for (const graph::Initializer& initializer : graph.initializers()) {
      if (const auto* range = std::get_if<graph::FileRange>(&initializer.data))
        options.placements.emplace(initializer.name, graph::Placement{kWeights, range->begin});
    }
    const std::string bytes = to_onnx(graph, options);
    const auto model =
        graph::OnnxModel::parse(std::as_bytes(std::span(bytes)), folder_ / "model.onnx");
    const auto session = runtime::open_session(engine, model, {.threads = 1});
    const runtime::TensorMap results = session->run(reference_.inputs);
    EXPECT_FALSE(results.empty());
    for (const auto& [name, found] : results) {
      const Tensor& expected = reference_.outputs.at(name.substr(4));
      const verify::Comparison c = verify::compare(expected, found);
      EXPECT_TRUE(verify::within(c, verify::tolerance_for(compute)))
          << name << " is " << to_string(c.found_shape) << ", expected "
          << to_string(c.reference_shape) << "; at " << to_string(c.worst_index) << " "
          << c.worst_found << ", expected " << c.worst_reference << "; max " << c.max_relative
          << " mean " << c.mean_relative << " of scale " << c.scale << ", "
          << c.non_finite_mismatches << " not finite";
    }
  }

 private:
  static constexpr const char* kWeights = "weights.safetensors";

  static std::filesystem::path data(const std::string& file) {
    return std::filesystem::path(SINTER_TEST_DATA) / "models" / file;
  }

  static std::string test_name() {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = fmt::format("{}.{}", test->test_suite_name(), test->name());
    for (char& c : name) c = c == '/' ? '-' : c;
    return name;
  }

  std::filesystem::path folder_;
  verify::ReferenceCase reference_;
  std::optional<weights::Checkpoint> checkpoint_;
};

/// A test on every engine.
class OnEngines : public testing::TestWithParam<runtime::Engine> {};

inline std::string engine_of(const testing::TestParamInfo<runtime::Engine>& info) {
  return std::string(runtime::engine_name(info.param));
}

}  // namespace sinter::models
