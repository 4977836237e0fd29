#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinter/lint/images.h"
#include "sinter/lint/library.h"
#include "sinter/lint/model_classes.h"
#include "sinter/lint/modules.h"
#include "sinter/lint/objects.h"
#include "sinter/lint/tensors.h"

namespace sinter::lint {
namespace {

using What = Thing::What;

/// A table of a scheduler: timesteps, alphas_cumprod, sigmas.
Value scheduler_table(Interpreter& in, const Thing& scheduler, const std::string& name) {
  Facts facts;
  facts.device = name == "timesteps" ? scheduler.device : scheduler.tables;
  facts.type = name == "timesteps" ? DType::kI64 : DType::kF32;
  facts.shape = TensorShape::of_rank(1);
  auto source = std::make_shared<Source>();
  source->kind = SourceKind::kScheduler;
  source->place = in.current_place();
  source->what = "scheduler." + name;
  facts.source = source;
  return tensor(std::move(facts));
}

Value scheduler_attribute(Interpreter& in, Thing& scheduler, const Value& self,
                          const std::string& name) {
  static constexpr std::array kTables{"timesteps", "alphas_cumprod", "sigmas",
                                      "betas",     "alphas",         "log_sigmas"};
  if (std::find(kTables.begin(), kTables.end(), name) != kTables.end())
    return scheduler_table(in, scheduler, name);
  if (name == "init_noise_sigma" || name == "final_alpha_cumprod" || name == "one") {
    Facts facts;
    facts.device = Device::cpu();
    facts.type = DType::kF32;
    facts.shape = TensorShape::scalar();
    return tensor(std::move(facts));
  }
  if (name == "config" || name == "order") return unknown();
  return std::make_shared<Bound>(self, name);
}

Value scheduler_method(Interpreter& in, Thing& scheduler, const std::string& name,
                       const Invocation& call) {
  if (name == "set_timesteps") {
    const Value device = call.get(1, "device");
    scheduler.device =
        device && !as<None>(device) ? device_of(device).value_or(Device{}) : Device::cpu();
    return none();
  }
  const bool step = name == "step" || name == "scale_model_input" || name == "add_noise" ||
                    name == "get_velocity" || name == "scale_noise";
  if (!step) return nullptr;
  std::vector<Operand> operands;
  // scale_model_input(sample, t), add_noise(sample, noise, t), step(output, t, sample)
  std::size_t position = 0;
  for (const Argument& argument : call.arguments) {
    const std::size_t at = argument.name.empty() ? position++ : Invocation::kNowhere;
    const bool timestep = argument.name == "timestep" || argument.name == "timesteps" ||
                          (name == "step" && at == 1) || (name == "scale_model_input" && at == 1) ||
                          ((name == "add_noise" || name == "get_velocity") && at == 2);
    Facts* facts = facts_of(argument.value);
    if (!timestep && facts && argument.name != "generator")
      operands.push_back({facts, Role::kPlain});
  }
  if (operands.empty()) return nullptr;
  Facts facts = meet(in, "scheduler." + name + "()", operands, Meeting::kJoin, call.place);
  facts.type = operands.back().facts->type;
  facts.shape = operands.back().facts->shape;
  facts.type_source = operands.back().facts->type_source;
  if (!in.gradients_on()) facts.recorded.clear();
  // These take the tables along to the sample.
  if (name == "add_noise" || name == "get_velocity") scheduler.tables = facts.device;
  if (name != "step") return tensor(std::move(facts));
  return std::make_shared<Bundle>(Bundle::Use::kOutput, std::move(facts));
}

Value encode_text(Interpreter& in, const Thing& tokenizer, const Invocation& call) {
  const auto* kind = as<Text>(call.named("return_tensors"));
  const bool image = tokenizer.what == What::kProcessor;
  if (kind == nullptr || kind->text != "pt") {
    // Lists or arrays; their tensors are made by the script.
    return kind == nullptr && image && !call.named("return_tensors") ? unknown() : unknown();
  }
  Facts facts;
  facts.device = Device::cpu();
  facts.type = image ? std::optional(DType::kF32) : std::optional(DType::kI64);
  facts.shape = TensorShape::some();
  auto source = std::make_shared<Source>();
  source->kind = SourceKind::kProcessor;
  source->place = call.place;
  source->expr = call.expr;
  source->what = image ? "the processor" : "the tokenizer";
  source->device_hint = in.device_hint();
  facts.source = source;
  facts.type_source = source;
  return std::make_shared<Bundle>(Bundle::Use::kEncoding, std::move(facts));
}

/// VaeImageProcessor.preprocess() gives a tensor.
Value preprocess(Interpreter& in, const Thing& processor, const Invocation& call) {
  const Value given = call.get(0, "image");
  if (facts_of(given)) return given;
  Invocation asked = call;
  asked.arguments.push_back({"return_tensors", text("pt"), nullptr});
  Value made = encode_text(in, processor, asked);
  Facts facts = *facts_of(made);
  facts.shape = TensorShape::of_rank(4);
  return tensor(std::move(facts));
}

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

Value accelerator_method(Interpreter& in, const Thing& accelerator, const std::string& name,
                         const Invocation& call) {
  if (name == "prepare" || name == "prepare_model") {
    std::vector<Value> all;
    for (const Argument& argument : call.arguments) {
      if (auto* module = as<Module>(argument.value))
        move_module(in, *module, Move{.device = accelerator.device, .type = {}}, call.place);
      all.push_back(argument.value);
    }
    return all.size() == 1 ? all[0] : tuple(std::move(all));
  }
  if (name == "unwrap_model") return call.get(0, "model");
  if (name == "autocast") {
    auto made = std::make_shared<Thing>(What::kContext);
    made->name = "other";  // depends on the settings of the launch
    return made;
  }
  if (name == "backward") {
    in.state.gradients_used = true;
    return none();
  }
  return nullptr;
}

Value session_method(Thing& session, const std::string& name) {
  if (name == "get_providers") {
    session.flag = true;
    return unknown();
  }
  if (name == "run") {
    auto made = std::make_shared<Sequence>(Sequence::Type::kList);
    made->open = true;
    made->items.push_back(std::make_shared<Array>(std::nullopt, TensorShape::some()));
    return made;
  }
  return nullptr;
}

Value parser_method(Interpreter& in, Thing& parser, const std::string& name,
                    const Invocation& call);

Value generator_method(const Value& self, const std::string& name) {
  if (name == "manual_seed") return self;
  if (name == "seed" || name == "initial_seed") return number(std::nullopt);
  return name == "clone_state" ? self : none();
}

Value arguments_default(Interpreter& in, const std::string& name, const Invocation& call) {
  const auto* action = as<Text>(call.named("action"));
  const Value fallback = call.named("default");
  if (action && (action->text == "store_true" || action->text == "store_false"))
    return unknown("args." + name);
  if (as<Library>(call.named("action"))) return unknown("args." + name);
  if (!fallback || as<None>(fallback)) return unknown("args." + name);
  if (const auto* choices = as<Sequence>(call.named("choices"));
      choices && !choices->open && choices->items.size() > 1 && choices->items.size() <= 4) {
    // Every choice is a script of its own.
    for (const Value& choice : choices->items) {
      const auto* word = as<Text>(choice);
      const auto* usual = as<Text>(fallback);
      if (!word || !usual || parse_device(word->text)) return fallback;
      if (in.decide("args." + name + " == '" + word->text + "'", word->text == usual->text))
        return choice;
    }
  }
  return fallback;
}

void add_argument(Thing& parser, const Invocation& call) {
  std::string name;
  for (const Argument& argument : call.arguments) {
    const auto* word = argument.name.empty() ? as<Text>(argument.value) : nullptr;
    if (word == nullptr) continue;
    // The first long option names it, else the first of all.
    const bool is_long = word->text.starts_with("--");
    if (name.empty() || (is_long && name.size() <= 2))
      name = word->text.substr(std::min(word->text.find_first_not_of('-'), word->text.size()));
  }
  if (const auto* given = as<Text>(call.named("dest"))) name = given->text;
  std::replace(name.begin(), name.end(), '-', '_');
  if (!name.empty()) parser.options.emplace_back(name, call.arguments);
}

Value parser_method(Interpreter& in, Thing& parser, const std::string& name,
                    const Invocation& call) {
  if (name == "add_argument") {
    add_argument(parser, call);
    return none();
  }
  if (name == "add_argument_group" || name == "add_mutually_exclusive_group" ||
      name == "add_subparsers" || name == "add_parser")
    return parser.shared_from_this();
  if (name == "parse_args" || name == "parse_known_args") {
    auto made = std::make_shared<Unknown>("args");
    for (const auto& [option, arguments] : parser.options) {
      Invocation inner;
      inner.arguments = arguments;
      made->attributes.set(option, arguments_default(in, option, inner));
    }
    if (name == "parse_args") return made;
    return tuple({made, unknown()});
  }
  if (name == "error" || name == "exit") throw Exit{};
  return none();
}

Value open_file_method(const Thing& file, const std::string& name) {
  if (file.name != "safe_open") return nullptr;
  if (name == "get_tensor" || name == "get_slice") {
    Facts facts;
    facts.device = file.device;
    facts.shape = TensorShape::some();
    facts.loaded = true;
    auto source = std::make_shared<Source>();
    source->kind = SourceKind::kLoaded;
    source->place = file.place;
    source->expr = file.created;
    source->what = "safe_open";
    facts.source = source;
    return tensor(std::move(facts));
  }
  if (name == "keys") {
    auto made = std::make_shared<Sequence>(Sequence::Type::kList);
    made->open = true;
    made->items = {text("\x01"), text("\x01")};
    return made;
  }
  return nullptr;
}

}  // namespace

Value thing_method(Interpreter& in, const Value& self, const std::string& name,
                   const Invocation& call) {
  auto& thing = *as<Thing>(self);
  if (name == "save_pretrained") check_output_path(in, call.get(0, "save_directory"), call.place);
  switch (thing.what) {
    case What::kScheduler:
      return scheduler_method(in, thing, name, call);
    case What::kPipeline:
      return pipeline_method(in, self, name, call);
    case What::kTokenizer:
      if (name == "pad" || name == "encode_plus" || name == "batch_encode_plus" ||
          name == "apply_chat_template")
        return encode_text(in, thing, call);
      if (name == "encode") {
        const Value made = encode_text(in, thing, call);
        if (const Facts* facts = facts_of(made)) return tensor(*facts);
        return made;
      }
      return nullptr;
    case What::kProcessor:
      if (name == "preprocess" && thing.name.find("Vae") != std::string::npos)
        return preprocess(in, thing, call);
      return name == "preprocess" ? encode_text(in, thing, call) : nullptr;
    case What::kAccelerator:
      return accelerator_method(in, thing, name, call);
    case What::kSession:
      return session_method(thing, name);
    case What::kParser:
      return parser_method(in, thing, name, call);
    case What::kGenerator:
      return generator_method(self, name);
    case What::kImage:
      return image_method(in, thing, self, name, call);
    case What::kEnvironment:
      if (name == "setdefault" || name == "__setitem__") {
        set_environment(in, thing, call.get(0, "key"), call.get(1, "value"), call.place);
      } else if (name == "update") {
        if (auto* dict = as<Dict>(call.get(0, "other")))
          for (auto& [key, value] : dict->entries.all())
            set_environment(in, thing, text(key), value, call.place);
      }
      return unknown();
    case What::kOther:
      return open_file_method(thing, name);
    default:
      return nullptr;
  }
}

Value call_thing(Interpreter& in, const Value& self, const Invocation& call) {
  auto& thing = *as<Thing>(self);
  switch (thing.what) {
    case What::kTokenizer:
    case What::kProcessor:
      return encode_text(in, thing, call);
    case What::kPipeline:
      return run_pipeline(in, thing, call);
    case What::kContext: {
      // A context used as a decorator.
      const auto* function = as<Function>(call.get(0, "func"));
      if (function == nullptr) return nullptr;
      auto wrapped = std::make_shared<Function>(*function);
      wrapped->contexts.push_back(self);
      return wrapped;
    }
    default:
      return nullptr;
  }
}

namespace {

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

Value thing_attribute(Interpreter& in, const Value& self, const std::string& name) {
  auto& thing = *as<Thing>(self);
  if (const Value* set = thing.attributes.find(name)) return *set;
  switch (thing.what) {
    case What::kScheduler:
      return scheduler_attribute(in, thing, self, name);
    case What::kPipeline:
      if (Value part = pipeline_part(in, thing, name)) return part;
      if (name == "device" || name == "_execution_device") return pipeline_device(thing);
      if (name == "dtype") return type_value(thing.type);
      if (name == "components") {
        auto made = std::make_shared<Dict>();
        for (const char* part : {"unet", "vae", "text_encoder", "tokenizer", "scheduler"})
          made->entries.set(part, thing_attribute(in, self, part));
        return made;
      }
      if (name == "config" || name == "vae_scale_factor") return unknown();
      return std::make_shared<Bound>(self, name);
    case What::kAccelerator:
      if (name == "device") return device_value(thing.device);
      if (name.starts_with("is_")) return boolean(true);
      return std::make_shared<Bound>(self, name);
    case What::kGenerator:
      if (name == "device") return device_value(thing.device);
      return std::make_shared<Bound>(self, name);
    case What::kTokenizer:
      if (name == "tokenizer" || name == "image_processor") return self;
      if (name.ends_with("_id") || name.starts_with("model_max") || name == "vocab_size")
        return number(std::nullopt);
      return std::make_shared<Bound>(self, name);
    case What::kProcessor: {
      if (name != "tokenizer") return std::make_shared<Bound>(self, name);
      auto made = std::make_shared<Thing>(What::kTokenizer);
      made->device = Device::cpu();
      return made;
    }
    case What::kImage:
      return image_attribute(thing, self, name);
    default:
      return std::make_shared<Bound>(self, name);
  }
}

void set_thing_attribute(Interpreter& in, Thing& thing, const std::string& name,
                         const Value& value) {
  if (thing.what == What::kPipeline && as<Module>(value)) {
    const bool component = thing.parts.contains(name) || thing.attributes.find(name) != nullptr ||
                           find_part_name(name);
    if (!component) thing.hung.insert(name);
  }
  (void)in;
  thing.attributes.set(name, value);
}

Value index_thing(Interpreter& in, const Value& self, const Value& index) {
  (void)in;
  const auto& thing = *as<Thing>(self);
  const auto* key = as<Text>(index);
  if (thing.what == What::kEnvironment)
    return unknown(key && key->exact() ? "env." + key->text : "");
  return unknown();
}

void set_environment(Interpreter& in, Thing& thing, const Value& index, const Value& value,
                     const Place& place) {
  const auto* key = as<Text>(index);
  if (thing.what != What::kEnvironment || key == nullptr) return;
  if (key->text == "CUDA_VISIBLE_DEVICES" && in.state.torch_imported.known())
    in.report(
        Rule::kVisibleDevicesAfterImport, place,
        fmt::format("CUDA_VISIBLE_DEVICES is set after line {} imported torch; set it before, "
                    "or in the shell",
                    in.state.torch_imported.line));
  const auto* word = as<Text>(value);
  if (key->text == "CUDA_LAUNCH_BLOCKING" && word && word->text == "1")
    in.report(
        Rule::kLaunchBlockingLeftOn, place,
        "CUDA_LAUNCH_BLOCKING is for debugging: every launch waits, and timings mean nothing");
}

Value item_of(Interpreter& in, const Value& value) {
  if (auto* bundle = as<Bundle>(value)) {
    if (bundle->use != Bundle::Use::kOutput) return text("\x01");
    return std::make_shared<Bundle>(*bundle);
  }
  if (const auto* whole = as<Tensor>(value)) {
    Facts facts = whole->facts;
    facts.shape = index_shape(facts.shape, number(std::nullopt));
    return tensor(std::move(facts));
  }
  if (const auto* array = as<Array>(value)) return index_array(*array, number(std::nullopt));
  if (auto* module = as<Module>(value); module && module->opaque)
    return module_attribute(in, value, "\x01item", {});
  if (const auto* thing = as<Thing>(value); thing && thing->what == What::kImage) return value;
  if (const auto* open = as<Unknown>(value))
    return unknown(open->key.empty() ? "" : open->key + "[]");
  if (const auto* instance = as<Instance>(value)) {
    if (as<Function>(class_member(instance->type, "__getitem__")))
      return in.subscript(value, number(std::nullopt), {});
  }
  return unknown();
}

}  // namespace sinter::lint
