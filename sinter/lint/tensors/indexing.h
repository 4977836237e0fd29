#pragma once

#include "sinter/lint/flow/interpreter.h"

namespace sinter::lint {

Value index_tensor(Interpreter& in, const Value& self, const Value& index, const Place& place);
void store_in_tensor(Interpreter& in, const Value& self, const Value& index, const Value& value,
                     const Place& place);
TensorShape index_shape(const TensorShape& shape, const Value& index);

Value index_bundle(Bundle& bundle, const Value& index);
void store_in_bundle(Bundle& bundle, const Value& value);

/// target.data = value
void replace_data(Interpreter& in, Tensor& target, const Value& value, const Place& place);

}  // namespace sinter::lint
