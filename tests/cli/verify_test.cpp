#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "sinter/weights/checkpoint.h"
#include "sinter/weights/safetensors_writer.h"
#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

class Verify : public CommandTest {
 protected:
  /// A copy of a reference case of tests/data/cases.
  std::string reference(const std::string& name) const {
    const std::string file = name + ".case";
    fs::copy_file(fs::path(SINTER_TEST_DATA) / "cases" / (name + ".safetensors"), folder() / file);
    return file;
  }

  /// Overwrites the first bytes of a tensor in a safetensors file.
  void overwrite(const std::string& file, const std::string& tensor,
                 std::span<const std::byte> bytes) const {
    std::uint64_t begin = 0;
    {
      const weights::Checkpoint checkpoint = weights::Checkpoint::open(folder() / file);
      const weights::TensorEntry* entry = checkpoint.find(tensor);
      ASSERT_NE(entry, nullptr) << tensor;
      begin = entry->begin;
    }
    std::fstream stream(folder() / file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(static_cast<std::streamoff>(begin));
    stream.write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
  }
};

TEST_F(Verify, AReferenceAndAnotherEngineAreThreeComparisons) {
  converted("sd1", "out", {"--components", "text_encoder", "--hidden-states"});
  const std::string file = reference("tiny-sd1-text");
  const nlohmann::json report =
      json({"verify", "out", "--reference", file, "--against", "onnxruntime"});
  std::vector<std::string> pairs;
  for (const nlohmann::json& output : report["outputs"]) {
    const std::string pair = fmt::format("{} {}", output["engine"].get<std::string>(),
                                         output["reference"].get<std::string>().substr(0, 4));
    if (pairs.empty() || pairs.back() != pair) pairs.push_back(pair);
    EXPECT_EQ(output["passed"], true);
  }
  EXPECT_EQ(pairs,
            (std::vector<std::string>{"ONNX Runtime out.", "OpenVINO out.", "OpenVINO onnx"}));
}

TEST_F(Verify, AnEngineOnAGpuSaysWhatIsMissing) {
  converted("sd1", "out", {"--components", "text_encoder"});
  const Ended ended = sinter({"verify", "out", "--against", "onnxruntime", "--engine", "trt-rtx",
                              "--provider-library", "/nowhere/libep.so"});
  if (ended.status == 0) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_EQ(ended.status, 5);
  EXPECT_NE(ended.err.find("error: TensorRT-RTX cannot run here: "), std::string::npos)
      << ended.err;
  EXPECT_NE(ended.err.find("there is no /nowhere/libep.so\n"), std::string::npos) << ended.err;
}

TEST_F(Verify, OptionsOfGpuEnginesAreForThem) {
  converted("sd1", "out", {"--components", "text_encoder"});
  expect_error(sinter({"verify", "out", "--against", "onnxruntime", "--no-cpu-fallback"}), 2,
               "error: --no-cpu-fallback is for engines on a GPU, and openvino runs on the CPU\n"
               "hint: --engine cuda, tensorrt or trt-rtx names one\n");
  expect_error(sinter({"verify", "out", "--bisect", "--provider-library", "libep.so"}), 2,
               "error: --provider-library is for ONNX Runtime, and openvino is not\n"
               "hint: --engine onnxruntime, cuda, tensorrt or trt-rtx takes it\n");
  expect_error(sinter({"verify", "out", "--bisect", "--engine", "cuda", "--engine-cache", "kept"}),
               2,
               "error: --engine-cache is for tensorrt and trt-rtx; cuda builds nothing that could "
               "be kept\n");
}

TEST_F(Verify, AReferenceThatHoldsIsStatus0) {
  converted("sd1", "out", {"--components", "text_encoder", "--hidden-states"});
  const std::string file = reference("tiny-sd1-text");
  const nlohmann::json report = json({"verify", "out", "--reference", file});
  expect_documented("verify", report);
  EXPECT_EQ(report["passed"], true);
  EXPECT_EQ(report["outputs"][0]["engine"], "OpenVINO");
  EXPECT_LT(report["outputs"][0]["max_relative"], 1e-4);

  const Ended ended = sinter({"verify", "out", "--reference", file, "--engine", "onnxruntime"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_TRUE(
      ended.out.starts_with("out/text_encoder/model.onnx on ONNX Runtime, float32\n  ok       "))
      << ended.out;
  EXPECT_EQ(ended.out.find("MISMATCH"), std::string::npos) << ended.out;
}

TEST_F(Verify, AWrongNumberIsStatus1AndItsPlaceIsNamed) {
  converted("sd1", "out", {"--components", "text_encoder"});
  const std::string file = reference("tiny-sd1-text");
  const float wrong = 50;
  overwrite(file, "out.last_hidden_state", std::as_bytes(std::span(&wrong, 1)));
  const Ended ended = sinter({"verify", "out", "--reference", file});
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.out.find("  MISMATCH  last_hidden_state  out.last_hidden_state  max "),
            std::string::npos)
      << ended.out;
  EXPECT_NE(ended.out.find("\n            worst at [0,0,0]: "), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find(", expected 50; max abs "), std::string::npos) << ended.out;

  const nlohmann::json report = json({"verify", "out", "--reference", file}, 1);
  EXPECT_EQ(report["passed"], false);
  const auto bad = std::ranges::find(report["outputs"], false, [](const nlohmann::json& row) {
    return row["passed"].get<bool>();
  });
  ASSERT_NE(bad, report["outputs"].end());
  EXPECT_EQ((*bad)["reference"], "out.last_hidden_state");
  EXPECT_EQ((*bad)["worst_index"], nlohmann::json({0, 0, 0}));
  EXPECT_EQ((*bad)["expected"], 50.0);
}

TEST_F(Verify, NumbersThatAreNoneAreNamedWithTheirPlace) {
  converted("sd1", "out", {"--components", "text_encoder"});
  const std::string file = reference("tiny-sd1-text");
  const float wrong[] = {std::numeric_limits<float>::quiet_NaN(),
                         -std::numeric_limits<float>::infinity()};
  overwrite(file, "out.last_hidden_state", std::as_bytes(std::span(wrong)));
  const Ended ended = sinter({"verify", "out", "--reference", file});
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.out.find("  MISMATCH  last_hidden_state  out.last_hidden_state  2 of "),
            std::string::npos)
      << ended.out;
  EXPECT_NE(ended.out.find(" values are NaN or infinite and disagree, first at [0,0,0]: "),
            std::string::npos)
      << ended.out;
  EXPECT_NE(ended.out.find(", expected nan\n"
                           "            0 NaN and 0 infinite, expected 1 and 1\n"
                           "            the other "),
            std::string::npos)
      << ended.out;

  const nlohmann::json report = json({"verify", "out", "--reference", file}, 1);
  expect_documented("verify", report);
  const auto bad = std::ranges::find(report["outputs"], false, [](const nlohmann::json& row) {
    return row["passed"].get<bool>();
  });
  ASSERT_NE(bad, report["outputs"].end());
  EXPECT_EQ((*bad)["non_finite_mismatches"], 2);
  EXPECT_EQ((*bad)["expected_nan"], 1);
  EXPECT_EQ((*bad)["expected_inf"], 1);
  EXPECT_EQ((*bad)["nan"], 0);
  EXPECT_EQ((*bad)["first_non_finite"]["index"], nlohmann::json({0, 0, 0}));
  EXPECT_EQ((*bad)["first_non_finite"]["expected"], "nan");
  EXPECT_TRUE((*bad)["first_non_finite"]["found"].is_number());
}

// Errors over no number at all are not zero.
TEST_F(Verify, FiguresOfNothingAreNull) {
  const std::string file = stand_in("sd1");
  const std::string bias = "cond_stage_model.transformer.text_model.final_layer_norm.bias";
  const auto width = weights::Checkpoint::open(folder() / file).find(bias)->shape.at(0);
  const std::vector<std::uint16_t> nans(static_cast<std::size_t>(width), 0x7e00);  // binary16
  overwrite(file, bias, std::as_bytes(std::span(nans)));
  ASSERT_EQ(sinter({"convert", file, "out", "--components", "text_encoder", "--precision", "fp32"})
                .status,
            0);
  const std::string expected = reference("tiny-sd1-text");
  const nlohmann::json report = json({"verify", "out", "--reference", expected}, 1);
  const auto bad = std::ranges::find(report["outputs"], false, [](const nlohmann::json& row) {
    return row["passed"].get<bool>();
  });
  ASSERT_NE(bad, report["outputs"].end());
  for (const char* figure : {"max_abs", "mean_abs", "max_relative", "mean_relative", "cosine"}) {
    EXPECT_TRUE((*bad)[figure].is_null()) << figure << ": " << (*bad)[figure];
  }
  EXPECT_EQ((*bad)["first_non_finite"]["found"], "nan");
  const Ended ended = sinter({"verify", "out", "--reference", expected});
  EXPECT_EQ(ended.out.find("cosine 1.0000000"), std::string::npos) << ended.out;
}

TEST_F(Verify, TwoEnginesAgree) {
  converted("sd1", "out", {"--components", "text_encoder,vae_decoder"});
  const nlohmann::json report = json({"verify", "out", "--against", "onnxruntime"});
  EXPECT_EQ(report["passed"], true);
  ASSERT_EQ(report["outputs"].size(), 3u);
  EXPECT_EQ(report["outputs"][2]["model"], "out/vae_decoder/model.onnx");
  EXPECT_EQ(report["outputs"][2]["reference"], "onnxruntime");
}

TEST_F(Verify, BisectFindsTheModuleThatMakesNaN) {
  const std::string file = stand_in("sd1");
  const std::uint16_t nan = 0x7e00;  // binary16
  overwrite(file, "cond_stage_model.transformer.text_model.encoder.layers.1.mlp.fc1.bias",
            std::as_bytes(std::span(&nan, 1)));
  ASSERT_EQ(sinter({"convert", file, "out", "--components", "text_encoder", "--precision", "fp32"})
                .status,
            0);
  const Ended ended = sinter({"verify", "out", "--bisect"});
  EXPECT_EQ(ended.status, 1);
  constexpr std::string_view kModule = "text_model.encoder.layers.1.mlp.fc1.bias";
  EXPECT_TRUE(ended.out.starts_with(
      fmt::format("out/text_encoder/model.onnx on openvino, float32\n"
                  "  NaN or infinity starts in module '{0}', node '{0}/Cast' (Cast)\n",
                  kModule)))
      << ended.out;
  EXPECT_NE(ended.out.find(fmt::format("\n  -> {}/Cast", kModule)), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("  1 NaN, 0 infinite, first at [0]: nan\n"), std::string::npos)
      << ended.out;
  EXPECT_EQ(std::ranges::count(ended.out, '\n'), 7) << ended.out;  // two before, two behind

  const nlohmann::json report = json({"verify", "out", "--bisect"}, 1);
  expect_documented("verify", report);
  EXPECT_EQ(report["passed"], false);
  EXPECT_EQ(report["bisected"][0]["passed"], false);
  EXPECT_EQ(report["faults"][0]["model"], "out/text_encoder/model.onnx");
  EXPECT_EQ(report["faults"][0]["engine"], "openvino");
  EXPECT_EQ(report["faults"][0]["nan"], 1);
  EXPECT_EQ(report["faults"][0]["before"].size(), 2u);
  EXPECT_EQ(report["faults"][0]["behind"].size(), 2u);
}

TEST_F(Verify, BisectNamesBothSidesOfADifference) {
  converted("sd1", "a", {"--components", "text_encoder"});
  const std::string file = stand_in("sd1");
  const std::uint16_t seven = 0x4700;
  overwrite(file, "cond_stage_model.transformer.text_model.encoder.layers.1.mlp.fc1.bias",
            std::as_bytes(std::span(&seven, 1)));
  ASSERT_EQ(
      sinter({"convert", file, "b", "--components", "text_encoder", "--precision", "fp16"}).status,
      0);
  const Ended ended = sinter({"verify", "b", "--bisect", "--against", "a"});
  EXPECT_EQ(ended.status, 1) << ended.err;
  EXPECT_TRUE(
      ended.out.starts_with("b/text_encoder/model.onnx on openvino, float16\n"
                            "  against a/text_encoder/model.onnx on openvino, float32\n"
                            "  within max 1e-02, mean 1e-03 of the scale (float16)\n"
                            "  they part in module 'text_model.encoder.layers.1.mlp.fc1', node "))
      << ended.out;
  const nlohmann::json report = json({"verify", "b", "--bisect", "--against", "a"}, 1);
  expect_documented("verify", report);
  EXPECT_EQ(report["faults"][0]["compute"], "float16");
  EXPECT_EQ(report["faults"][0]["against"]["model"], "a/text_encoder/model.onnx");
  EXPECT_EQ(report["faults"][0]["against"]["compute"], "float32");
  EXPECT_EQ(report["faults"][0]["before"][0]["faulty"], false);
}

TEST_F(Verify, BisectFindsNothingInASoundGraph) {
  converted("sd1", "out", {"--components", "text_encoder"});
  ASSERT_EQ(sinter({"convert", "sd1.safetensors", "half", "--components", "text_encoder"}).status,
            0);
  const Ended alone = sinter({"verify", "out", "--bisect"});
  EXPECT_EQ(alone.status, 0);
  EXPECT_EQ(alone.out,
            "out/text_encoder/model.onnx on openvino, float32\n  no module is at fault\n");
  const Ended pair = sinter({"verify", "half", "--bisect", "--against", "out"});
  EXPECT_EQ(pair.status, 0) << pair.err;
  EXPECT_EQ(pair.out,
            "half/text_encoder/model.onnx on openvino, float16\n"
            "  against out/text_encoder/model.onnx on openvino, float32\n"
            "  within max 1e-02, mean 1e-03 of the scale (float16)\n"
            "  no module is at fault\n");
}

TEST_F(Verify, BFloat16IsNotForOnnxRuntime) {
  ASSERT_EQ(sinter({"convert", stand_in("sd1"), "out", "--components", "text_encoder",
                    "--precision", "bf16"})
                .status,
            0);
  expect_error(sinter({"verify", "out", "--against", "onnxruntime"}), 4,
               "error: out/text_encoder/model.onnx computes in bfloat16, and ONNX Runtime's CPU "
               "provider has no kernels for it\n"
               "hint: use --engine openvino, or convert with --precision fp16 or fp32\n");
}

TEST_F(Verify, InputsThatDoNotFitAreNamed) {
  converted("sd1", "out", {"--components", "text_encoder,unet"});
  const std::string file = reference("tiny-sd1-unet");
  const weights::Checkpoint good = weights::Checkpoint::open(folder() / file);
  std::vector<weights::PlannedTensor> plan;
  for (const weights::TensorEntry& entry : good.tensors()) {
    Shape shape = entry.shape;
    if (entry.name == "in.encoder_hidden_states") shape[0] = 1;
    plan.push_back({entry.name, entry.dtype, shape});
  }
  {
    weights::SafetensorsWriter writer(folder() / "short.case", plan);
    for (const weights::PlannedTensor& tensor : plan) {
      const auto bytes =
          static_cast<std::size_t>(element_count(tensor.shape)) * dtype_bytes(tensor.dtype);
      writer.write(good.bytes(*good.find(tensor.name)).first(bytes));
    }
    writer.commit();
  }
  expect_error(sinter({"verify", "out", "--reference", "short.case"}), 2,
               "error: short.case does not say which component it is about, and out has "
               "text_encoder, unet\n"
               "hint: name the graph that it is of: out/text_encoder/model.onnx\n");
  expect_error(sinter({"verify", "out/unet/model.onnx", "--reference", "short.case"}), 3,
               "error: input 'encoder_hidden_states' is [1,77,64], expected 2 rows: input "
               "'timestep' has 2 timesteps\n"
               "  while taking the inputs of short.case for out/unet/model.onnx\n");
}

TEST_F(Verify, ANamedPipeIsNotWaitedFor) {
  converted("sd1", "out", {"--components", "text_encoder"});
  ASSERT_EQ(::mkfifo((folder() / "pipe").c_str(), 0600), 0);
  expect_error(sinter({"verify", "pipe", "--bisect"}), 3,
               "error: pipe is a named pipe, expected a file\n");
  expect_error(sinter({"verify", "out", "--reference", "pipe"}), 3,
               "error: pipe is a named pipe, expected a file\n");
  expect_error(sinter({"inspect", "pipe"}), 3, "error: pipe is a named pipe, expected a file\n");
}

TEST_F(Verify, NothingComparedIsNoSuccess) {
  converted("sd1", "out", {"--components", "text_encoder"});
  expect_error(sinter({"verify", "out"}), 2,
               "error: nothing to compare with\n"
               "hint: give --reference CASE.safetensors, --against ENGINE, or --bisect to look for "
               "NaN and infinity\n");
  expect_error(sinter({"verify", ".", "--bisect"}), 2,
               "error: . has no graphs, expected a folder like unet/ with model.onnx inside\n"
               "hint: sinter convert makes such a folder from a checkpoint\n");
  expect_error(sinter({"verify", "out", "--against", "onnxruntim"}), 2,
               "error: there is no engine, folder or file 'onnxruntim'; there are openvino, "
               "onnxruntime, cuda, tensorrt and trt-rtx\n"
               "hint: did you mean 'onnxruntime'?\n");
  expect_error(sinter({"verify", "out", "--against", "openvino"}), 2,
               "error: openvino would be compared with itself\n"
               "hint: --engine names the engine that is checked, --against the other one\n");
  expect_error(sinter({"verify", "out", "--against", "out"}), 2,
               "error: --against out names another model, which is for --bisect\n");
  expect_error(sinter({"verify", "out", "--reference", "nothing"}), 3,
               "error: cannot open nothing: No such file or directory\n");
  const std::string file = reference("tiny-sd1-unet");
  expect_error(sinter({"verify", "out", "--reference", file}), 2,
               "error: tiny-sd1-unet.case is about 'unet', and out has text_encoder\n");
  write_keys("no-case.safetensors", {{"a", {1}}});
  expect_error(sinter({"verify", "out", "--reference", "no-case.safetensors"}), 3,
               "error: no-case.safetensors has 0 tensors 'in.NAME' and 0 'out.NAME'; a reference "
               "case has both\n");
}

TEST_F(Verify, ADamagedGraphIsStatus3) {
  std::ofstream(folder() / "broken.onnx") << "not protobuf at all";
  expect_error(sinter({"verify", "broken.onnx", "--bisect"}), 3,
               "error: broken.onnx: not an ONNX model, or a damaged one (19 bytes)\n"
               "  while reading broken.onnx\n"
               "hint: the download or export may have stopped early\n");
}

}  // namespace
}  // namespace sinter::cli
