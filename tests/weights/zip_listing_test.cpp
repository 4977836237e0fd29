#include "sinter/weights/zip_listing.h"

#include <gtest/gtest.h>

namespace sinter::weights {
namespace {

/// A stored entry: local header, name, data.
std::string entry(const std::string& name, const std::string& data, char flags = 0) {
  const auto low = [](std::size_t n) { return static_cast<char>(n); };
  std::string text("PK\x03\x04\x14\0", 6);
  text += flags;
  text += std::string(11, '\0');
  text += {low(data.size()), 0, 0, 0, low(data.size()), 0, 0, 0, low(name.size()), 0, 0, 0};
  return text + name + data;
}

std::vector<std::string> list(const std::string& zip) {
  return list_zip(std::as_bytes(std::span(zip)));
}

TEST(ZipListing, WalksFromEntryToEntry) {
  const std::string zip = entry("a/data.pkl", "xyz") + entry("a/data/0", "") + "PK\x01\x02";
  EXPECT_EQ(list(zip), (std::vector<std::string>{"a/data.pkl", "a/data/0"}));
}

TEST(ZipListing, StopsWhereTheFileIsCut) {
  const std::string zip = entry("a", "12345") + entry("bcd", "1");
  for (std::size_t length = 0; length <= zip.size(); ++length) {
    EXPECT_LE(list(zip.substr(0, length)).size(), 2u);
  }
  EXPECT_EQ(list(zip.substr(0, 33)), std::vector<std::string>{"a"});
  EXPECT_TRUE(list(zip.substr(0, 30)).empty());
}

TEST(ZipListing, StopsBehindAnEntryThatDoesNotSayHowLongItIs) {
  EXPECT_EQ(list(entry("a", "", 8) + entry("b", "")), std::vector<std::string>{"a"});
}

TEST(ZipListing, ListsSixteenAtMost) {
  std::string zip;
  for (int i = 0; i < 20; ++i) zip += entry("x", "");
  EXPECT_EQ(list(zip).size(), 16u);
}

}  // namespace
}  // namespace sinter::weights
