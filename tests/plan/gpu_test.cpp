#include "sinter/plan/gpu.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "sinter/base/error.h"

namespace sinter::plan {
namespace {

TEST(Gpu, IsFoundHoweverItIsSpelt) {
  for (const char* name : {"rtx4090", "RTX 4090", "NVIDIA GeForce RTX 4090", "rtx-4090"}) {
    EXPECT_EQ(gpu_named(name).name, "rtx4090") << name;
  }
  for (const char* name : {"sm89", "sm_89", "SM 8.9", "8.9", "89", "compute_89"}) {
    EXPECT_EQ(gpu_named(name).name, "sm89") << name;
  }
  EXPECT_EQ(gpu_named("12.0").capability, (ComputeCapability{12, 0}));
  EXPECT_EQ(gpu_named("Jetson AGX Orin").name, "jetson-agx-orin");
  EXPECT_EQ(gpu_named("A100 80GB").memory_gib, 80);
  EXPECT_EQ(gpu_named("Tesla T4").capability.name(), "sm75");
}

TEST(Gpu, AnUnknownNameSuggestsTheNearest) {
  try {
    gpu_named("rtx4091");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_STREQ(error.what(),
                 "no GPU is called 'rtx4091'\n"
                 "hint: did you mean 'rtx4090'? An architecture (sm89) will do too");
  }
  try {
    gpu_named("radeon");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "no GPU is called 'radeon'\n"
                 "hint: name one as rtx4090, or its architecture as sm89");
  }
}

TEST(Gpu, NamesAreUniqueAndEachArchitectureHasARow) {
  std::set<std::string> names;
  for (const Gpu& gpu : gpus()) {
    EXPECT_TRUE(names.insert(std::string(gpu.name)).second) << gpu.name;
    EXPECT_EQ(&gpu_named(gpu.name), &gpu) << gpu.name;
    EXPECT_EQ(gpu_named(gpu.capability.name()).memory_gib, 0) << gpu.name;
    EXPECT_EQ(gpu.memory_gib == 0 || &gpu_named(gpu.words) == &gpu, true) << gpu.words;
  }
}

}  // namespace
}  // namespace sinter::plan
