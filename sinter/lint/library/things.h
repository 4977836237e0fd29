#pragma once

#include <string>

#include "sinter/lint/library/library.h"
#include "sinter/lint/values/thing.h"

namespace sinter::lint {

/// What each kind of Thing does. Methods that are not known are null.

Value scheduler_method(Interpreter& in, Thing& scheduler, const std::string& name,
                       const Invocation& call);
Value scheduler_attribute(Interpreter& in, Thing& scheduler, const Value& self,
                          const std::string& name);

/// A tokenizer or processor turns text or pictures into tensors.
Value encode_text(Interpreter& in, const Thing& tokenizer, const Invocation& call);
Value processor_method(Interpreter& in, const Thing& processor, const std::string& name,
                       const Invocation& call);
Value processor_attribute(const Thing& processor, const Value& self, const std::string& name);

Value run_pipeline(Interpreter& in, Thing& pipeline, const Invocation& call);
Value pipeline_method(Interpreter& in, const Value& self, const std::string& name,
                      const Invocation& call);
Value pipeline_attribute(Interpreter& in, const Value& self, const std::string& name);
void set_pipeline_attribute(Thing& pipeline, const std::string& name, const Value& value);

/// unet, vae, tokenizer ... of a pipeline, made when it is asked for; null for other names.
Value pipeline_part(Interpreter& in, Thing& pipeline, const std::string& name);
/// Whether pipelines have a component of that name.
bool find_part_name(std::string_view name);

/// accelerate.Accelerator
Value accelerator_method(Interpreter& in, const Thing& accelerator, const std::string& name,
                         const Invocation& call);
Value accelerator_attribute(const Thing& accelerator, const Value& self, const std::string& name);

/// onnxruntime.InferenceSession
Value make_session(Interpreter& in, const Invocation& call);
Value session_method(Thing& session, const std::string& name);

/// argparse
Value parser_method(Interpreter& in, Thing& parser, const std::string& name,
                    const Invocation& call);

/// os.environ
void set_environment(Interpreter& in, const Value& index, const Value& value, const Place& place);
Value environment_method(Interpreter& in, const std::string& name, const Invocation& call);

/// safetensors.safe_open
Value open_file_method(const Thing& file, const std::string& name);

}  // namespace sinter::lint
