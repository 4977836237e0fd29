#include "sinter/base/hash.h"

#include <gtest/gtest.h>

#include <string_view>

namespace sinter {
namespace {

TEST(Sha256, AgreesWithTheStandardsExample) {
  // FIPS 180-2, appendix B.1.
  EXPECT_EQ(sha256_hex(std::as_bytes(std::span(std::string_view("abc")))),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, PiecesGiveTheDigestOfTheWhole) {
  Sha256 hash;
  hash.update(std::as_bytes(std::span(std::string_view("a"))));
  hash.update(std::as_bytes(std::span(std::string_view("bc"))));
  EXPECT_EQ(hash.hex(), sha256_hex(std::as_bytes(std::span(std::string_view("abc")))));
}

}  // namespace
}  // namespace sinter
