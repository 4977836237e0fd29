#include "sinter/lint/library/library.h"

#include <algorithm>
#include <array>

#include "sinter/lint/values/containers.h"

namespace sinter::lint {
namespace {

void lose(const Value& value, int depth) {
  if (depth > 3) return;
  if (auto* module = as<Module>(value)) {
    module->device = Device{};
    module->spread = true;
    module->dtype = std::nullopt;
    for (auto& [name, member] : module->members.all())
      if (as<Module>(member) || as<Tensor>(member)) lose(member, depth + 1);
  } else if (auto* held = as<Tensor>(value)) {
    if (held->parameter) held->facts.device = Device{};
  } else if (auto* several = as<Sequence>(value)) {
    several->joined = true;  // what becomes of it is not known
    for (const Value& item : several->items) lose(item, depth + 1);
  } else if (auto* dict = as<Dict>(value)) {
    for (auto& [name, item] : dict->entries.all()) lose(item, depth + 1);
  } else if (auto* thing = as<Thing>(value); thing && thing->what == Thing::What::kPipeline) {
    thing->device = Device{};
    thing->flag = true;
    for (auto& [name, item] : thing->attributes.all()) lose(item, depth + 1);
  } else if (auto* instance = as<Instance>(value)) {
    for (auto& [name, item] : instance->attributes.all()) lose(item, depth + 1);
  }
}

Value other_method(Interpreter& in, const Value& receiver, const std::string& name,
                   const Invocation& call) {
  if (const auto* word = as<Text>(receiver)) return text_method(in, *word, name, call);
  if (as<Sequence>(receiver)) return sequence_method(in, receiver, name, call);
  if (as<Dict>(receiver)) return dict_method(in, receiver, name, call);
  if (as<Number>(receiver)) return number(std::nullopt, name == "bit_length");
  if (as<Instance>(receiver)) {
    if (name == "__enter__") return receiver;
    if (name == "super.__init__" || name == "super.__post_init__") return none();
  }
  return nullptr;
}

}  // namespace

void let_go(Interpreter& in, const Invocation& call) {
  for (const Argument& argument : call.arguments) {
    lose(argument.value, 0);
    std::vector<Facts*> all;
    gather_facts(argument.value, all);
    for (const Facts* facts : all) in.use_load(*facts);
  }
}

Value call_library(Interpreter& in, const std::string& path, const Invocation& call) {
  if (path.starts_with("builtins.")) return call_builtin(in, path.substr(9), call);
  if (Value made = call_torch(in, path, call)) return made;
  if (Value made = call_numpy(in, path, call)) return made;
  if (Value made = call_models(in, path, call)) return made;
  if (Value made = call_images(in, path, call)) return made;
  if (Value made = call_standard(in, path, call)) return made;
  static constexpr std::array kHarmless{
      "torch.",       "numpy.",      "os.",          "sys.",          "math.",       "json.",
      "re.",          "time.",       "random.",      "pathlib.",      "logging.",    "warnings.",
      "onnxruntime.", "onnx.",       "tqdm.",        "cv2.",          "matplotlib.", "collections.",
      "typing.",      "subprocess.", "safetensors.", "transformers.", "diffusers."};
  const bool harmless = std::any_of(kHarmless.begin(), kHarmless.end(),
                                    [&](std::string_view root) { return path.starts_with(root); });
  if (!harmless) let_go(in, call);
  return nullptr;
}

Value call_method(Interpreter& in, const Value& receiver, const std::string& name,
                  const Invocation& call) {
  if (as<Tensor>(receiver)) return tensor_method(in, receiver, name, call);
  if (as<Bundle>(receiver)) return bundle_method(in, receiver, name, call);
  if (as<Module>(receiver)) return module_method(in, receiver, name, call);
  if (const auto* array = as<Array>(receiver)) return array_method(in, *array, name, call);
  if (as<Thing>(receiver)) {
    if (as<Thing>(receiver)->what == Thing::What::kSuper)
      return call_method(in, as<Thing>(receiver)->held, name, call);
    return thing_method(in, receiver, name, call);
  }
  if (const auto* library = as<Library>(receiver))
    return call_library(in, library->path + "." + name, call);
  return other_method(in, receiver, name, call);
}

}  // namespace sinter::lint
