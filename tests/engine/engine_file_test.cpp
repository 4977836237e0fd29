#include "sinter/engine/engine_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "sinter/base/error.h"

namespace sinter::engine {
namespace {

/// The first bytes of an engine that TensorRT-RTX 1.7.1.116 wrote for sm86 and sm89.
std::vector<std::byte> rtx_header(std::uint64_t file_bytes, std::uint32_t architectures) {
  std::vector<std::byte> bytes(kEngineHeaderBytes);
  const auto put = [&](std::size_t at, const auto& value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
  };
  std::memcpy(bytes.data(), "vtrt", 4);
  put(0x08, std::uint64_t{2});
  put(0x10, file_bytes);
  const std::uint8_t version[] = {1, 7, 1, 116};
  std::memcpy(bytes.data() + 0x18, version, 4);
  std::memcpy(bytes.data() + 0x1c, "vtrt", 4);
  put(0x20, architectures);
  put(0x38, std::uint64_t{3277632});
  return bytes;
}

std::vector<std::byte> first(std::vector<std::byte> bytes, std::size_t count) {
  bytes.resize(count);
  return bytes;
}

std::string refusal(std::span<const std::byte> bytes, std::uint64_t file_bytes) {
  try {
    read_engine_header(bytes, file_bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadFile);
    return error.message();
  }
  return "accepted";
}

TEST(EngineFile, TellsVersionAndArchitecturesWithoutTheLibrary) {
  const EngineHeader header = read_engine_header(rtx_header(11447460, 0x0c), 11447460);
  EXPECT_EQ(header.flavour, Flavour::kTensorRtRtx);
  EXPECT_EQ(header.version.text(), "1.7.1.116");
  ASSERT_EQ(header.architectures.size(), 2U);
  EXPECT_EQ(header.architectures[0].name(), "sm86");
  EXPECT_EQ(header.architectures[1].name(), "sm89");
  EXPECT_FALSE(header.every_architecture);
  EXPECT_EQ(header.weights_bytes, 3277632U);
}

TEST(EngineFile, TellsAnEngineForEveryArchitecture) {
  EXPECT_TRUE(read_engine_header(rtx_header(100, 0x7e), 100).every_architecture);
}

TEST(EngineFile, TellsTheVersionOfTensorRt) {
  std::vector<std::byte> bytes(28);
  std::memcpy(bytes.data(), "ftrt", 4);
  const std::uint8_t version[] = {10, 13, 3, 9};
  std::memcpy(bytes.data() + 24, version, 4);
  const EngineHeader header = read_engine_header(bytes, 5000);
  EXPECT_EQ(header.flavour, Flavour::kTensorRt);
  EXPECT_EQ(header.version.text(), "10.13.3.9");
  EXPECT_TRUE(header.architectures.empty());
}

TEST(EngineFile, RefusesWhatIsCutOffOrNoEngine) {
  EXPECT_EQ(refusal(rtx_header(11447460, 8), 11000000),
            "the engine has 11000000 bytes, its header says 11447460");
  EXPECT_EQ(refusal(first(rtx_header(64, 8), 64), 64),
            "the engine ends after 64 bytes, within its header");
  EXPECT_EQ(refusal(first(rtx_header(9, 8), 9), 9),
            "the engine ends after 9 bytes, within its header");
  EXPECT_EQ(refusal({}, 0), "no engine: it begins neither as TensorRT's nor TensorRT-RTX's");
  EXPECT_EQ(refusal(std::vector<std::byte>(200), 200),
            "no engine: it begins neither as TensorRT's nor TensorRT-RTX's");
  std::vector<std::byte> later = rtx_header(kEngineHeaderBytes, 8);
  later[4] = std::byte{3};
  EXPECT_EQ(refusal(later, later.size()), "the engine has serialization 3, only 0 is known");
}

}  // namespace
}  // namespace sinter::engine
