#include "sinter/weights/safetensors_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/base/message.h"
#include "sinter/base/utf8.h"

namespace sinter::weights {
namespace {

using Json = nlohmann::json;

/// Input that leaves behind how far it was read: SAX events carry no place of their own.
class TrackedInput {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  TrackedInput(const char* at, const char** reached) : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  TrackedInput& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  friend bool operator==(const TrackedInput& a, const TrackedInput& b) { return a.at_ == b.at_; }

 private:
  const char* at_;
  const char** reached_;
};

/// Where in the header the reader stands, and what may come there.
enum class Place { kTop, kRoot, kMetadata, kTensor, kShape, kOffsets, kForeign };
enum class Field { kDType, kShape, kOffsets, kForeign };

constexpr std::array kPlaceExpects{
    std::pair{Place::kTop, "an object of tensors"},
    std::pair{Place::kRoot, "an object with dtype, shape and data_offsets"},
    std::pair{Place::kMetadata, "a text"},
    std::pair{Place::kShape, "a whole number that is not negative"},
    std::pair{Place::kOffsets, "a whole number that is not negative"},
};

constexpr std::array kFields{
    std::pair{std::string_view("dtype"), Field::kDType},
    std::pair{std::string_view("shape"), Field::kShape},
    std::pair{std::string_view("data_offsets"), Field::kOffsets},
};

constexpr std::array kFieldExpects{
    std::pair{Field::kDType, "the name of an element type"},
    std::pair{Field::kShape, "a list of whole numbers"},
    std::pair{Field::kOffsets, "a list of two whole numbers"},
};

constexpr std::string_view kMetadataKey = "__metadata__";

class HeaderReader : public Json::json_sax_t {
 public:
  HeaderReader(std::span<const std::byte> json, std::uint64_t file_offset)
      : begin_(static_cast<const char*>(static_cast<const void*>(json.data()))),
        end_(begin_ + json.size()),
        reached_(begin_),
        file_offset_(file_offset) {}

  StatedHeader read() {
    Json::sax_parse(TrackedInput(begin_, &reached_), TrackedInput(end_, &reached_), this);
    return std::move(header_);
  }

  bool null() override {
    // The reference reader takes null for "no metadata".
    if (place_ == Place::kRoot && name_ == kMetadataKey) return true;
    return foreign_or_fail("null");
  }
  bool boolean(bool value) override { return foreign_or_fail(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override {
    return foreign_or_fail(value == 0 ? "-0" : fmt::format("{}", value));
  }
  bool number_float(number_float_t, const string_t& text) override { return foreign_or_fail(text); }
  bool binary(binary_t&) override { return foreign_or_fail("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ == Place::kShape) {
      tensor().shape.push_back(value);
      return true;
    }
    if (place_ == Place::kOffsets) {
      if (offsets_ == 0) tensor().begin = value;
      if (offsets_ == 1) tensor().end = value;
      ++offsets_;
      return true;
    }
    return foreign_or_fail(fmt::format("{}", value));
  }

  bool string(string_t& text) override {
    if (place_ == Place::kMetadata) {
      header_.metadata[field_name_] = std::move(text);
      return true;
    }
    if (place_ == Place::kTensor && field_ == Field::kDType) {
      tensor().dtype = std::move(text);
      return true;
    }
    return foreign_or_fail(fmt::format("the text \"{}\"", shown(text)));
  }

  bool key(string_t& text) override {
    if (place_ == Place::kForeign) return true;
    if (place_ == Place::kRoot) {
      if (!names_.insert(text).second) fail(fmt::format("the key '{}' stands twice", shown(text)));
      name_ = std::move(text);
      return true;
    }
    if (!fields_.insert(text).second) {
      fail(fmt::format("'{}' stands twice in '{}'", shown(text), shown(name_)));
    }
    field_ = Field::kForeign;
    for (const auto& [field_name, field] : kFields) {
      if (field_name == text) field_ = field;
    }
    field_name_ = std::move(text);
    return true;
  }

  bool start_object(std::size_t) override {
    if (place_ == Place::kTop) {
      place_ = Place::kRoot;
      return true;
    }
    if (place_ == Place::kRoot) {
      fields_.clear();
      const bool metadata = name_ == kMetadataKey;
      place_ = metadata ? Place::kMetadata : Place::kTensor;
      if (!metadata) header_.tensors.push_back({.name = name_, .dtype = {}, .shape = {}});
      return true;
    }
    return open_foreign("an object");
  }

  bool end_object() override {
    if (place_ == Place::kForeign) return close_foreign();
    if (place_ == Place::kTensor) require_all_fields();
    place_ = Place::kRoot;
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ == Place::kTensor && field_ == Field::kShape) {
      place_ = Place::kShape;
      return true;
    }
    if (place_ == Place::kTensor && field_ == Field::kOffsets) {
      place_ = Place::kOffsets;
      offsets_ = 0;
      return true;
    }
    return open_foreign("a list");
  }

  bool end_array() override {
    if (place_ == Place::kForeign) return close_foreign();
    if (place_ == Place::kOffsets && offsets_ != 2) {
      fail(fmt::format("'{}' has {} data_offsets, expected 2", shown(name_), offsets_));
    }
    place_ = Place::kTensor;
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    // Of "[json.exception...] parse error at line 1, column 9: syntax error ...; last read: 'x'"
    // only the middle serves: the place is ours, and the last token may be cut within a character.
    std::string_view text = error.what();
    if (const std::size_t colon = text.find(": "); colon != text.npos)
      text.remove_prefix(colon + 2);
    const std::size_t last_read = text.find("; last read");
    std::string kept(text.substr(0, last_read));
    if (last_read != text.npos) {
      const std::size_t expected = text.find("; expected", last_read + 1);
      if (expected != text.npos) kept += text.substr(expected);
    }
    fail(fmt::format("the header is not JSON: {}", kept));
  }

 private:
  StatedTensor& tensor() { return header_.tensors.back(); }

  [[noreturn]] void fail(const std::string& what) const {
    const auto read = static_cast<std::uint64_t>(reached_ - begin_);
    throw Error(ErrorCode::kBadFile, fmt::format("{}, at byte {}", what, file_offset_ + read));
  }

  std::string subject() const {
    if (place_ == Place::kTop) return "the header";
    if (place_ == Place::kRoot) return fmt::format("'{}'", shown(name_));
    return fmt::format("{} of '{}'", field_name_, shown(name_));
  }

  std::string_view expected() const {
    if (place_ == Place::kRoot && name_ == kMetadataKey) return "an object of texts";
    for (const auto& [place, what] : kPlaceExpects) {
      if (place == place_) return what;
    }
    for (const auto& [field, what] : kFieldExpects) {
      if (field == field_) return what;
    }
    return "nothing";
  }

  bool in_foreign_field() const {
    return place_ == Place::kForeign || (place_ == Place::kTensor && field_ == Field::kForeign);
  }

  bool foreign_or_fail(std::string_view found) {
    if (in_foreign_field()) return true;
    fail(fmt::format("{} is {}, expected {}", subject(), found, expected()));
  }

  bool open_foreign(std::string_view found) {
    foreign_or_fail(found);
    place_ = Place::kForeign;
    ++depth_;
    return true;
  }

  bool close_foreign() {
    if (--depth_ == 0) place_ = Place::kTensor;
    return true;
  }

  void require_all_fields() const {
    for (const auto& [field_name, field] : kFields) {
      if (!fields_.contains(std::string(field_name))) {
        fail(fmt::format("'{}' has no {}", shown(name_), field_name));
      }
    }
  }

  const char* begin_;
  const char* end_;
  const char* reached_;
  std::uint64_t file_offset_;
  StatedHeader header_;
  Place place_ = Place::kTop;
  Field field_ = Field::kForeign;
  std::string name_;        // the key in the root
  std::string field_name_;  // the key below it
  std::unordered_set<std::string> names_;
  std::unordered_set<std::string> fields_;
  std::size_t offsets_ = 0;
  std::size_t depth_ = 0;
};

/// The JSON reader below takes a zero byte for the end of its input, and its message for a broken
/// character quotes it; so both are looked for first.
void require_text(std::span<const std::byte> json, std::uint64_t file_offset) {
  const std::size_t good = utf8_length(json);
  if (good < json.size()) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("the header is not UTF-8: byte {} is 0x{:02x}", file_offset + good,
                            std::to_integer<unsigned>(json[good])));
  }
  const auto zero = std::find(json.begin(), json.end(), std::byte{0});
  if (zero != json.end()) {
    throw Error(ErrorCode::kBadFile,
                fmt::format("the header is not JSON: byte {} is zero",
                            file_offset + static_cast<std::uint64_t>(zero - json.begin())));
  }
}

}  // namespace

StatedHeader parse_safetensors_json(std::span<const std::byte> json, std::uint64_t file_offset) {
  require_text(json, file_offset);
  return HeaderReader(json, file_offset).read();
}

}  // namespace sinter::weights
