#include "sinter/lint/library/things.h"

#include "sinter/lint/library/arrays/images.h"
#include "sinter/lint/library/library.h"

namespace sinter::lint {
namespace {

using What = Thing::What;

Value generator_method(const Value& self, const std::string& name) {
  if (name == "manual_seed") return self;
  if (name == "seed" || name == "initial_seed") return number(std::nullopt);
  return name == "clone_state" ? self : none();
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
    case What::kProcessor:
      return processor_method(in, thing, name, call);
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
      return environment_method(in, name, call);
    case What::kContext:
      if (thing.name == "stack" && name == "enter_context") {
        const Value entered = call.get(0, "cm");
        if (entered) in.enter_context(entered, call.place);
        return entered;
      }
      return nullptr;
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

Value thing_attribute(Interpreter& in, const Value& self, const std::string& name) {
  auto& thing = *as<Thing>(self);
  if (thing.what == What::kPipeline) return pipeline_attribute(in, self, name);
  if (const Value* set = thing.attributes.find(name)) return *set;
  switch (thing.what) {
    case What::kScheduler:
      return scheduler_attribute(in, thing, self, name);
    case What::kAccelerator:
      return accelerator_attribute(thing, self, name);
    case What::kTokenizer:
    case What::kProcessor:
      return processor_attribute(thing, self, name);
    case What::kImage:
      return image_attribute(thing, self, name);
    case What::kGenerator:
      if (name == "device") return device_value(thing.device);
      return std::make_shared<Bound>(self, name);
    default:
      return std::make_shared<Bound>(self, name);
  }
}

void set_thing_attribute(Thing& thing, const std::string& name, const Value& value) {
  if (thing.what == What::kPipeline)
    set_pipeline_attribute(thing, name, value);
  else
    thing.attributes.set(name, value);
}

Value index_thing(const Thing& thing, const Value& index) {
  const auto* key = as<Text>(index);
  if (thing.what == What::kEnvironment)
    return unknown(key && key->exact() ? "env." + key->text : "");
  return unknown();
}

}  // namespace sinter::lint
