#include "sinter/plan/planned_graph.h"

#include <gtest/gtest.h>

#include <string>

#include "sinter/plan/make_plan.h"
#include "tests/plan/outlines.h"

namespace sinter::plan {
namespace {

Sizes some_sizes() {
  return {.batch = {1, 1, 4},
          .height = {256, 512, 640},
          .width = {256, 768, 960},
          .tokens = {77, 77, 231}};
}

const GraphPlan& graph_of(const Plan& plan, std::string_view folder) {
  const GraphPlan* graph = plan.find(folder);
  EXPECT_NE(graph, nullptr) << folder;
  return *graph;
}

TEST(PlannedGraph, EveryDynamicInputOfEveryFamilyHasARange) {
  const struct {
    const char* manifest;
    const char* options;
  } rows[] = {{"sd15", ""},
              {"sd15", "--controlnet-inputs"},
              {"sd15-inpainting", ""},
              {"sd21", ""},
              {"sdxl-base", ""},
              {"sdxl-base", "--controlnet-inputs"},
              {"sdxl-refiner", ""},
              {"controlnet-sd15", ""},
              {"diffusers/controlnet-sdxl", ""},
              {"diffusers/taesd", ""},
              {"sdxl-base", "--io ldm"},
              {"sdxl-base", "--io demodiffusion"},
              {"sdxl-base", "--io comfy"},
              {"sd15", "--io a1111"}};
  for (const auto& row : rows) {
    const std::vector<PlannedGraph> graphs =
        load_graphs(graphs_in(converted_outline(row.manifest, row.options)));
    ASSERT_FALSE(graphs.empty()) << row.manifest;
    const Plan plan = make_plan(graphs, some_sizes(), 0);
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      EXPECT_FALSE(plan.graphs[i].profile.inputs.empty()) << row.manifest;
      EXPECT_NO_THROW(require_covers(plan.graphs[i].profile, graphs[i].inputs()))
          << row.manifest << row.options << " " << graphs[i].folder();
    }
    EXPECT_EQ(plan_from_json(to_json(plan)), plan) << row.manifest;
  }
}

TEST(PlannedGraph, RangesFollowTheSizes) {
  const Plan plan =
      make_plan(load_graphs(graphs_in(converted_outline("sd15", ""))), some_sizes(), 0);
  ASSERT_EQ(plan.graphs.size(), 4u);
  EXPECT_EQ(plan.graphs[0].folder, "text_encoder");  // in the order of a picture
  EXPECT_EQ(plan.graphs[1].folder, "unet");
  EXPECT_EQ(plan.graphs[2].folder, "vae_decoder");
  // Two rows a picture with guidance, one without; three windows are three rows of a text encoder.
  EXPECT_EQ(plan.graphs[0].profile.inputs,
            (std::vector<InputRange>{{"input_ids", {1, 77}, {2, 77}, {24, 77}}}));
  EXPECT_EQ(graph_of(plan, "unet").profile.inputs,
            (std::vector<InputRange>{
                {"sample", {1, 4, 32, 32}, {2, 4, 64, 96}, {8, 4, 80, 120}},
                {"timestep", {1}, {2}, {8}},
                {"encoder_hidden_states", {1, 77, 768}, {2, 77, 768}, {8, 231, 768}}}));
  EXPECT_EQ(graph_of(plan, "vae_decoder").profile.inputs,
            (std::vector<InputRange>{
                {"latent_sample", {1, 4, 32, 32}, {1, 4, 64, 96}, {4, 4, 80, 120}}}));
  EXPECT_EQ(
      graph_of(plan, "vae_encoder").profile.inputs,
      (std::vector<InputRange>{{"sample", {1, 3, 256, 256}, {1, 3, 512, 768}, {4, 3, 640, 960}}}));
}

TEST(PlannedGraph, ResidualAndControlInputsAreAmongThem) {
  const Plan unet = make_plan(
      load_graphs(graphs_in(converted_outline("sd15", "--controlnet-inputs"))), some_sizes(), 0);
  const Profile& profile = graph_of(unet, "unet").profile;
  ASSERT_NE(profile.find("down_block_additional_residual_11"), nullptr);
  EXPECT_EQ(profile.find("down_block_additional_residual_3")->opt, (Shape{2, 320, 32, 48}));
  EXPECT_EQ(profile.find("mid_block_additional_residual")->max, (Shape{8, 1280, 10, 15}));

  const Plan control =
      make_plan(load_graphs(graphs_in(converted_outline("controlnet-sd15"))), some_sizes(), 0);
  EXPECT_EQ(graph_of(control, "controlnet").profile.find("controlnet_cond")->max,
            (Shape{8, 3, 640, 960}));

  const Plan xl =
      make_plan(load_graphs(graphs_in(converted_outline("sdxl-base"))), some_sizes(), 0);
  EXPECT_EQ(graph_of(xl, "unet").profile.find("text_embeds")->max, (Shape{8, 1280}));
  EXPECT_EQ(graph_of(xl, "unet").profile.find("time_ids")->min, (Shape{1, 6}));
}

TEST(PlannedGraph, WithoutGuidanceARowIsAPicture) {
  Sizes sizes = some_sizes();
  sizes.guidance = false;
  const Plan plan = make_plan(load_graphs(graphs_in(converted_outline("sd15"))), sizes, 0);
  EXPECT_EQ(graph_of(plan, "unet").profile.find("timestep")->max, (Shape{4}));
}

TEST(PlannedGraph, AStaticGraphNeedsNoProfile) {
  const std::vector<PlannedGraph> graphs =
      load_graphs(graphs_in(converted_outline("sd15", "--static")));
  for (const PlannedGraph& graph : graphs) {
    EXPECT_TRUE(graph.fixed());
    EXPECT_EQ(graph.profile({}, {}, {}), Profile{});
    // Its memory does not depend on what is asked.
    EXPECT_EQ(graph.ledger({.rows = 1, .height = 64}, EngineSizes::kOne).activations,
              graph.ledger({.rows = 9, .height = 2048}, EngineSizes::kOne).activations);
  }
}

TEST(PlannedGraph, WeightsAreCountedInTheTypeOfTheComputation) {
  // Stable Diffusion 1.5's UNet has 859.5 million parameters.
  const auto bytes = [](const char* options) {
    return PlannedGraph::load(converted_outline("sd15", options) / "unet/model.onnx")
        .weight_bytes();
  };
  EXPECT_NEAR(static_cast<double>(bytes("")), 859.5e6 * 2, 6e6);
  EXPECT_NEAR(static_cast<double>(bytes("--precision fp32")), 859.5e6 * 4, 6e6);
}

}  // namespace
}  // namespace sinter::plan
