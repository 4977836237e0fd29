#pragma once

#include <exception>
#include <string>
#include <vector>

namespace sinter {

/// What kind of thing went wrong. Decides the exit status (see exit_status) and nothing else.
enum class ErrorCode {
  kNoMatch,        // an adapter changes nothing of the checkpoint
  kUsage,          // the caller asked for something that makes no sense
  kBadFile,        // damaged, truncated, or no file of the kind that is needed there
  kMissingTensor,  // a checkpoint lacks a tensor that its family needs
  kShapeMismatch,  // a tensor has another shape than the network or the graph needs
  kDTypeMismatch,  // a tensor has another element type than the operation needs
  kSourceChanged,  // a linked source is not the file that was converted
  kUnsupported,    // understood, but not something sinter can do or a format it does not read
  kIo,             // the operating system refused (no such file or none, full disk, permission)
  kRuntime,        // an inference engine refused or failed
  kInternal,       // our own bug
};

/// The word of a code in JSON, for example "bad-file".
const char* error_code_name(ErrorCode code);

/// The process exit status of a code: 1 no match, 2 usage, 3 bad input, 4 unsupported, 5 runtime
/// failure, 70 our bug.
int exit_status(ErrorCode code);

/// The one exception of sinter: a code, a message, context frames and a hint.
///
/// The message names the thing, the expected and the found. Layers that the error passes add what
/// they were doing (innermost first). The hint is the likely cause or the next command; may be
/// empty.
class Error : public std::exception {
 public:
  Error(ErrorCode code, std::string message, std::string hint = {});

  /// Adds "while ..." (the text comes without "while"); call in a catch block and rethrow.
  void add_context(std::string frame);

  /// Sets the hint if there is none yet: the innermost layer knows best.
  void add_hint(std::string hint);

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::vector<std::string>& context() const { return context_; }
  const std::string& hint() const { return hint_; }

  /// Message, context lines and hint, as the command line prints them after "error: ".
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  void render();

  ErrorCode code_;
  std::string message_;
  std::vector<std::string> context_;
  std::string hint_;
  std::string text_;
};

}  // namespace sinter
