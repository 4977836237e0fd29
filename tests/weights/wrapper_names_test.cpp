#include "sinter/weights/wrapper_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sinter::weights {
namespace {

std::vector<std::string> names_after(std::vector<std::string> names) {
  std::vector<TensorEntry> tensors;
  for (std::string& name : names)
    tensors.push_back({std::move(name), DType::kF32, {}, 0, 0, 4, {}});
  take_off_wrappers(tensors);
  std::vector<std::string> left;
  for (TensorEntry& tensor : tensors) left.push_back(std::move(tensor.name));
  return left;
}

using Names = std::vector<std::string>;

TEST(WrapperNames, WhatStandsBeforeEveryNameIsTakenOff) {
  EXPECT_EQ(names_after({"module.a.weight", "module.b"}), (Names{"a.weight", "b"}));
  EXPECT_EQ(names_after({"_orig_mod.module.a", "_orig_mod.module.b"}), (Names{"a", "b"}));
}

TEST(WrapperNames, NamesOfANetworkStay) {
  EXPECT_EQ(names_after({"module.a", "b"}), (Names{"module.a", "b"}));
  EXPECT_EQ(names_after({"module."}), (Names{"module."}));
  EXPECT_EQ(names_after({}), (Names{}));
}

}  // namespace
}  // namespace sinter::weights
