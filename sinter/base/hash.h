#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace sinter {

/// SHA-256 in pieces (FIPS 180-4).
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(std::span<const std::byte> bytes);

  /// The digest as 64 lower-case hexadecimal digits; call once.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The digest of one run of bytes.
std::string sha256_hex(std::span<const std::byte> bytes);

}  // namespace sinter
