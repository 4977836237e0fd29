#include "sinter/base/error.h"

#include <array>
#include <utility>

namespace sinter {
namespace {

struct CodeRow {
  ErrorCode code;
  const char* name;
  int status;
};

constexpr std::array kCodes{
    CodeRow{ErrorCode::kNoMatch, "no-match", 1},
    CodeRow{ErrorCode::kUsage, "usage", 2},
    CodeRow{ErrorCode::kBadFile, "bad-file", 3},
    CodeRow{ErrorCode::kMissingTensor, "missing-tensor", 3},
    CodeRow{ErrorCode::kShapeMismatch, "shape-mismatch", 3},
    CodeRow{ErrorCode::kDTypeMismatch, "dtype-mismatch", 3},
    CodeRow{ErrorCode::kSourceChanged, "source-changed", 3},
    CodeRow{ErrorCode::kUnsupported, "unsupported", 4},
    CodeRow{ErrorCode::kIo, "io", 3},
    CodeRow{ErrorCode::kRuntime, "runtime", 5},
    CodeRow{ErrorCode::kInternal, "internal", 70},
};

const CodeRow& row(ErrorCode code) {
  for (const CodeRow& candidate : kCodes) {
    if (candidate.code == code) return candidate;
  }
  return kCodes.back();
}

}  // namespace

const char* error_code_name(ErrorCode code) { return row(code).name; }

int exit_status(ErrorCode code) { return row(code).status; }

Error::Error(ErrorCode code, std::string message, std::string hint)
    : code_(code), message_(std::move(message)), hint_(std::move(hint)) {
  render();
}

void Error::add_context(std::string frame) {
  context_.push_back(std::move(frame));
  render();
}

void Error::add_hint(std::string hint) {
  if (!hint_.empty()) return;
  hint_ = std::move(hint);
  render();
}

void Error::render() {
  text_ = message_;
  for (const std::string& frame : context_) text_ += "\n  while " + frame;
  if (!hint_.empty()) text_ += "\nhint: " + hint_;
}

}  // namespace sinter
