#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sinter/base/file.h"

namespace sinter::cli {

/// The whole of a text file, or of standard input for "-"; files are mapped.
class LogInput {
 public:
  /// @throws Error{kIo} when it cannot be read.
  explicit LogInput(const std::string& path);

  /// Valid while the object lives.
  std::string_view text() const { return text_; }

 private:
  std::unique_ptr<MappedFile> file_;
  std::string read_;
  std::string_view text_;
};

}  // namespace sinter::cli
