#pragma once

#include <vector>

#include "sinter/arch/config.h"
#include "sinter/models/layers.h"

namespace sinter::models {

/// What a text encoder gives, in the scope's dtype. Absent values were not asked for.
struct TextEncoderOutputs {
  Value last_hidden_state;  // [N,77,D] after the final norm, of the state that conditions (see
                            // TextState)
  Value pooler_output;      // [N,D] of it at the end-of-text place
  std::vector<Value> hidden_states;  // [N,77,D] each: the embedding, then every layer's output
                                     // without the final norm
  Value text_embeds;  // [N,P] projected from the last layer's normed state at the end-of-text place
};

struct TextEncoderRequest {
  bool hidden_states = false;  // every layer, also those that the family does not need
  bool text_embeds = false;
};

/// ids: [N,77] int64, window of start, tokens, end, padding.
/// Source: Radford et al. 2021 (arXiv 2103.00020), section 2.4 (text encoder).
TextEncoderOutputs text_encoder(const Scope& s, const arch::TextEncoderConfig& config, Value ids,
                                const TextEncoderRequest& request);

}  // namespace sinter::models
