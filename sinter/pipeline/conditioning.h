#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinter/base/tensor.h"
#include "sinter/pipeline/folder.h"
#include "sinter/pipeline/sessions.h"

namespace sinter::pipeline {

/// What texts become for the UNet.
struct Conditioning {
  Tensor states;                 // [texts, 77 * windows, width] float32
  std::optional<Tensor> pooled;  // [texts, width] float32, of the first windows
};

/// The ids of all texts for one tokenizer, every text in the same number of windows.
/// Returns int64 [texts * windows, 77], the windows of a text one after the other.
Tensor token_rows(const Tokenizer& tokenizer, std::span<const std::string> texts,
                  std::size_t windows);

/// The most windows that one of the texts needs.
std::size_t windows_needed(const Tokenizer& tokenizer, std::span<const std::string> texts);

/// Runs one text encoder. With `hidden` the states are those before its last layer
/// (hidden_states.{N-1}) and the pooled projection is taken where the graph has it; else they are
/// last_hidden_state.
/// @throws Error{kUsage} without texts; Error{kMissingTensor} when the graph lacks the output;
/// Error{kShapeMismatch} when it has another shape.
Conditioning encode_texts(const TextEncoderPart& encoder, runtime::Session& session,
                          std::span<const std::string> texts, std::size_t windows, bool hidden);

/// Joins what two encoders made of the same texts: states side by side, the second's pooled one.
/// @throws Error{kShapeMismatch} when they were not given the same texts and windows.
Conditioning join(const Conditioning& first, const Conditioning& second);

}  // namespace sinter::pipeline
