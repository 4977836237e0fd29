#pragma once

#include <span>
#include <string_view>

namespace sinter::arch {

/// A tensor that files carry and no network here needs.
struct KnownKey {
  std::string_view pattern;  // '*' at either end stands for anything
  std::string_view what;     // what it is; empty: not worth a word
  bool training = false;     // only a training run needs it
};

/// The row that fits a name, or null.
const KnownKey* find_known_key(std::string_view name);

}  // namespace sinter::arch
