#include <fmt/format.h>

#include <algorithm>

#include "sinter/lint/library/things.h"
#include "sinter/lint/library/torch/torch_library.h"
#include "sinter/lint/tensors/repairs.h"
#include "sinter/lint/values/conversions.h"

namespace sinter::lint {
namespace {

/// What ** brings may differ from path to path, by design.
bool has_double_star(const Expr& call) {
  return std::find(call.names.begin(), call.names.end(), "**") != call.names.end();
}

void check_load(Interpreter& in, const Invocation& call, const Value& where_to, bool asked) {
  if (call.expr == nullptr || call.splat || has_double_star(*call.expr)) return;
  if (!asked)
    in.report(Rule::kLoadWithoutMapLocation, call.place,
              "the file decides on which device its tensors go, and loading fails on a machine "
              "without that GPU",
              keyword_edit(in, *call.expr, "map_location", "\"cpu\"", false));
  const Value only = call.named("weights_only");
  if (!only || in.truth(only) == std::optional(false))
    in.report(
        Rule::kLoadWeightsOnlyMissing, call.place,
        only ? "weights_only=False runs code from the file"
             : "releases of PyTorch before 2.6 run code from the file unless weights_only=True "
               "is given",
        only ? Edit{} : keyword_edit(in, *call.expr, "weights_only", "True", false));
  const auto device = asked ? device_of(where_to) : std::nullopt;
  const bool literal = as<Text>(where_to) || as<DeviceValue>(where_to);
  if (device && literal && device->is_accelerator())
    in.cuda_loads.try_emplace(
        call.place.begin,
        Interpreter::CudaLoad{
            .finding = {
                .rule = Rule::kLoadMapLocationCuda,
                .place = call.place,
                .use = {},
                .message = fmt::format("the file is loaded to {} only to be read or merged; "
                                       "that takes its size in GPU memory",
                                       to_string(*device)),
                .edit = keyword_edit(in, *call.expr, "map_location", "\"cpu\"", false)}});
}

}  // namespace

Value load_tensors(Interpreter& in, const Invocation& call, bool pickle) {
  const std::string name = pickle ? "map_location" : "device";
  const Value where_to = call.get(1, name);
  const bool asked = where_to && !as<None>(where_to);
  if (pickle) check_load(in, call, where_to, asked);
  Facts facts;
  facts.shape = TensorShape::some();
  if (asked) {
    facts.device = device_of(where_to).value_or(Device{});
    // A function or a dict moves as it likes.
    if (as<Dict>(where_to) || as<Function>(where_to)) facts.device = Device{};
  } else if (!pickle && !call.splat) {
    facts.device = Device::cpu();
  }
  facts.loaded = true;
  auto source = std::make_shared<Source>();
  source->kind = SourceKind::kLoaded;
  source->place = call.place;
  source->expr = call.expr;
  source->what = pickle ? "torch.load" : "load_file";
  source->device_hint = in.device_hint();
  facts.source = source;
  facts.type_source = source;
  return std::make_shared<Bundle>(Bundle::Use::kLoaded, std::move(facts));
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

}  // namespace sinter::lint
