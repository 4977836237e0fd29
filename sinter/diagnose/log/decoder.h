#pragma once

#include <string>
#include <string_view>

namespace sinter::diagnose::log {

/// Bytes of a log as UTF-8, in pieces: UTF-16 (PowerShell's redirection) by its mark or by its
/// zeros, anything else as it is.
class Decoder {
 public:
  /// The text of the next bytes; an incomplete character waits for the next call.
  std::string decode(std::string_view bytes);

 private:
  enum class Encoding { kUnknown, kBytes, kUtf16Little, kUtf16Big };

  Encoding encoding_ = Encoding::kUnknown;
  std::string pending_;
};

}  // namespace sinter::diagnose::log
