#include "sinter/convert/component_graph.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "sinter/arch/structure.h"
#include "sinter/base/error.h"
#include "sinter/base/message.h"
#include "sinter/models/checkpoint_weights.h"
#include "sinter/models/controlnet.h"
#include "sinter/models/text_encoder.h"
#include "sinter/models/tiny_vae.h"
#include "sinter/models/unet.h"
#include "sinter/models/vae.h"

namespace sinter::convert {

using arch::ControlNetConfig;
using arch::TextEncoderConfig;
using arch::TextState;
using arch::UNetConfig;
using arch::VaeConfig;
using graph::Dim;
using graph::Graph;
using graph::Scope;
using graph::Value;
using graph::Within;

namespace {

/// The extents of the interface: symbols, or the numbers of a static size.
struct Extents {
  Dim batch = Dim::symbol("batch");
  Dim height = Dim::symbol("height");
  Dim width = Dim::symbol("width");
};

void require_possible(const StaticSize& size, std::int64_t latent_factor) {
  const auto fits = [&](std::int64_t pixels) {
    return pixels > 0 && pixels <= kMaxStaticPixels && pixels % latent_factor == 0;
  };
  if (size.batch > 0 && size.batch <= kMaxStaticBatch && fits(size.height) && fits(size.width))
    return;
  throw Error(ErrorCode::kUsage,
              fmt::format("the static size is {}x{}x{}, expected a batch of 1 to {} and sides that "
                          "are multiples of {} pixels, at most {}",
                          size.batch, size.height, size.width, kMaxStaticBatch, latent_factor,
                          kMaxStaticPixels));
}

Extents extents(const GraphOptions& options, std::int64_t divisor) {
  if (!options.size) return {};
  const StaticSize& size = *options.size;
  return {.batch = size.batch, .height = size.height / divisor, .width = size.width / divisor};
}

/// Adds inputs in the interface's float32 and hands them out in the dtype of the computation, and
/// the reverse.
class Interface {
 public:
  Interface(Graph& graph, DType compute) : graph_(graph), compute_(compute) {}

  Value input(std::string_view name, graph::Dims dims) {
    const Value value = graph_.add_input(std::string(name), DType::kF32, std::move(dims));
    Named named(graph_, "input", name);
    return cast(value, compute_);
  }

  Value exact_input(std::string_view name, DType dtype, graph::Dims dims) {
    return graph_.add_input(std::string(name), dtype, std::move(dims));
  }

  void output(std::string_view name, Value value) {
    Named named(graph_, "output", name);
    graph_.add_output(std::string(name), cast(value, DType::kF32));
  }

 private:
  /// Names the casts at the border after the input or output.
  class Named {
   public:
    Named(Graph& graph, std::string_view side, std::string_view name)
        : graph_(graph), outer_(graph.scope()) {
      graph.set_scope(fmt::format("{}.{}", side, name));
    }
    ~Named() { graph_.set_scope(outer_); }
    Named(const Named&) = delete;
    Named& operator=(const Named&) = delete;

   private:
    Graph& graph_;
    std::string outer_;
  };

  Graph& graph_;
  DType compute_;
};

Dim timestep_extent(const IoProfile& io, const Extents& size) {
  switch (io.timestep_shape) {
    case TimestepShape::kOne:
      return 1;
    case TimestepShape::kBatch:
      return size.batch;
    case TimestepShape::kOneOrBatch:
      break;
  }
  return size.batch.is_static() ? size.batch : Dim::symbol("timesteps");
}

Value vector_input(Graph& graph, const UNetConfig& config, const IoProfile& io, const Extents& size,
                   Interface& interface) {
  if (config.vector_dim == 0) return graph.none();
  if (!io.vector.empty())
    return interface.exact_input(io.vector, DType::kF32, {size.batch, config.vector_dim});
  const Value pooled =
      interface.exact_input(io.pooled, DType::kF32, {size.batch, config.pooled_dim});
  const Value ids = interface.exact_input(io.time_ids, DType::kF32, {size.batch, config.time_ids});
  graph.set_scope("add_embedding");
  const Value vector = models::vector_conditioning(pooled, ids);
  graph.set_scope("");
  return vector;
}

/// Inputs behind the sample; the context is absent where nothing attends to it.
models::Conditions conditions_inputs(Graph& graph, const UNetConfig& config, const IoProfile& io,
                                     const GraphOptions& options, const Extents& size,
                                     Interface& interface) {
  models::Conditions conditions;
  // One window of the text encoder where sizes are fixed; else any number of windows.
  const Dim sequence = options.size ? Dim(77) : Dim::symbol("sequence");
  conditions.timestep =
      interface.exact_input(io.timestep, DType::kF32, {timestep_extent(io, size)});
  conditions.context =
      config.context_dim == 0
          ? graph.none()
          : interface.input(io.context, {size.batch, sequence, config.context_dim});
  conditions.vector = vector_input(graph, config, io, size, interface);
  return conditions;
}

void residual_inputs(const UNetConfig& config, const Extents& size, Interface& interface,
                     models::UNetInputs& inputs) {
  const std::vector<models::SkipShape> shapes = models::skip_shapes(config);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const bool mid = i + 1 == shapes.size();
    const std::string name =
        mid ? "mid_block_additional_residual" : fmt::format("down_block_additional_residual_{}", i);
    const Value value = interface.input(
        name, {size.batch, shapes[i].channels, size.height.divided(shapes[i].divisor),
               size.width.divided(shapes[i].divisor)});
    if (mid) {
      inputs.mid_residual = value;
    } else {
      inputs.down_residuals.push_back(value);
    }
  }
}

void build_unet(const Scope& s, const UNetConfig& config, const IoProfile& io,
                const GraphOptions& options) {
  const Extents size = extents(options, options.latent_factor);
  Interface interface(s.graph(), s.dtype());
  models::UNetInputs inputs;
  inputs.sample =
      interface.input(io.sample, {size.batch, config.in_channels, size.height, size.width});
  inputs.conditions = conditions_inputs(s.graph(), config, io, options, size, interface);
  if (options.controlnet_inputs) residual_inputs(config, size, interface, inputs);
  interface.output(io.noise, models::unet(s, config, inputs));
}

/// Its outputs are the UNet's residual inputs of the same numbers. The strength of the control
/// stays outside: it is a factor of all of them.
void build_controlnet(const Scope& s, const ControlNetConfig& config, const IoProfile& io,
                      const GraphOptions& options) {
  const std::int64_t factor = config.factor();
  const Extents size = extents(options, factor);
  Interface interface(s.graph(), s.dtype());
  models::ControlNetInputs inputs;
  inputs.sample =
      interface.input(io.sample, {size.batch, config.unet.in_channels, size.height, size.width});
  inputs.conditions = conditions_inputs(s.graph(), config.unet, io, options, size, interface);
  inputs.picture = interface.input(
      "controlnet_cond",
      {size.batch, config.image_channels, size.height.times(factor), size.width.times(factor)});
  const models::Encoded residuals = models::controlnet(s, config, inputs);
  for (std::size_t i = 0; i < residuals.skips.size(); ++i)
    interface.output(fmt::format("down_block_res_sample_{}", i), residuals.skips[i]);
  interface.output("mid_block_res_sample", residuals.middle);
}

void build_text_encoder(const Scope& s, const TextEncoderConfig& config, const IoProfile& io,
                        const GraphOptions& options) {
  const Dim batch = options.size ? Dim(options.size->batch) : Dim::symbol("batch");
  Interface interface(s.graph(), s.dtype());
  const Value ids = interface.exact_input(io.ids, io.ids_dtype, {batch, config.positions});
  const bool penultimate = config.state == TextState::kPenultimate;
  // Where a contract has one name for two values, the one that the family's pipeline reads has it.
  const bool one_name = io.text_embeds == io.last_hidden_state;
  const models::TextEncoderRequest request{
      .hidden_states = options.hidden_states || penultimate,
      .text_embeds = config.projection_dim > 0 &&
                     (config.pooled_projection || (options.hidden_states && !one_name))};
  const models::TextEncoderOutputs outputs = models::text_encoder(s, config, ids, request);

  if (!request.text_embeds || !one_name)
    interface.output(io.last_hidden_state, outputs.last_hidden_state);
  if (!request.text_embeds) interface.output(io.pooler_output, outputs.pooler_output);
  if (request.text_embeds) interface.output(io.text_embeds, outputs.text_embeds);
  const std::vector<Value>& states = outputs.hidden_states;
  if (!io.penultimate_state.empty() && !states.empty())
    interface.output(io.penultimate_state, states[states.size() - 2]);
  if (io.hidden_states.empty()) return;
  for (std::size_t i = 0; i < states.size(); ++i)
    interface.output(fmt::format("{}.{}", io.hidden_states, i), states[i]);
}

void build_vae_decoder(const Scope& s, const VaeConfig& config, const IoProfile& io,
                       const GraphOptions& options) {
  const Extents size = extents(options, options.latent_factor);
  Interface interface(s.graph(), s.dtype());
  const Value latent =
      interface.input(io.latent_in, {size.batch, config.latent_channels, size.height, size.width});
  interface.output(io.image_out, config.tiny ? models::tiny_vae_decoder(s, config, latent)
                                             : models::vae_decoder(s, config, latent));
}

void build_vae_encoder(const Scope& s, const VaeConfig& config, const IoProfile& io,
                       const GraphOptions& options) {
  const Extents size = extents(options, 1);
  Interface interface(s.graph(), s.dtype());
  const Value image =
      interface.input(io.image_in, {size.batch, config.image_channels, size.height, size.width});
  if (config.tiny) {
    interface.output(io.latent_alone, models::tiny_vae_encoder(s, config, image));
    return;
  }
  Value latent = models::vae_encoder(s, config, image);
  if (io.latent_output == LatentOutput::kMean) {
    const Within within(s / "mean");
    latent = slice_channels(latent, 0, config.latent_channels);
  }
  interface.output(io.latent_out, latent);
}

/// Whether a graph needs a tensor of its component: of an autoencoder each graph is a half.
bool needs(const GraphPlan& plan, std::string_view canonical) {
  if (!std::holds_alternative<VaeConfig>(plan.component->config)) return true;
  const bool decoder =
      canonical.starts_with("decoder.") || canonical.starts_with("post_quant_conv.");
  return decoder == (plan.folder == "vae_decoder");
}

/// A network with a hole is not begun: the shapes beside it would be guesses.
void require_complete(const GraphPlan& plan) {
  const arch::MissingTensor* first = nullptr;
  std::uint64_t others = 0;
  for (const arch::MissingTensor& tensor : plan.component->missing) {
    if (!needs(plan, tensor.canonical)) continue;
    if (first == nullptr)
      first = &tensor;
    else
      ++others;
  }
  if (first == nullptr) return;
  std::string message = fmt::format("the checkpoint has no '{}'", shown(first->key));
  if (!first->key.ends_with(first->canonical))
    message += fmt::format(" ('{}' in diffusers' names)", first->canonical);
  message += fmt::format(", expected {}", arch::open_shape(first->shape));
  if (others > 0)
    message += fmt::format("; {} more tensor{} missing", others, others == 1 ? " is" : "s are");
  throw Error(ErrorCode::kMissingTensor, std::move(message),
              "the file may be pruned or damaged; sinter inspect lists what is missing");
}

}  // namespace

std::vector<GraphPlan> graph_plans(const arch::Model& model) {
  std::vector<GraphPlan> plans;
  for (const arch::Component& component : model.components) {
    const auto* vae = std::get_if<VaeConfig>(&component.config);
    if (vae == nullptr) {
      plans.push_back({component.name, &component});
      continue;
    }
    if (!vae->decoder.empty()) plans.push_back({"vae_decoder", &component});
    if (!vae->encoder.empty()) plans.push_back({"vae_encoder", &component});
  }
  return plans;
}

std::unique_ptr<Graph> build_graph(const GraphPlan& plan, const IoProfile& io,
                                   const GraphOptions& options) {
  if (options.size) require_possible(*options.size, options.latent_factor);
  auto graph = std::make_unique<Graph>(plan.folder);
  const models::CheckpointWeights provider(plan.component->weights);
  const Scope s(*graph, provider,
                {.compute = options.compute,
                 .exact = options.exact.empty() ? nullptr : &options.exact,
                 .convert = options.convert_weights});
  try {
    require_complete(plan);
    if (const auto* text = std::get_if<TextEncoderConfig>(&plan.component->config)) {
      build_text_encoder(s, *text, io, options);
    } else if (const auto* unet = std::get_if<UNetConfig>(&plan.component->config)) {
      build_unet(s, *unet, io, options);
    } else if (const auto* control = std::get_if<ControlNetConfig>(&plan.component->config)) {
      build_controlnet(s, *control, io, options);
    } else if (plan.folder == "vae_decoder") {
      build_vae_decoder(s, std::get<VaeConfig>(plan.component->config), io, options);
    } else {
      build_vae_encoder(s, std::get<VaeConfig>(plan.component->config), io, options);
    }
  } catch (Error& error) {
    error.add_context("building " + plan.folder);
    throw;
  }
  return graph;
}

}  // namespace sinter::convert
