#include <fstream>

#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace {

using Check = CommandTest;

constexpr const char* kAll = "trt8.6,trt10,trt11,trt-rtx,ort-cpu,ort-cuda,openvino";

std::string foreign(const std::string& name) { return SINTER_TEST_DATA "/check/" + name; }

// Findings above notes, as text.
std::string objections(const nlohmann::json& json) {
  std::string text;
  for (const auto& graph : json["graphs"]) {
    for (const auto& finding : graph["findings"]) {
      if (finding["severity"] == "note") continue;
      text += graph["file"].get<std::string>() + " " + graph["target"].get<std::string>() + " " +
              finding.dump() + "\n";
    }
  }
  return text;
}

TEST_F(Check, SintersOwnGraphsAreCleanForEveryTarget) {
  for (const char* family :
       {"sd1", "sd1-inpainting", "sd2", "sdxl-base", "sdxl-refiner", "taesd", "controlnet-sd1"}) {
    converted(family, "out", {"--hidden-states"});
    EXPECT_EQ(objections(json({"check", "out", "--target", kAll, "--contract", "optimum"})), "")
        << family;
  }
}

TEST_F(Check, SoAreTheirOtherForms) {
  stand_in("sd1");
  struct Form {
    std::vector<std::string> options;
    const char* targets;
    const char* contract;
  };
  const std::vector<Form> forms{
      {{"--precision", "fp16", "--weights", "pack"}, kAll, "optimum"},
      {{"--precision", "fp16", "--io", "demodiffusion"}, kAll, "demodiffusion"},
      {{"--precision", "fp16", "--io", "comfy"}, kAll, "comfy"},
      {{"--precision", "fp16", "--io", "a1111"}, kAll, "a1111"},
      {{"--precision", "fp16", "--static", "1x64x64"}, kAll, "optimum"},
      {{"--precision", "fp16", "--controlnet-inputs"}, kAll, "optimum"},
      {{"--precision", "bf16"}, "trt10,trt11,trt-rtx,ort-cuda,openvino", "optimum"},
  };
  for (const Form& form : forms) {
    std::vector<std::string> words{"convert", "sd1.safetensors", "form"};
    words.insert(words.end(), form.options.begin(), form.options.end());
    ASSERT_EQ(sinter(words).status, 0);
    EXPECT_EQ(
        objections(json({"check", "form", "--target", form.targets, "--contract", form.contract})),
        "")
        << form.options.at(1);
  }
}

TEST_F(Check, ErrorsDecideTheExitStatus) {
  EXPECT_EQ(sinter({"check", foreign("cubic.onnx"), "--target", "ort-cpu"}).status, 0);
  EXPECT_EQ(sinter({"check", foreign("cubic.onnx"), "--target", "trt10"}).status, 1);
  EXPECT_EQ(sinter({"check", foreign("skip.onnx"), "--target", "ort-cpu"}).status, 0);
  EXPECT_EQ(sinter({"check", foreign("skip.onnx"), "--target", "ort-cpu", "--strict"}).status, 1);
}

TEST_F(Check, SaysWhatWhereWhyAndWhatToDo) {
  const Ended ended = sinter({"check", foreign("cubic.onnx"), "--target", "trt10"});
  EXPECT_EQ(ended.out, foreign("cubic.onnx") +
                           " for TensorRT 10: 1 error, 0 warnings, 1 note\n"
                           "  error [operator-form] a Resize of mode 'cubic'; the target has "
                           "nearest and linear\n"
                           "      /Resize (Resize)\n"
                           "    do: export with nearest or linear, without antialiasing\n"
                           "  note [profile] its size is free, so an engine needs a profile: "
                           "smallest, usual and largest size of every such input\n"
                           "      sample\n"
                           "    do: decide them (sinter plan), and hold them against the graph "
                           "here with --profile\n");
}

TEST_F(Check, JsonIsDocumented) {
  expect_documented("check", json({"check", foreign("cubic.onnx"), "--target", "trt10"}, 1));
}

TEST_F(Check, HoldsNamesAgainstAContract) {
  const nlohmann::json result = json(
      {"check", foreign("unet.onnx"), "--target", "ort-cpu", "--contract", "demodiffusion"}, 1);
  EXPECT_EQ(result["graphs"][0]["contract"], "demodiffusion's unet");
  EXPECT_NE(objections(result).find("output 'latent' of demodiffusion's unet is not there"),
            std::string::npos);
  EXPECT_EQ(objections(json({"check", foreign("unet.onnx"), "--target", "ort-cpu", "--contract",
                             "optimum"}))
                .find("[contract]"),
            std::string::npos);
}

TEST_F(Check, ReadsProfiles) {
  EXPECT_EQ(
      sinter({"check", foreign("skip.onnx"), "--profile", "sample=1x4x32x32:2x4x64x64:2x4x96x96"})
          .status,
      0);
  EXPECT_EQ(
      sinter({"check", foreign("skip.onnx"), "--profile", "sample=1x4x32x32:2x4x128x64:2x4x96x96"})
          .status,
      1);
  expect_error(sinter({"check", foreign("skip.onnx"), "--profile", "sample"}), 2,
               "error: 'sample' is no profile, expected INPUT=MIN:OPT:MAX such as "
               "sample=1x4x32x32:2x4x64x64:2x4x96x96\n");
}

TEST_F(Check, RefusesUnknownWords) {
  expect_error(
      sinter({"check", foreign("skip.onnx"), "--target", "trt9"}), 2,
      "error: there is no target 'trt9'; there are trt8.6, trt10, trt11, trt-rtx, ort-cpu, "
      "ort-cuda and openvino\nhint: did you mean 'trt10'?\n");
  expect_error(
      sinter({"check", foreign("skip.onnx"), "--contract", "mine"}), 2,
      "error: there is no I/O profile 'mine'; there are optimum, ldm, demodiffusion, comfy "
      "and a1111\n");
}

TEST_F(Check, ABadFileIsAnError) {
  std::ofstream(folder() / "no.onnx") << "{}";
  EXPECT_EQ(sinter({"check", "no.onnx"}).status, 3);
  EXPECT_EQ(sinter({"check", "lost.onnx"}).status, 3);
}

using FoldCommand = CommandTest;

TEST_F(FoldCommand, WritesWhatItProved) {
  const nlohmann::json result = json({"fold", foreign("unet.onnx"), "folded.onnx"});
  expect_documented("fold", result);
  EXPECT_EQ(result["written"], true);
  EXPECT_EQ(result["proof"]["holds"], true);
  EXPECT_EQ(entries(), (std::vector<std::string>{"folded.onnx"}));
  EXPECT_EQ(objections(json({"check", "folded.onnx"})).find("unfolded-constant"),
            std::string::npos);
}

TEST_F(FoldCommand, NeverWritesOverItsInput) {
  std::filesystem::copy_file(foreign("skip.onnx"), folder() / "a.onnx");
  expect_error(sinter({"fold", "a.onnx", "a.onnx"}), 2,
               "error: a.onnx would be written over itself\n"
               "hint: name another file; fold leaves its input as it is\n");
}

using ExportTriton = CommandTest;

TEST_F(ExportTriton, WritesARepository) {
  converted("sd1", "model");
  const nlohmann::json result = json({"export", "triton", "model", "repository"});
  EXPECT_EQ(result["pipeline"], "stable_diffusion");
  EXPECT_EQ(result["models"].size(), 5u);
  expect_documented("export", result);
  expect_error(sinter({"export", "triton", "model", "repository"}), 2,
               "error: repository is there already\n"
               "hint: name a folder that does not exist yet\n");
}

}  // namespace
}  // namespace sinter::cli
