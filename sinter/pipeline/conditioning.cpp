#include "sinter/pipeline/conditioning.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "sinter/base/error.h"

namespace sinter::pipeline {
namespace {

constexpr std::string_view kHiddenPrefix = "hidden_states.";

// Outputs hidden_states.0 to .N: the one before the last layer is N-1. A graph that was given only
// the one it needs has just that.
std::string penultimate_name(const TextEncoderPart& encoder, const runtime::Session& session) {
  if (encoder.layers > 0) return fmt::format("{}{}", kHiddenPrefix, encoder.layers - 1);
  std::vector<int> found;
  for (const graph::ValueDeclaration& output : session.outputs()) {
    if (!output.name.starts_with(kHiddenPrefix)) continue;
    int index = 0;
    const char* end = output.name.data() + output.name.size();
    if (std::from_chars(output.name.data() + kHiddenPrefix.size(), end, index).ptr == end)
      found.push_back(index);
  }
  if (found.empty()) return fmt::format("{}N", kHiddenPrefix);
  const int last = *std::ranges::max_element(found);
  return fmt::format("{}{}", kHiddenPrefix, found.size() == 1 ? last : last - 1);
}

Tensor taken(runtime::TensorMap& outputs, const std::string& name, const std::string& encoder) {
  const auto found = outputs.find(name);
  if (found == outputs.end()) {
    std::string names;
    for (const auto& [each, tensor] : outputs) names += (names.empty() ? "" : ", ") + each;
    throw Error(ErrorCode::kMissingTensor,
                fmt::format("the graph of {} has no output '{}'; it has {}", encoder, name, names));
  }
  return std::move(found->second);
}

// One row in each `stride`, from the first on.
Tensor every(const Tensor& rows, std::size_t stride) {
  const std::size_t count = static_cast<std::size_t>(rows.shape().front()) / stride;
  Shape shape = rows.shape();
  shape.front() = static_cast<std::int64_t>(count);
  Tensor result(DType::kF32, shape);
  const std::size_t row_bytes = result.bytes().size() / count;
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(result.bytes().data() + i * row_bytes, rows.bytes().data() + i * stride * row_bytes,
                row_bytes);
  }
  return result;
}

}  // namespace

std::size_t windows_needed(const Tokenizer& tokenizer, std::span<const std::string> texts) {
  std::size_t most = 1;
  for (const std::string& text : texts) most = std::max(most, tokenizer.windows(text).size());
  return most;
}

Tensor token_rows(const Tokenizer& tokenizer, std::span<const std::string> texts,
                  std::size_t windows) {
  const auto rows = static_cast<std::int64_t>(texts.size() * windows);
  Tensor ids(DType::kI64, {rows, static_cast<std::int64_t>(Tokenizer::kWindow)});
  auto out = ids.ints().begin();
  for (const std::string& text : texts)
    for (const TokenWindow& window : tokenizer.windows(text, windows))
      out = std::ranges::copy(window, out).out;
  return ids;
}

Conditioning encode_texts(const TextEncoderPart& encoder, runtime::Session& session,
                          std::span<const std::string> texts, std::size_t windows, bool hidden) {
  if (texts.empty() || windows == 0) throw Error(ErrorCode::kUsage, "no texts to encode");
  const Tensor ids = token_rows(encoder.tokenizer, texts, windows);
  runtime::TensorMap outputs = run_rows(session, {{"input_ids", ids}}, ids.shape().front());
  Conditioning result;
  const Tensor states = taken(
      outputs, hidden ? penultimate_name(encoder, session) : "last_hidden_state", encoder.name);
  if (states.shape().size() != 3 || states.shape()[1] != ids.shape()[1]) {
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("the states of {} are {}, expected [{},{},width]", encoder.name,
                            to_string(states.shape()), ids.shape()[0], ids.shape()[1]));
  }
  // The windows of a text lie one after the other: joining them is another shape.
  result.states = states.reshaped({static_cast<std::int64_t>(texts.size()),
                                   static_cast<std::int64_t>(windows * Tokenizer::kWindow),
                                   states.shape().back()});
  if (hidden && outputs.contains("text_embeds"))
    result.pooled = every(outputs.find("text_embeds")->second, windows);
  return result;
}

Conditioning join(const Conditioning& first, const Conditioning& second) {
  const Shape& a = first.states.shape();
  const Shape& b = second.states.shape();
  if (a.size() != 3 || b.size() != 3 || a[0] != b[0] || a[1] != b[1]) {
    throw Error(ErrorCode::kShapeMismatch,
                fmt::format("the text encoders gave {} and {}, expected equal texts and tokens",
                            to_string(a), to_string(b)));
  }
  Conditioning result;
  result.states = Tensor(DType::kF32, {a[0], a[1], a[2] + b[2]});
  const auto left = static_cast<std::size_t>(a[2]);
  const auto right = static_cast<std::size_t>(b[2]);
  const std::span<float> out = result.states.floats();
  for (std::size_t row = 0; row < static_cast<std::size_t>(a[0] * a[1]); ++row) {
    const auto to = out.subspan(row * (left + right), left + right);
    std::ranges::copy(first.states.floats().subspan(row * left, left), to.begin());
    std::ranges::copy(second.states.floats().subspan(row * right, right),
                      to.begin() + static_cast<std::ptrdiff_t>(left));
  }
  result.pooled = second.pooled;
  return result;
}

}  // namespace sinter::pipeline
