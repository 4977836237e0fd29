#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sinter/lint/values/value.h"

namespace sinter::lint {

/// A torch.nn.Module: of a class of the script, a layer of torch.nn, or a model of a library.
struct Module : Object, std::enable_shared_from_this<Module> {
  static constexpr Kind kKind = Kind::kModule;
  Module() : Object(kKind) {}
  enum class Role { kPlain, kChild, kParameter, kBuffer };

  Value type;           // the Class, or null for a library's
  std::string library;  // "Linear", "UNet2DConditionModel"; empty for one of the script
  bool opaque = false;  // members come into being when they are asked for
  Names members;
  std::map<std::string, Role, std::less<>> roles;
  Device device;  // of parameters that were not asked for
  std::optional<DType> dtype;
  SourcePtr source;  // blamed when it is on the wrong device
  const Expr* created = nullptr;
  bool training = true;
  bool trainable = true;
  bool ready = false;          // __init__ is over
  bool moved = false;          // .to(device) was called
  bool spread = false;         // a device map or offloading
  bool autocast = false;       // its calls run under autocast
  Place plain_container = {};  // a list or dict attribute that hides it
  std::string plain_name = {};
  Place ran_half_on_cpu = {};
  Place typed = {};                               // where it was given its element type
  std::optional<std::int64_t> out_features = {};  // of Linear and Embedding
};

/// What is blamed for the parameters of a module that is on the wrong device.
SourcePtr module_source(Module& module);

/// The children that were registered, in order.
std::vector<std::pair<std::string, Value>> module_items(Module& module);

}  // namespace sinter::lint
