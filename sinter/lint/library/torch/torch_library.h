#pragma once

#include <string>
#include <string_view>

#include "sinter/lint/flow/interpreter.h"

namespace sinter::lint {

/// torch.NAME makes a tensor: randn, tensor, from_numpy, Tensor, ...
bool is_factory(std::string_view name);
Value make_tensor(Interpreter& in, std::string_view name, const Invocation& call);

/// torch.zeros_like() and kin.
Value make_like(Interpreter& in, std::string_view name, const Invocation& call);

/// torch.nn.NAME(...): a layer or a container. Null for what is no module.
Value make_layer(Interpreter& in, const std::string& name, const Invocation& call);

/// torch.load and safetensors.torch.load_file.
Value load_tensors(Interpreter& in, const Invocation& call, bool pickle);

/// torch.onnx.export(...).
Value export_onnx(Interpreter& in, const Invocation& call);

/// A context of torch, such as no_grad, as a value.
Value make_context(const std::string& name);

}  // namespace sinter::lint
