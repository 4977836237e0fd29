#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "sinter/diagnose/log/diagnosis.h"
#include "sinter/diagnose/log/wrapping.h"

namespace sinter::diagnose::log {
namespace {

constexpr std::string_view kLog =
    "Loading the checkpoint from models/Stable-diffusion/anything-v5-fp16-pruned.safetensors ... "
    "done in 3.2 seconds\n"
    "Traceback (most recent call last):\n"
    "  File \"/opt/app/venv/lib/python3.10/site-packages/diffusers/models/unets/"
    "unet_2d_condition.py\", line 1112, in forward\n"
    "    sample = self.conv_in(sample)\n"
    "  File \"/opt/app/venv/lib/python3.10/site-packages/torch/nn/modules/conv.py\", line 456, in "
    "_conv_forward\n"
    "    return F.conv2d(input, weight, bias, self.stride, self.padding, self.dilation)\n"
    "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, "
    "cuda:0 and cpu! (when checking argument for argument weight in method "
    "wrapper_CUDA__cudnn_convolution)\n";

std::string cut_at_column(std::string_view text, std::size_t width) {
  std::string cut;
  std::size_t column = 0;
  for (const char c : text) {
    if (c != '\n' && column == width) {
      cut += '\n';
      column = 0;
    }
    cut += c;
    column = c == '\n' ? 0 : column + 1;
  }
  return cut;
}

std::string cut_at_blank(std::string_view text, std::size_t width) {
  std::string cut;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    std::string line(text.substr(begin, end - begin));
    while (line.size() > width) {
      std::size_t blank = line.rfind(' ', width);
      if (blank == line.npos || line.find_first_not_of(' ') > blank) blank = line.find(' ', width);
      if (blank == line.npos) break;
      cut += line.substr(0, blank) + '\n';
      line.erase(0, blank + 1);
    }
    cut += line + '\n';
    begin = end + 1;
  }
  return cut;
}

void expect_read_whole(const std::string& log) {
  const Diagnosis diagnosis = diagnose_log(log);
  ASSERT_EQ(diagnosis.faults.size(), 1U) << log;
  const Fault& fault = diagnosis.faults.front();
  EXPECT_EQ(fault.cause, "device-weights-left") << log;
  EXPECT_EQ(fault.operation, "convolution") << log;
  EXPECT_EQ(fault.argument, "weight") << log;
  EXPECT_EQ(fault.side, Side::kModel) << log;
  EXPECT_EQ(fault.component, "unet") << log;
}

TEST(LogWrapping, LinesCutAtAColumnAreReadWhole) {
  for (const std::size_t width : {60U, 72U, 80U, 100U, 120U, 132U})
    expect_read_whole(cut_at_column(kLog, width));
}

TEST(LogWrapping, LinesCutAtABlankAreReadWhole) {
  for (const std::size_t width : {60U, 72U, 80U, 100U, 120U, 132U})
    expect_read_whole(cut_at_blank(kLog, width));
}

TEST(LogWrapping, TheRestOfAnyMessageIsRead) {
  const Diagnosis bracket = diagnose_log(
      "RuntimeError: mat1 and mat2 shapes cannot be multiplied (154x1024 and\n768x320)\n");
  ASSERT_EQ(bracket.faults.size(), 1U);
  EXPECT_NE(bracket.faults[0].root_exception.find("154x1024 and 768x320"), std::string::npos);
  const Diagnosis types = diagnose_log(
      "RuntimeError: Input type (torch.FloatTensor) and weight type\n"
      "(torch.cuda.FloatTensor) should be the same\n");
  ASSERT_EQ(types.faults.size(), 1U);
  EXPECT_EQ(types.faults[0].cause, "device-input-left");
  EXPECT_EQ(types.faults[0].argument, "input");
  const Diagnosis indented = diagnose_log(
      "RuntimeError: Expected all tensors to be on the same device, but found at least\n"
      "        two devices, cuda:0 and cpu! (when checking argument for argument mat2\n"
      "        in method wrapper_CUDA_mm)\n");
  ASSERT_EQ(indented.faults.size(), 1U);
  EXPECT_EQ(indented.faults[0].operation, "mm");
  EXPECT_EQ(indented.faults[0].argument, "mat2");
}

TEST(LogWrapping, ALogDriverMarksLinesAndNotRecords) {
  const Diagnosis diagnosis = diagnose_log(
      "2024-01-02T03:04:05.1Z stderr F RuntimeError: Expected all tensors to be on the same "
      "device, but found at least\n"
      "2024-01-02T03:04:05.2Z stderr P two devices, cuda:0 and c\n"
      "2024-01-02T03:04:05.2Z stderr F pu! (when checking argument for argument mat2 in\n"
      "2024-01-02T03:04:05.3Z stderr F method wrapper_CUDA_bmm)\n");
  ASSERT_EQ(diagnosis.faults.size(), 1U);
  EXPECT_EQ(diagnosis.faults[0].operation, "bmm");
  EXPECT_EQ(diagnosis.faults[0].root_exception,
            "RuntimeError: Expected all tensors to be on the same device, but found at least two "
            "devices, cuda:0 and cpu! (when checking argument for argument mat2 in method "
            "wrapper_CUDA_bmm)");
}

TEST(LogWrapping, WhatFollowsAMessageIsNoPartOfIt) {
  const Diagnosis diagnosis = diagnose_log(
      "RuntimeError: Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) "
      "should be the same\n"
      "Exception raised from conv2d_symint at Convolution.cpp:540 (most recent call first):\n"
      "[torch.onnx] Optimize the ONNX graph...\n");
  ASSERT_EQ(diagnosis.faults.size(), 1U);
  EXPECT_EQ(diagnosis.faults[0].root_exception,
            "RuntimeError: Input type (torch.cuda.FloatTensor) and weight type "
            "(torch.FloatTensor) should be the same");
}

TEST(LogWrapping, ListsAndRecordsOfOneWidthStayApart) {
  const std::vector<RawLine> lines{
      {1, "Indexing.cu:1292: block: [12,0,0], thread: [64,0,0] Assertion failed", 0},
      {2, "Indexing.cu:1292: block: [12,0,0], thread: [65,0,0] Assertion failed", 0},
      {3, "Indexing.cu:1292: block: [12,0,0], thread: [66,0,0] Assertion failed", 0},
      {4, "Indexing.cu:1292: block: [12,0,0], thread: [67,0,0] Assertion failed", 0},
      {5, "Traceback (most recent call last):", 0}};
  EXPECT_EQ(unwrap(lines).size(), lines.size());
}

TEST(LogWrapping, AColumnWithTheSourceAloneIsNoMessage) {
  const Diagnosis diagnosis =
      diagnose_log("10:00:00 INFO     loading vae\n                    model_util.py:1017\n");
  EXPECT_TRUE(diagnosis.faults.empty());
}

TEST(LogWrapping, ALevelInTheColumnBeginsARecord) {
  const Diagnosis diagnosis = diagnose_log(
      "10:00:00 INFO     loading vae                        model_util.py:1009\n"
      "                  ERROR    No data found. Please verify arguments   train_util.py:99\n");
  ASSERT_EQ(diagnosis.faults.size(), 1U);
  EXPECT_EQ(diagnosis.faults[0].evidence.front().line, 2U);
}

}  // namespace
}  // namespace sinter::diagnose::log
