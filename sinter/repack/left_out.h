#pragma once

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "sinter/repack/repack.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::repack {

inline constexpr std::string_view kOtherComponent = "tensors of components that were not asked for";
inline constexpr std::string_view kNoNetwork =
    "tensors that no network needs (noise schedules, ids)";
inline constexpr std::string_view kStrangers =
    "tensors that sinter does not know, which have no place in the other layout";
inline constexpr std::string_view kUnusedText =
    "text layers and projections that the pipeline does not use";

/// Tensors that are left out, by why.
class LeftOutList {
 public:
  void add(std::string_view what, const weights::TensorEntry& tensor) {
    const auto same = std::ranges::find(list_, what, &LeftOut::what);
    LeftOut& row = same == list_.end() ? list_.emplace_back() : *same;
    if (row.tensors++ == 0) {
      row.what = what;
      row.first = tensor.name;
    }
    row.bytes += tensor.bytes;
  }
  std::vector<LeftOut> take() { return std::move(list_); }

 private:
  std::vector<LeftOut> list_;
};

}  // namespace sinter::repack
