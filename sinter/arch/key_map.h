#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sinter/arch/name_index.h"
#include "sinter/arch/weight_map.h"

namespace sinter::arch {

/// One row of a key map: how names of a layout become canonical names.
///
/// `from` that ends in '.' or '_' stands for every name that starts so, and what follows it is
/// kept; any other `from` stands for that one name. "{}" is a number, which takes the place of the
/// "{}" of the same rank in `to`; "{~}" in `to` is the number counted from the other end, "{-}" the
/// number less one.
struct KeyRule {
  std::string_view from;
  std::string_view to;
  std::string_view thirds = {};  // the tensor is three equal ranges of rows, one a letter: the
                                 // letter takes the place of '?' in `to`
  bool transposed = false;
  bool alternative = false;  // another spelling of what a later row names too
};

/// The tensors under the names that the rules give them. The first rule that fits a name decides; a
/// tensor that none fits, whose new name is taken already, or that does not divide into its thirds
/// is left out.
///
/// reversed_count: how many numbers "{~}" counts among, so that 0 becomes reversed_count - 1.
WeightMap apply_rules(std::span<const KeyRule> rules, const NameIndex& names,
                      std::int64_t reversed_count = 0);

/// Where a layout keeps a canonical weight.
struct LayoutPlace {
  std::string name;
  std::size_t part = 0;  // of the tensor's equal ranges of rows
  std::size_t parts = 1;
  bool transposed = false;
};

/// The inverse: where a file in the layout of the rules would keep a canonical name; nothing where
/// no rule leads there. Of several spellings the one that the file has elsewhere.
///
/// names: of the file's tensors.
std::optional<LayoutPlace> place_in_layout(std::span<const KeyRule> rules,
                                           std::string_view canonical,
                                           std::span<const std::string_view> names,
                                           std::int64_t reversed_count = 0);

/// Its name alone.
std::optional<std::string> name_in_layout(std::span<const KeyRule> rules,
                                          std::string_view canonical,
                                          std::span<const std::string_view> names,
                                          std::int64_t reversed_count = 0);

}  // namespace sinter::arch
