#include <fmt/format.h>

#include "sinter/lint/library/things.h"

namespace sinter::lint {

void set_environment(Interpreter& in, const Value& index, const Value& value, const Place& place) {
  const auto* key = as<Text>(index);
  if (key == nullptr) return;
  if (key->text == "CUDA_VISIBLE_DEVICES" && in.state.torch_imported.known())
    in.report(
        Rule::kVisibleDevicesAfterImport, place,
        fmt::format("CUDA_VISIBLE_DEVICES is set after line {} imported torch; set it before, "
                    "or in the shell",
                    in.state.torch_imported.line));
  const auto* word = as<Text>(value);
  // What a flag asks for is not left behind.
  if (key->text == "CUDA_LAUNCH_BLOCKING" && word && word->text == "1" && in.state.options == 0)
    in.report(
        Rule::kLaunchBlockingLeftOn, place,
        "CUDA_LAUNCH_BLOCKING is for debugging: every launch waits, and timings mean nothing");
}

Value environment_method(Interpreter& in, const std::string& name, const Invocation& call) {
  if (name == "setdefault" || name == "__setitem__") {
    set_environment(in, call.get(0, "key"), call.get(1, "value"), call.place);
  } else if (name == "update") {
    if (auto* dict = as<Dict>(call.get(0, "other")))
      for (auto& [key, value] : dict->entries.all())
        set_environment(in, text(key), value, call.place);
  }
  return unknown();
}

}  // namespace sinter::lint
