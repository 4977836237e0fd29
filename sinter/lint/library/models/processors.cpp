#include "sinter/lint/library/things.h"

namespace sinter::lint {

Value encode_text(Interpreter& in, const Thing& tokenizer, const Invocation& call) {
  const auto* kind = as<Text>(call.named("return_tensors"));
  const bool image = tokenizer.what == Thing::What::kProcessor;
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

namespace {

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

}  // namespace

Value processor_method(Interpreter& in, const Thing& processor, const std::string& name,
                       const Invocation& call) {
  if (processor.what == Thing::What::kTokenizer) {
    if (name == "pad" || name == "encode_plus" || name == "batch_encode_plus" ||
        name == "apply_chat_template")
      return encode_text(in, processor, call);
    if (name != "encode") return nullptr;
    const Value made = encode_text(in, processor, call);
    if (const Facts* facts = facts_of(made)) return tensor(*facts);
    return made;
  }
  if (name != "preprocess") return nullptr;
  return processor.name.find("Vae") != std::string::npos ? preprocess(in, processor, call)
                                                         : encode_text(in, processor, call);
}

Value processor_attribute(const Thing& processor, const Value& self, const std::string& name) {
  if (processor.what == Thing::What::kProcessor) {
    if (name != "tokenizer") return std::make_shared<Bound>(self, name);
    auto made = std::make_shared<Thing>(Thing::What::kTokenizer);
    made->device = Device::cpu();
    return made;
  }
  if (name == "tokenizer" || name == "image_processor") return self;
  if (name.ends_with("_id") || name.starts_with("model_max") || name == "vocab_size")
    return number(std::nullopt);
  return std::make_shared<Bound>(self, name);
}

}  // namespace sinter::lint
