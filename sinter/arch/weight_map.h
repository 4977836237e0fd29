#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "sinter/base/shape.h"
#include "sinter/weights/checkpoint.h"

namespace sinter::arch {

/// Where the weight of a canonical name lives in the checkpoint: a whole tensor or some of its
/// rows.
struct WeightSource {
  const weights::TensorEntry* tensor;  // owned by the checkpoint
  std::int64_t first_row = 0;  // along axis 0: a fused in_proj_weight is three ranges of rows
  std::int64_t rows = -1;      // -1: all
  bool transposed = false;     // stored [in,out] where the canonical matrix is [out,in]
};

/// The shape under the canonical name: rows chosen, transposed.
Shape logical_shape(const WeightSource& source);

/// Canonical name -> place. Canonical names are those of diffusers and transformers
/// ("down_blocks.0.resnets.0.conv1.weight"), whatever layout the file has.
class WeightMap {
 public:
  void add(std::string name, WeightSource source) {
    sources_.insert_or_assign(std::move(name), source);
  }

  /// The place of that name, or null.
  const WeightSource* find(std::string_view name) const {
    const auto found = sources_.find(name);
    return found == sources_.end() ? nullptr : &found->second;
  }

  const std::map<std::string, WeightSource, std::less<>>& all() const { return sources_; }

 private:
  std::map<std::string, WeightSource, std::less<>> sources_;
};

}  // namespace sinter::arch
