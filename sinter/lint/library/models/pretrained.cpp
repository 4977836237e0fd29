#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinter/lint/library/library.h"
#include "sinter/lint/library/models/model_classes.h"
#include "sinter/lint/library/things.h"
#include "sinter/lint/library/torch/modules.h"
#include "sinter/lint/values/conversions.h"

namespace sinter::lint {
namespace {

/// Parts that pipelines have; the right side says what they are.
struct Part {
  std::string_view name;
  std::string_view library;
};
constexpr std::array kParts{
    Part{"unet", "UNet2DConditionModel"},
    Part{"prior", "PriorModel"},
    Part{"transformer", "Transformer2DModel"},
    Part{"vae", "AutoencoderKL"},
    Part{"vqgan", "VQModel"},
    Part{"movq", "VQModel"},
    Part{"text_encoder", "CLIPTextModel"},
    Part{"text_encoder_2", "CLIPTextModelWithProjection"},
    Part{"text_encoder_3", "T5EncoderModel"},
    Part{"image_encoder", "CLIPVisionModelWithProjection"},
    Part{"controlnet", "ControlNetModel"},
    Part{"adapter", "T2IAdapter"},
    Part{"safety_checker", "StableDiffusionSafetyChecker"},
    Part{"motion_adapter", "MotionAdapter"},
    Part{"tokenizer", "CLIPTokenizer"},
    Part{"tokenizer_2", "CLIPTokenizer"},
    Part{"tokenizer_3", "T5Tokenizer"},
    Part{"scheduler", "DDIMScheduler"},
    Part{"feature_extractor", "CLIPImageProcessor"},
    Part{"image_processor", "VaeImageProcessor"},
};

const Part* find_part(std::string_view name) {
  const auto found =
      std::find_if(kParts.begin(), kParts.end(), [&](const Part& row) { return row.name == name; });
  return found == kParts.end() ? nullptr : found;
}

Value make_thing(Thing::What what, const std::string& name, const Invocation& call) {
  auto made = std::make_shared<Thing>(what);
  made->name = name;
  made->place = call.place;
  made->created = call.expr;
  made->device = Device::cpu();
  return made;
}

Value asked_type(const Invocation& call) {
  Value type = call.named("torch_dtype");
  return type ? type : call.named("dtype");
}

bool spreads(const Invocation& call) {
  const Value map = call.named("device_map");
  if (!map || as<None>(map)) return false;
  const auto* word = as<Text>(map);
  return !word || !parse_device(word->text);
}

/// Where from_pretrained() puts the parameters.
Device loaded_device(const Interpreter& in, const Invocation& call) {
  const Value map = call.named("device_map");
  if (map && !as<None>(map)) return device_of(map).value_or(Device{});
  if (call.splat) return Device{};
  // Under another default device it depends on the release.
  return in.default_device().is_cpu() ? Device::cpu() : Device{};
}

Value pretrained_model(Interpreter& in, const std::string& name, const Invocation& call,
                       const std::string& method) {
  auto made = make_opaque(in, name, call);
  made->device = loaded_device(in, call);
  made->spread = spreads(call);
  if (made->spread) made->device = Device{};
  made->training = method == "from_config";  // from_pretrained() ends with eval()
  made->dtype = DType::kF32;
  if (const Value type = asked_type(call); type && !as<None>(type)) {
    made->dtype = type_of(type);
  } else if (call.splat || name.find("ForCausalLM") != std::string::npos) {
    made->dtype = std::nullopt;
  }
  return made;
}

/// Another pipeline of the same components.
Value shared_pipeline(const std::string& name, const Thing& old, const Invocation& call) {
  auto made = std::make_shared<Thing>(old);
  made->name = name;
  made->place = call.place;
  made->created = call.expr;
  for (const Argument& argument : call.arguments)
    if (!argument.name.empty() && (as<Module>(argument.value) || as<Thing>(argument.value)))
      made->attributes.set(argument.name, argument.value);
  return made;
}

Value pretrained_pipeline(Interpreter& in, const std::string& name, const Invocation& call) {
  const Value thing = make_thing(Thing::What::kPipeline, name, call);
  auto& pipeline = *as<Thing>(thing);
  pipeline.device = loaded_device(in, call);
  pipeline.flag = spreads(call);
  if (pipeline.flag) pipeline.device = Device{};
  pipeline.type = DType::kF32;
  if (const Value type = asked_type(call); type && !as<None>(type)) {
    pipeline.type = type_of(type);
  } else if (call.splat) {
    pipeline.type = std::nullopt;
  }
  for (const Argument& argument : call.arguments)
    if (find_part(argument.name) != nullptr || as<Module>(argument.value))
      if (!argument.name.empty()) pipeline.attributes.set(argument.name, argument.value);
  return thing;
}

Value made_by_class(Interpreter& in, const std::string& name, const std::string& method,
                    const Invocation& call) {
  const Family family = family_of(name);
  if (is_model(family)) return pretrained_model(in, name, call, method);
  switch (family) {
    case Family::kPipeline:
      return pretrained_pipeline(in, name, call);
    case Family::kScheduler:
      return make_thing(Thing::What::kScheduler, name, call);
    case Family::kTokenizer:
      return make_thing(Thing::What::kTokenizer, name, call);
    case Family::kProcessor:
      return make_thing(Thing::What::kProcessor, name, call);
    default:
      break;
  }
  return nullptr;
}

bool from_model_library(const std::string& path) {
  for (const std::string_view root :
       {"diffusers.", "transformers.", "models.", "optimum.", "peft."})
    if (path.starts_with(root)) return true;
  return false;
}

/// randn_tensor() of diffusers takes a CPU generator for any device.
Value randn_tensor(Interpreter& in, const Invocation& call) {
  Facts facts;
  const Value device = call.get(2, "device");
  facts.device = device && !as<None>(device) ? device_of(device).value_or(Device{}) : Device::cpu();
  const Value type = call.get(3, "dtype");
  facts.type = type && !as<None>(type) ? type_of(type) : DType::kF32;
  facts.shape = TensorShape::some();
  auto source = std::make_shared<Source>();
  source->kind = SourceKind::kFactory;
  source->place = call.place;
  source->expr = call.expr;
  source->what = "randn_tensor";
  source->device_hint = in.device_hint();
  source->in_forward = in.frame().in_forward;
  facts.source = source;
  return tensor(std::move(facts));
}

Value accelerate(Interpreter& in, const std::string& name, const Invocation& call) {
  if (name == "Accelerator") {
    const Value made = make_thing(Thing::What::kAccelerator, name, call);
    const Value cpu = call.named("cpu");
    as<Thing>(made)->device =
        cpu && in.truth(cpu) != std::optional(false) ? Device::cpu() : Device::cuda();
    // Without the argument the settings of the launch decide.
    const auto* mixed = as<Text>(call.named("mixed_precision"));
    as<Thing>(made)->flag = mixed == nullptr || mixed->text != "no";
    return made;
  }
  if (name == "cpu_offload" || name == "dispatch_model" || name == "disk_offload" ||
      name == "load_checkpoint_and_dispatch" || name == "cpu_offload_with_hook") {
    if (auto* module = as<Module>(call.get(0, "model"))) {
      module->spread = true;
      module->device = Device{};
    }
    return call.get(0, "model");
  }
  if (name == "init_empty_weights" || name == "init_on_device") return unknown();
  return nullptr;
}

}  // namespace

bool find_part_name(std::string_view name) { return find_part(name) != nullptr; }

bool is_module_class(const std::string& path) {
  if (path == "torch.nn.Module") return true;
  const std::string name = path.substr(path.rfind('.') + 1);
  if (path.starts_with("torch.nn."))
    return find_layer(name) != nullptr || name == "Sequential" || name == "ModuleList" ||
           name == "ModuleDict" || name == "Identity";
  return is_model(family_of(name));
}

Value pipeline_part(Interpreter& in, Thing& pipeline, const std::string& name) {
  const Part* part = find_part(name);
  if (part == nullptr) return nullptr;
  Invocation call;
  call.place = pipeline.place;
  call.expr = pipeline.created;
  Value made = made_by_class(in, std::string(part->library), "from_pretrained", call);
  if (auto* module = as<Module>(made)) {
    module->device = pipeline.device;
    module->dtype = pipeline.type;
    module->spread = pipeline.flag;
    module->moved = !pipeline.device.is_cpu();
    auto source = std::make_shared<Source>(*module->source);
    source->what = fmt::format("{} of the pipeline", name);
    module->source = source;
  }
  pipeline.attributes.set(name, made);
  pipeline.parts.insert(name);
  return made;
}

Value call_models(Interpreter& in, const std::string& path, const Invocation& call) {
  const std::size_t dot = path.rfind('.');
  const std::string last = path.substr(dot + 1);
  if (path.starts_with("accelerate.")) return accelerate(in, last, call);
  if (last == "randn_tensor") return randn_tensor(in, call);
  if (path == "peft.get_peft_model" && as<Module>(call.get(0, "model")))
    return call.get(0, "model");
  if (!from_model_library(path)) return nullptr;
  if (last == "from_pretrained" || last == "from_config" || last == "from_single_file" ||
      last == "from_pipe" || last == "from_unet") {
    const std::string before = path.substr(0, dot);
    const std::string name = before.substr(before.rfind('.') + 1);
    const auto* old = as<Thing>(call.get(0, "pipeline"));
    if (last == "from_pipe" && old != nullptr && old->what == Thing::What::kPipeline) {
      // What was not asked for yet has to become common property first.
      for (const Part& part : kParts)
        thing_attribute(in, call.get(0, "pipeline"), std::string(part.name));
      return shared_pipeline(name, *old, call);
    }
    if (last == "from_unet") {
      Value made = pretrained_model(in, name, call, "from_config");
      return made;
    }
    return made_by_class(in, name, last, call);
  }
  // A class called by itself: a fresh model, in training mode.
  if (!last.empty() && last[0] >= 'A' && last[0] <= 'Z' && !last.ends_with("Config") &&
      !last.ends_with("Output"))
    return made_by_class(in, last, "from_config", call);
  return nullptr;
}

}  // namespace sinter::lint
