#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinter/lint/library/models/model_classes.h"
#include "sinter/lint/library/torch/modules.h"
#include "sinter/lint/tensors/blame.h"
#include "sinter/lint/tensors/meeting.h"
#include "sinter/lint/values/containers.h"

namespace sinter::lint {
namespace {

constexpr std::array kInputs{
    // The timestep follows the sample only where it has no dimension.
    ModelInput{Family::kDenoiser, "forward", 0, "sample", Wants::kDeviceAndType, true},
    ModelInput{Family::kDenoiser, "forward", 0, "hidden_states", Wants::kDeviceAndType, true},
    ModelInput{Family::kDenoiser, "forward", 1, "timestep", Wants::kDeviceUnlessScalar},
    ModelInput{Family::kDenoiser, "forward", 2, "encoder_hidden_states", Wants::kDeviceAndType},
    ModelInput{Family::kDenoiser, "forward", 3, "class_labels", Wants::kDevice},
    ModelInput{Family::kControl, "forward", 0, "sample", Wants::kDeviceAndType, true},
    ModelInput{Family::kControl, "forward", 0, "hidden_states", Wants::kDeviceAndType, true},
    ModelInput{Family::kControl, "forward", 1, "timestep", Wants::kDeviceUnlessScalar},
    ModelInput{Family::kControl, "forward", 2, "encoder_hidden_states", Wants::kDeviceAndType},
    ModelInput{Family::kControl, "forward", 3, "controlnet_cond", Wants::kDeviceAndType},
    ModelInput{Family::kAutoencoder, "forward", 0, "sample", Wants::kDeviceAndType},
    ModelInput{Family::kAutoencoder, "encode", 0, "x", Wants::kDeviceAndType},
    ModelInput{Family::kAutoencoder, "decode", 0, "z", Wants::kDeviceAndType, true},
    ModelInput{Family::kAutoencoder, "tiled_encode", 0, "x", Wants::kDeviceAndType},
    ModelInput{Family::kAutoencoder, "tiled_decode", 0, "z", Wants::kDeviceAndType, true},
    ModelInput{Family::kAdapter, "forward", 0, "x", Wants::kDeviceAndType},
};

const ModelInput* find_input(Family family, const std::string& method, std::size_t position,
                             const std::string& name) {
  const auto found = std::find_if(kInputs.begin(), kInputs.end(), [&](const ModelInput& row) {
    return row.family == family && row.method == method &&
           (name.empty() ? row.position == position : row.name == name);
  });
  return found == kInputs.end() ? nullptr : found;
}

struct Given {
  Facts* facts;
  Wants wants;
  std::string name;
  bool latent;
};

std::vector<Given> inputs_of(Family family, const std::string& method, const Invocation& call) {
  std::vector<Given> all;
  std::size_t position = 0;
  for (const Argument& argument : call.arguments) {
    const std::size_t at = argument.name.empty() ? position++ : Invocation::kNowhere;
    const ModelInput* row = find_input(family, method, at, argument.name);
    const Wants wants = row ? row->wants : Wants::kDevice;
    if (argument.name == "generator") continue;
    std::vector<Facts*> facts;
    gather_facts(argument.value, facts);
    const std::string name = row ? std::string(row->name) : argument.name;
    for (Facts* each : facts) all.push_back({each, wants, name, row && row->latent});
  }
  return all;
}

/// Four levels of a UNet halve the size three times.
void check_export_size(Interpreter& in, Family family, const Given& given, const Place& use) {
  if (in.state.exporting == nullptr || !given.facts->shape.rank() ||
      *given.facts->shape.rank() != 4)
    return;
  const bool pixels = given.name == "controlnet_cond" || given.name == "x" ||
                      (family == Family::kAutoencoder && given.name == "sample");
  if (!given.latent && !pixels) return;
  const std::int64_t step = given.latent ? 8 : 64;
  for (std::size_t i = 2; i < 4; ++i) {
    const Dim& dim = (*given.facts->shape.dims)[i];
    if (!dim.extent || *dim.extent % step == 0) continue;
    Place place = dim.place;
    if (!place.known() && given.facts->source) place = given.facts->source->place;
    const std::int64_t size = given.latent ? *dim.extent * 8 : *dim.extent;
    in.report(Rule::kExportSizeNot64, place,
              fmt::format("{} pixels are no multiple of 64: the skip connections of four levels do "
                          "not meet when the size is halved three times",
                          size),
              {}, use);
  }
}

Value outputs(Family family, const std::string& method, Facts facts) {
  facts.shape = TensorShape::some();
  facts.computed = true;
  facts.loaded = false;
  if (family == Family::kControl && method == "forward")
    return std::make_shared<Bundle>(Bundle::Use::kOutput, std::move(facts));
  if (method.starts_with("get_") || method == "generate" || method.starts_with("encode_"))
    return tensor(std::move(facts));
  return std::make_shared<Bundle>(Bundle::Use::kOutput, std::move(facts));
}

}  // namespace

Value run_opaque(Interpreter& in, Module& module, const std::string& method,
                 const Invocation& call) {
  const Family family = family_of(module.library);
  std::vector<Given> given = inputs_of(family, method, call);
  Held held;
  gather_parameters(module, held);
  std::vector<Operand> operands = held.operands;
  for (const Given& input : given) {
    const bool moved_inside =
        input.wants == Wants::kDeviceUnlessScalar && input.facts->shape.maybe_scalar();
    if (!moved_inside) operands.push_back({input.facts, Role::kPlain});
  }
  const std::string what = module.library == "part" || module.library.empty()
                               ? "the model"
                               : module.library + (method == "forward" ? "" : "." + method) + "()";
  if (module.spread || module.library.ends_with("Parallel"))
    return outputs(family, method, Facts{});
  Facts facts = meet(in, what, operands, Meeting::kStrict, call.place);
  for (const Given& input : given) {
    if (input.wants == Wants::kDeviceAndType)
      check_types(in, *input.facts, module.dtype, what, call.place);
    check_export_size(in, family, input, call.place);
  }
  if (module.dtype == DType::kF16 && module.device.is_cpu() && facts.device.is_cpu() &&
      !module.ran_half_on_cpu.known())
    module.ran_half_on_cpu = call.place;
  facts.type = in.state.autocast.empty() ? module.dtype : std::nullopt;
  facts.type_source = module.source;
  if (!in.gradients_on()) facts.recorded.clear();
  return outputs(family, method, std::move(facts));
}

}  // namespace sinter::lint
