#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "sinter/base/dtype.h"

namespace sinter::weights::pickle {

/// An element type of torch, with its spellings.
struct Element {
  std::string_view name;     // as reports write it: safetensors' name where there is one
  std::string_view dtype;    // torch.DTYPE; empty: none
  std::string_view storage;  // torch.STORAGE; empty: such tensors have an untyped storage
  std::size_t bytes;
  std::optional<DType> read;  // empty: sinter does not read it
};

/// Of "float16", "half", or null.
const Element* element_of_dtype(std::string_view name);

/// Of "HalfStorage", or null. An untyped storage is one of bytes.
const Element* element_of_storage(std::string_view name);

}  // namespace sinter::weights::pickle
