#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/base/shared_library.h"
#include "sinter/runtime/onnxruntime_later.h"

namespace sinter::runtime {

inline constexpr std::string_view kOnnxRuntimeName = "ONNX Runtime";

/// An object of the C interface, released by the function that its library names.
template <typename T>
using Handle = std::unique_ptr<T, void (*)(T*)>;

/// A loaded ONNX Runtime with its one environment.
class OnnxRuntimeLibrary {
 public:
  /// @throws Error{kRuntime} when it cannot be loaded, or is older than 1.21.
  explicit OnnxRuntimeLibrary(const std::filesystem::path& path);
  ~OnnxRuntimeLibrary();
  OnnxRuntimeLibrary(const OnnxRuntimeLibrary&) = delete;
  OnnxRuntimeLibrary& operator=(const OnnxRuntimeLibrary&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const std::string& version() const { return version_; }  // "1.32.0"
  int minor_version() const { return minor_; }             // 32

  const OrtApi& api() const { return *api_; }

  /// The functions since 1.22; which of them are there, minor_version() tells.
  const LaterApi& later() const;

  OrtEnv* environment() const { return environment_.get(); }

  /// @throws std::runtime_error with the words of a failed status.
  void check(OrtStatus* status) const;

  /// The devices that a provider library offers, which is registered at its first use. Valid while
  /// this lives.
  /// @throws std::runtime_error with the engine's words; Error{kRuntime} for an ONNX Runtime older
  ///         than 1.22.
  std::vector<const EpDevice*> devices_of(const std::filesystem::path& provider_library) const;

  /// Collects what the engine says (from its informational messages on) while it lives, on any
  /// thread; one at a time.
  class Listening {
   public:
    explicit Listening(const OnnxRuntimeLibrary& library);
    ~Listening();
    Listening(const Listening&) = delete;
    Listening& operator=(const Listening&) = delete;

    std::vector<std::string> messages() const;

   private:
    const OnnxRuntimeLibrary& library_;
  };

 private:
  struct State;

  std::filesystem::path path_;
  SharedLibrary library_;
  const OrtApi* api_ = nullptr;
  std::string version_;
  int minor_ = 0;
  std::unique_ptr<State> state_;  // before the environment, whose messages go there
  Handle<OrtEnv> environment_;
};

/// The library at a path, or the one that came with sinter. It is loaded once and stays: its thread
/// pools and its environment belong to the process.
/// @throws Error{kRuntime} when there is none.
const OnnxRuntimeLibrary& onnxruntime_library(const std::filesystem::path& wanted);

}  // namespace sinter::runtime
