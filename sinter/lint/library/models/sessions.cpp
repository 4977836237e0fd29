#include "sinter/lint/library/things.h"

namespace sinter::lint {

Value make_session(Interpreter& in, const Invocation& call) {
  auto made = std::make_shared<Thing>(Thing::What::kSession);
  made->place = call.place;
  bool gpu = false;
  const Value providers = call.get(2, "providers");
  if (const auto* several = as<Sequence>(providers)) {
    for (const Value& provider : several->items) {
      const auto* pair = as<Sequence>(provider);
      const auto* word = as<Text>(pair && !pair->items.empty() ? pair->items[0] : provider);
      gpu = gpu ||
            (word &&
             (word->text == "CUDAExecutionProvider" || word->text == "TensorrtExecutionProvider" ||
              word->text == "ROCMExecutionProvider" || word->text == "DmlExecutionProvider"));
    }
  }
  if (gpu) in.sessions.push_back(made);
  return made;
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

}  // namespace sinter::lint
