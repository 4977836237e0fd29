#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sinter/lint/values/callable.h"

namespace sinter::lint {

/// An object of a library: what it is, and what the rules need to know of it.
struct Thing : Object, std::enable_shared_from_this<Thing> {
  static constexpr Kind kKind = Kind::kThing;
  enum class What {
    kScheduler,
    kTokenizer,
    kProcessor,
    kGenerator,
    kPipeline,
    kImage,
    kSession,
    kParser,
    kContext,
    kAccelerator,
    kEnvironment,
    kSuper,
    kOther
  };
  explicit Thing(What w) : Object(kKind), what(w) {}
  What what;
  Names attributes;
  std::string name;  // class or context: "no_grad"
  Device device;
  Device tables = Device::cpu();  // of a scheduler, but for its timesteps
  std::optional<DType> type;
  std::string mode;   // of an image; empty when unknown
  bool flag = false;  // a session was asked for its providers, a pipeline is offloaded, an
                      // accelerator may run models under autocast
  const Expr* created = nullptr;
  SourcePtr source;
  std::set<std::string, std::less<>> parts = {};  // of a pipeline, that came with it
  std::set<std::string, std::less<>> hung = {};   // attributes that are no components
  std::vector<std::pair<std::string, std::vector<Argument>>> options = {};  // of a parser
  Value attributes_type;  // the class whose bases super() starts from
  Value held;             // what it is about: the object of super(), a parser's arguments
};

}  // namespace sinter::lint
