#include <gtest/gtest.h>

#include "sinter/diagnose/log/numbers.h"

namespace sinter::diagnose::log {
namespace {

Fault only_fault(const std::string& text) {
  const Diagnosis diagnosis = diagnose_log(text);
  EXPECT_EQ(diagnosis.faults.size(), 1U) << text;
  return diagnosis.faults.empty() ? Fault{} : diagnosis.faults.front();
}

std::string notes(const Fault& fault) {
  std::string all;
  for (const Sentence& note : fault.notes) all += note.english + "\n";
  return all;
}

TEST(LogNumbers, ReservedAndUnusedMemoryIsFragmentation) {
  EXPECT_EQ(only_fault("CUDA out of memory. Tried to allocate 1.79 GiB (GPU 0; 12.00 GiB total "
                       "capacity; 8.93 GiB already allocated; 0 "
                       "bytes free; 11.21 GiB reserved in total by PyTorch)")
                .cause,
            "vram-fragmented");
  EXPECT_EQ(only_fault("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. "
                       "GPU 0 has a total capacity of 11.76 GiB of "
                       "which 612.00 MiB is free. Including non-PyTorch memory, this process has "
                       "11.10 GiB memory in use. Of the allocated "
                       "memory 8.20 GiB is allocated by PyTorch, and 2.60 GiB is reserved by "
                       "PyTorch but unallocated.")
                .cause,
            "vram-fragmented");
}

TEST(LogNumbers, OneTensorLargerThanTheCardIsNoMatterOfTheAllocator) {
  EXPECT_EQ(only_fault("CUDA out of memory. Tried to allocate 128.00 GiB (GPU 0; 24.00 GiB total "
                       "capacity; 6.71 GiB already allocated; 12.96 "
                       "GiB free; 8.74 GiB reserved in total by PyTorch)")
                .cause,
            "vram-one-tensor-too-large");
}

TEST(LogNumbers, MemoryOfOthersIsSeen) {
  EXPECT_EQ(only_fault("CUDA out of memory. Tried to allocate 1.00 GiB (GPU 0; 24.00 GiB total "
                       "capacity; 2.10 GiB already allocated; 0.20 "
                       "GiB free; 2.30 GiB reserved in total by PyTorch)")
                .cause,
            "vram-others");
}

TEST(LogNumbers, AFullCardIsJustFull) {
  const Fault fault = only_fault(
      "CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 4.00 GiB total capacity; 3.43 GiB "
      "already allocated; 0 bytes free; 3.44 GiB "
      "reserved in total by PyTorch)");
  EXPECT_EQ(fault.cause, "vram-full");
  EXPECT_NE(notes(fault).find("not fragmentation"), std::string::npos);
}

TEST(LogNumbers, WidthsNameFamilies) {
  const std::string text = notes(
      only_fault("RuntimeError: mat1 and mat2 shapes cannot be multiplied (154x2048 and 768x320)"));
  EXPECT_NE(text.find("768: the context of SD 1.x"), std::string::npos) << text;
  EXPECT_NE(text.find("2048: the context of SDXL"), std::string::npos) << text;
}

TEST(LogNumbers, ChannelsNameTheKindOfUNet) {
  const Fault fault = only_fault(
      "RuntimeError: Given groups=1, weight of size [320, 4, 3, 3], expected input[2, 9, 64, 64] "
      "to have 4 channels, but got 9 channels instead");
  EXPECT_EQ(fault.cause, "model-channels");
  EXPECT_NE(notes(fault).find("9 channels: inpainting"), std::string::npos);
}

TEST(LogNumbers, SizesOfNoFamilyAreTheCallers) {
  EXPECT_EQ(only_fault("RuntimeError: The size of tensor a (64) must match the size of tensor b "
                       "(63) at non-singleton dimension 3")
                .domain,
            Domain::kUserCode);
}

TEST(LogNumbers, CudaVersionsAreSpelledOut) {
  EXPECT_NE(
      notes(only_fault(
                "RuntimeError: The NVIDIA driver on your system is too old (found version 11040)."))
          .find("CUDA 11.4"),
      std::string::npos);
}

TEST(LogNumbers, ABindingOfThreeSizesIsAContext) {
  const Fault fault = only_fault(
      "[E] 3: [executionContext.cpp::validateInputBindings::2045] Error Code 3: API Usage Error "
      "(Parameter check failed at: "
      "executionContext.cpp::validateInputBindings::2045, condition: profileMaxDims.d[i] >= "
      "dimensions.d[i]. Supplied binding dimension "
      "[1,385,768] for bindings[2] exceed min ~ max range at index 1, maximum dimension in profile "
      "is 154, minimum dimension in profile is 77,");
  EXPECT_EQ(fault.component, "text encoder");
  EXPECT_NE(notes(fault).find("385 tokens are 5 windows"), std::string::npos) << notes(fault);
}

TEST(LogNumbers, ABindingOfFourChannelsIsALatentOfEightPixelsARow) {
  const Fault fault = only_fault(
      "[E] 3: [executionContext.cpp::validateInputBindings::1841] Error Code 3: API Usage Error "
      "(condition: profileMaxDims.d[i] >= "
      "dimensions.d[i]. Supplied binding dimension [2,4,96,64] for bindings[0] exceed min ~ max "
      "range at index 2, maximum dimension in "
      "profile is 64, minimum dimension in profile is 64, but supplied dimension is 96.)");
  EXPECT_EQ(fault.component, "unet");
  EXPECT_NE(notes(fault).find("512 by 768 pixels"), std::string::npos) << notes(fault);
}

}  // namespace
}  // namespace sinter::diagnose::log
