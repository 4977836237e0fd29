#pragma once

#include <string>

#include "sinter/lint/flow/libraries.h"

namespace sinter::lint {

/// Python's own, torch, numpy, Pillow, diffusers, transformers, accelerate, onnxruntime.
class KnownLibraries final : public Libraries {
 public:
  std::string canonical_path(std::string path) const override;
  Value constant(const std::string& path) const override;
  bool is_module_class(const std::string& path) const override;

  Value call(Interpreter& in, const std::string& path, const Invocation& call) const override;
  Value call_object(Interpreter& in, const Value& object, const Invocation& call) const override;
  Value call_method(Interpreter& in, const Value& object, const std::string& name,
                    const Invocation& call) const override;

  Value attribute(Interpreter& in, const Value& object, const std::string& name,
                  const Place& place) const override;
  void set_attribute(Interpreter& in, const Value& object, const std::string& name,
                     const Value& value, const Place& place) const override;
  Value subscript(Interpreter& in, const Value& object, const Value& index,
                  const Place& place) const override;
  void set_subscript(Interpreter& in, const Value& object, const Value& index, const Value& value,
                     const Place& place) const override;
  Value unary(Interpreter& in, const std::string& op, const Value& value) const override;
  Value binary(Interpreter& in, const std::string& op, const Value& left, const Value& right,
               const Place& place) const override;
  Value item_of(Interpreter& in, const Value& value) const override;

  void settle(Interpreter& in, Module& module, const Device& device) const override;
  void let_go(Interpreter& in, const Invocation& call) const override;
};

}  // namespace sinter::lint
