#pragma once

#include "sinter/arch/key_map.h"

namespace sinter::arch {

/// How a text tower's tensors are called.
enum class TextNames { kTransformers, kOpenClip };

/// Text tower tensors under the names of transformers' CLIPTextModelWithProjection.
///
/// names: without the component's prefix. kTransformers takes "text_model." or its absence.
WeightMap map_text_keys(TextNames style, const NameIndex& names);

/// The rules of that map.
std::span<const KeyRule> text_rules(TextNames style);

}  // namespace sinter::arch
