#include <algorithm>
#include <array>

#include "sinter/lint/library/arrays/images.h"
#include "sinter/lint/library/things.h"
#include "sinter/lint/library/torch/modules.h"
#include "sinter/lint/tensors/blame.h"
#include "sinter/lint/tensors/moves.h"

namespace sinter::lint {
namespace {

void move_pipeline(Interpreter& in, Thing& pipeline, const Move& move, const Place& place) {
  if (move.device) {
    pipeline.device = *move.device;
    pipeline.flag = false;
  }
  if (move.type) pipeline.type = move.type;
  if (move.type_unknown) pipeline.type = std::nullopt;
  for (auto& [name, value] : pipeline.attributes.all()) {
    auto* module = as<Module>(value);
    // Only what was registered as a component is moved, not what was hung onto the object.
    if (pipeline.hung.contains(name)) continue;
    if (module != nullptr) move_module(in, *module, move, place);
    // Several ControlNets or adapters become one component.
    if (const auto* several = as<Sequence>(value))
      for (const Value& item : several->items)
        if (auto* one = as<Module>(item)) move_module(in, *one, move, place);
  }
}

/// A pipeline is where its first component is.
Value pipeline_device(Thing& pipeline) {
  for (auto& [name, value] : pipeline.attributes.all()) {
    const auto* module = as<Module>(value);
    if (module == nullptr || pipeline.hung.contains(name)) continue;
    Value made = device_value(module->device);
    as<DeviceValue>(made)->of = module->source;
    return made;
  }
  return device_value(pipeline.device);
}

}  // namespace

Value run_pipeline(Interpreter& in, Thing& pipeline, const Invocation& call) {
  Device home = pipeline.device;
  for (auto& [name, value] : pipeline.attributes.all()) {
    auto* module = as<Module>(value);
    if (module && home.is_cpu() && module->device.is_accelerator()) home = module->device;
  }
  if (!pipeline.flag && home.is_accelerator() && !in.state.degraded) {
    Facts there;
    there.device = home;
    for (auto& [name, value] : pipeline.attributes.all()) {
      auto* module = as<Module>(value);
      if (module == nullptr || module->spread || !module->device.is_cpu() ||
          name == "safety_checker" || pipeline.hung.contains(name))
        continue;
      Facts facts;
      facts.device = module->device;
      facts.source = module->source;
      blame(in, facts, there, Role::kPlain, "the pipeline", call.place);
    }
  }
  if (pipeline.device.is_cpu() && pipeline.type == DType::kF16 && !pipeline.flag && home.is_cpu() &&
      !in.state.degraded)
    in.report(Rule::kHalfOnCpu, pipeline.place,
              "the half precision pipeline runs on the CPU: slow, and older releases of PyTorch "
              "lack operators for it",
              {}, call.place);
  const auto* kind = as<Text>(call.named("output_type"));
  if (kind && (kind->text == "latent" || kind->text == "pt")) {
    Facts facts;
    facts.device = home;
    facts.shape = TensorShape::of_rank(4);
    facts.type = pipeline.type;
    facts.computed = true;
    return std::make_shared<Bundle>(Bundle::Use::kOutput, facts);
  }
  return pipeline_pictures(kind && kind->text == "np");
}

Value pipeline_method(Interpreter& in, const Value& self, const std::string& name,
                      const Invocation& call) {
  auto& pipeline = *as<Thing>(self);
  static constexpr std::array kMoves{"to", "cuda", "cpu", "half", "float"};
  if (std::find(kMoves.begin(), kMoves.end(), name) != kMoves.end()) {
    move_pipeline(in, pipeline, read_move(in, name, call), call.place);
    return self;
  }
  if (name.find("_offload") != std::string::npos) {
    pipeline.flag = true;
    pipeline.device = Device{};
    for (auto& [part, value] : pipeline.attributes.all()) {
      auto* module = as<Module>(value);
      if (module == nullptr || pipeline.hung.contains(part)) continue;
      module->spread = true;
      module->device = Device{};
    }
    return none();
  }
  if (name == "encode_prompt" || name == "_encode_prompt" || name == "encode_image" ||
      name == "prepare_latents" || name == "prepare_image" ||
      name == "prepare_ip_adapter_image_embeds")
    return unknown();
  if (name == "register_modules") {
    for (const Argument& argument : call.arguments) {
      pipeline.attributes.set(argument.name, argument.value);
      pipeline.hung.erase(argument.name);
    }
    return none();
  }
  for (const std::string_view prefix :
       {"enable_", "disable_", "set_", "load_", "fuse_", "unload_", "unfuse_", "save_"})
    if (name.starts_with(prefix)) return none();
  if (name == "maybe_free_model_hooks") return none();
  return nullptr;
}

Value pipeline_attribute(Interpreter& in, const Value& self, const std::string& name) {
  auto& pipeline = *as<Thing>(self);
  if (const Value* set = pipeline.attributes.find(name)) return *set;
  if (Value part = pipeline_part(in, pipeline, name)) return part;
  if (name == "device" || name == "_execution_device") return pipeline_device(pipeline);
  if (name == "dtype") return type_value(pipeline.type);
  if (name == "components") {
    auto made = std::make_shared<Dict>();
    for (const char* part : {"unet", "vae", "text_encoder", "tokenizer", "scheduler"})
      made->entries.set(part, pipeline_attribute(in, self, part));
    return made;
  }
  if (name == "config" || name == "vae_scale_factor") return unknown();
  return std::make_shared<Bound>(self, name);
}

void set_pipeline_attribute(Thing& pipeline, const std::string& name, const Value& value) {
  const bool component = pipeline.parts.contains(name) ||
                         pipeline.attributes.find(name) != nullptr || find_part_name(name);
  if (as<Module>(value) && !component) pipeline.hung.insert(name);
  pipeline.attributes.set(name, value);
}

}  // namespace sinter::lint
