#include "sinter/base/shared_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <system_error>

#include "sinter/base/error.h"
#include "sinter/base/file.h"

namespace sinter {

SharedLibrary::SharedLibrary(const std::filesystem::path& path) : path_(path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) file_stamp(path);  // dlopen would wait at a pipe
  // Never unloaded: engines leave threads and thread-local state behind that still point into their
  // code.
  handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle_ == nullptr) {
    throw Error(ErrorCode::kRuntime, fmt::format("cannot load {}: {}", path.string(), ::dlerror()));
  }
}

SharedLibrary::~SharedLibrary() { ::dlclose(handle_); }

void* SharedLibrary::symbol(const char* name) const {
  void* found = ::dlsym(handle_, name);
  if (found == nullptr) {
    throw Error(ErrorCode::kRuntime, fmt::format("{} has no function '{}'", path_.string(), name));
  }
  return found;
}

}  // namespace sinter
