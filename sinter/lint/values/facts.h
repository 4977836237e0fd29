#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sinter/base/dtype.h"
#include "sinter/lint/syntax/ast.h"
#include "sinter/lint/values/device.h"
#include "sinter/lint/values/shape.h"

namespace sinter::lint {

struct Module;

enum class SourceKind {
  kNone,
  kFactory,         // torch.randn and the like
  kArray,           // made of numpy data
  kProcessor,       // tokenizer, image processor
  kLoaded,          // load_file, torch.load
  kModule,          // parameters of a module and what it computed
  kAttribute,       // a tensor attribute that is no buffer
  kForcedBuffer,    // a buffer that was put on the CPU
  kReplacedData,    // parameter.data = ...
  kForwardMove,     // .cpu() or .cuda() in forward()
  kMove,            // .cpu(), .to("cpu") elsewhere
  kDiscarded,       // x.to(device) whose result was dropped
  kScheduler,       // tables of a scheduler
  kFirstParameter,  // device of next(model.parameters())
};

/// Why a tensor is where it is: the statement to repair.
struct Source {
  SourceKind kind = SourceKind::kNone;
  Place place = {};
  const Expr* expr = nullptr;  // the call that made it; null when there is none
  std::string what = {};       // how it is called in messages: "torch.randn"
  std::string name = {};       // of an attribute
  bool in_forward = false;
  bool literal_device = false;        // the call names a device by a literal
  bool forced_cpu = false;            // .cpu() was called, wherever it was before
  bool ignored_default = false;       // the call does not follow the default device that is set
  std::weak_ptr<Module> module = {};  // that is to be blamed; it holds the source itself
  std::string device_hint = {};       // what to write for the device where it was made
};
// Shared: tensors computed from one another have one source.
using SourcePtr = std::shared_ptr<const Source>;

/// A loop that computed something, and the turn in which it did.
struct LoopTurn {
  int loop = 0;
  int turn = 0;
  const Module* module = nullptr;  // only compared
};

/// What tensors, bundles of tensors and arrays have in common.
struct Facts {
  Device device = {};
  std::optional<DType> type = {};
  TensorShape shape = {};
  SourcePtr source = {};
  SourcePtr type_source = {};           // what decided the element type
  std::vector<LoopTurn> recorded = {};  // loops whose gradients it carries
  bool computed = false;                // by a module
  bool loaded = false;                  // comes from a file
  bool wide = false;  // type unknown, but of numpy's making and so not of two bytes
};
}  // namespace sinter::lint
