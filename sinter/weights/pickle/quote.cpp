#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "sinter/base/message.h"
#include "sinter/weights/pickle/values.h"

namespace sinter::weights::pickle {
namespace {

constexpr std::size_t kMostItems = 6;
constexpr std::size_t kMostText = 80;
constexpr std::size_t kMostQuoted = 300;
constexpr int kMostDepth = 5;

/// Writes until the quote is long enough.
class Quote {
 public:
  explicit Quote(const Values& values) : values_(values) {}

  std::string take() { return std::move(text_); }

  void write(Ref ref, int depth) {
    if (text_.size() > kMostQuoted || depth > kMostDepth || ref == kNoRef) {
      text_ += "...";
      return;
    }
    const Value& value = values_.at(ref);
    switch (value.kind) {
      case Kind::kNone:
        text_ += "None";
        return;
      case Kind::kBool:
        text_ += value.number != 0 ? "True" : "False";
        return;
      case Kind::kInt:
        text_ += fmt::to_string(value.number);
        return;
      case Kind::kBigInt:
        text_ += "(a large number)";
        return;
      case Kind::kFloat:
        text_ += fmt::to_string(std::bit_cast<double>(value.number));
        return;
      case Kind::kText:
        write_text(value.text);
        return;
      case Kind::kBytes:
        text_ += 'b';
        write_text(value.text);
        return;
      case Kind::kList:
        write_items(values_.body(ref).items, "[", "]", depth);
        return;
      case Kind::kTuple:
        write_items(values_.body(ref).items, "(", values_.body(ref).items.size() == 1 ? ",)" : ")",
                    depth);
        return;
      case Kind::kSet:
        write_items(values_.body(ref).items, "{", "}", depth);
        return;
      case Kind::kDict:
        write_entries(values_.body(ref).entries, depth);
        return;
      case Kind::kGlobal:
        text_ += printable(values_.global(ref).full_name());
        return;
      case Kind::kObject:
        write_call(values_.body(ref), depth);
        return;
      case Kind::kStorage:
        text_ += fmt::format("storage {}", printable(values_.storages[value.index].key));
        return;
      case Kind::kTensor:
        text_ += fmt::format("tensor of shape {}", to_string(values_.tensors[value.index].shape));
        return;
    }
  }

  void write_items(const std::vector<Ref>& items, std::string_view open, std::string_view close,
                   int depth) {
    text_ += open;
    for (std::size_t i = 0; i < std::min(items.size(), kMostItems); ++i) {
      if (i != 0) text_ += ", ";
      write(items[i], depth + 1);
    }
    if (items.size() > kMostItems) text_ += ", ...";
    text_ += close;
  }

 private:
  void write_text(std::string_view text) {
    text_ += '\'';
    const std::string_view begin = text.substr(0, kMostText);
    for (const char c : printable(begin)) {
      if (c == '\'') text_ += '\\';
      text_ += c;
    }
    if (begin.size() != text.size()) text_ += "...";
    text_ += '\'';
  }

  void write_entries(const std::vector<Ref>& entries, int depth) {
    text_ += '{';
    for (std::size_t i = 0; i + 1 < std::min(entries.size(), 2 * kMostItems); i += 2) {
      if (i != 0) text_ += ", ";
      write(entries[i], depth + 1);
      text_ += ": ";
      write(entries[i + 1], depth + 1);
    }
    if (entries.size() > 2 * kMostItems) text_ += ", ...";
    text_ += '}';
  }

  void write_call(const Body& body, int depth) {
    if (body.callee == kNoRef) {
      text_ += "(an object)";
      return;
    }
    write(body.callee, depth + 1);
    if (body.arguments == kNoRef) {
      text_ += "()";
    } else {
      write_items(values_.body(body.arguments).items, "(", ")", depth);
    }
  }

  const Values& values_;
  std::string text_;
};

}  // namespace

std::string quote(const Values& values, Ref ref) {
  Quote quote(values);
  quote.write(ref, 0);
  return quote.take();
}

}  // namespace sinter::weights::pickle
