#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "sinter/arch/file_kinds.h"
#include "sinter/arch/name_index.h"

namespace sinter::arch {

/// An extent that tells two files of the same names apart.
struct ShapeMark {
  std::string_view ending;  // of a tensor's name; empty: any shape will do
  std::size_t axis = 0;     // kRank: the number of axes instead
  std::int64_t extent = 0;
};
inline constexpr std::size_t kRank = 99;

/// How files that are no Stable Diffusion network are told by their names.
struct Signature {
  std::string_view title;         // in a sentence: "'x.safetensors' is TITLE"
  std::string_view architecture;  // as in Identity; empty: read from widths and metadata
  FileKind kind;
  // Each must occur in some name; '^' in front: at its beginning; '$' behind: at its end; '#' for a
  // number between dots. Empty ones do not count.
  std::array<std::string_view, 3> marks;
  std::string_view unless = {};  // may occur in no name
  ShapeMark shape = {};
};

/// All rows. Order matters: the first that fits decides.
std::span<const Signature> signatures();

/// The first row of the table that fits, or null. What trainers and PyTorch put around all names
/// ("params_ema.", "module.") does not count.
const Signature* find_signature(const NameIndex& names);

}  // namespace sinter::arch
