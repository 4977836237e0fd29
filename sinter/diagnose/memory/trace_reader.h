#pragma once

#include <memory>
#include <string_view>

#include "sinter/diagnose/memory/trace.h"

namespace sinter::diagnose::memory {

/// Reads a log piece by piece; what it holds grows with the figures in it, not with its length.
///
/// Understood: figures in free text, torch.cuda.memory_summary(), nvidia-smi (its table, CSV with
/// and without heading), CSV of one's own, out-of-memory messages of PyTorch, ComfyUI, ONNX Runtime
/// and TensorRT, the model loading lines of ComfyUI and webui.
class TraceReader {
 public:
  TraceReader();
  ~TraceReader();
  TraceReader(const TraceReader&) = delete;
  TraceReader& operator=(const TraceReader&) = delete;

  void feed(std::string_view piece);

  /// What was read; nothing may be fed afterwards.
  Trace finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sinter::diagnose::memory
