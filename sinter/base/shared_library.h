#pragma once

#include <filesystem>

namespace sinter {

/// A dynamic library. Once loaded it stays so until the process ends.
class SharedLibrary {
 public:
  /// @throws Error{kRuntime} with the loader's own words when it cannot be opened; Error{kIo} when
  /// the path names what is no file.
  explicit SharedLibrary(const std::filesystem::path& path);
  ~SharedLibrary();
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;

  /// The function `name`, typed by the caller from the library's own header.
  /// @throws Error{kRuntime} when the library has no such function.
  template <typename Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  std::filesystem::path path_;
  void* handle_ = nullptr;
};

}  // namespace sinter
