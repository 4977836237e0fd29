#include "sinter/convert/convert.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/hash.h"
#include "sinter/runtime/session.h"
#include "tests/convert/stand_in.h"

namespace sinter::convert {
namespace {
namespace fs = std::filesystem;

ConvertOptions fp32() {
  ConvertOptions options;
  options.precision = Precision::kF32;
  options.tool_version = "test";
  return options;
}

/// Every file of a folder with its digest.
std::map<std::string, std::string> digests(const fs::path& folder) {
  std::map<std::string, std::string> result;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    result[entry.path().lexically_relative(folder).generic_string()] =
        sha256_hex(MappedFile(entry.path()).bytes());
  }
  return result;
}

Tensor ramp(Shape shape) {
  Tensor tensor(DType::kF32, std::move(shape));
  float value = -1;
  for (float& element : tensor.floats()) element = value = value > 1 ? -1 : value + 0.01f;
  return tensor;
}

/// The UNet's output for fixed inputs.
std::vector<float> denoise(const fs::path& folder,
                           runtime::Engine engine = runtime::Engine::kOnnxRuntime) {
  const graph::OnnxModel model = graph::OnnxModel::load(folder / "unet/model.onnx");
  const auto session = runtime::open_session(engine, model);
  runtime::TensorMap inputs;
  inputs["sample"] = ramp({2, 4, 8, 8});
  inputs["timestep"] = Tensor({1}, std::vector<float>{500});
  inputs["encoder_hidden_states"] = ramp({2, 77, 64});
  const Tensor out = session->run(inputs).at("out_sample");
  return {out.floats().begin(), out.floats().end()};
}

class ConvertTest : public testing::Test {
 protected:
  TemporaryFolder folder_{std::string("convert-") +
                          testing::UnitTest::GetInstance()->current_test_info()->name()};
  fs::path checkpoint_ = stand_in(folder_.path(), "tiny/sd1");
  fs::path out_ = folder_.path() / "out";
};

TEST_F(ConvertTest, WritesTheFolderThatPipelinesExpect) {
  const ConvertReport report = convert(checkpoint_, out_, fp32());
  EXPECT_EQ(report.model.family, "sd15");
  for (const char* file : {"model_index.json", "sinter.json", "scheduler/scheduler_config.json",
                           "text_encoder/model.onnx", "text_encoder/config.json", "unet/model.onnx",
                           "unet/config.json", "vae_decoder/model.onnx", "vae_decoder/config.json",
                           "vae_encoder/model.onnx"}) {
    EXPECT_TRUE(fs::exists(out_ / file)) << file;
  }
}

TEST_F(ConvertTest, LinkingCopiesNoWeight) {
  convert(checkpoint_, out_, fp32());
  EXPECT_EQ(fs::hard_link_count(checkpoint_), 5u) << "the file and a name in each of four folders";
}

TEST_F(ConvertTest, ACheckpointCalledLikeTheGraphDoesNotCollide) {
  fs::rename(checkpoint_, folder_.path() / "model.onnx");
  convert(folder_.path() / "model.onnx", out_, fp32());
  EXPECT_TRUE(fs::exists(out_ / "unet/weights.0.safetensors"));
  EXPECT_FALSE(denoise(out_).empty());
}

TEST_F(ConvertTest, LinksKeepOutOfTheWayOfTheFoldersFiles) {
  for (const char* name : {"config.json", ".model.onnx.1.partial", "model.onnx.data"}) {
    const fs::path renamed = folder_.path() / name;
    fs::rename(checkpoint_, renamed);
    convert(renamed, out_, fp32());
    EXPECT_TRUE(fs::exists(out_ / "unet/weights.0.safetensors")) << name;
    EXPECT_FALSE(denoise(out_).empty());
    fs::rename(renamed, checkpoint_);
  }
}

TEST_F(ConvertTest, ANameOfTheLongestKindIsLinked) {
  const fs::path renamed = folder_.path() / (std::string(243, 'n') + ".safetensors");
  fs::rename(checkpoint_, renamed);
  convert(renamed, out_, fp32());
  EXPECT_TRUE(fs::exists(out_ / "unet" / renamed.filename()));
  EXPECT_FALSE(denoise(out_).empty());
}

TEST_F(ConvertTest, ComponentsThatAreNamedTwiceAreWrittenOnce) {
  ConvertOptions options = fp32();
  options.components = {"vae_decoder", "unet", "vae", "unet"};
  const ConvertReport report = convert(checkpoint_, out_, options);
  ASSERT_EQ(report.graphs.size(), 3u);
  EXPECT_EQ(report.graphs[0].folder, "unet");
  EXPECT_EQ(report.graphs[1].folder, "vae_decoder");
  EXPECT_EQ(report.graphs[2].folder, "vae_encoder");
  EXPECT_EQ(report.portability, std::vector<std::string>{});
}

TEST_F(ConvertTest, AnOutputOnAnotherDiskIsWarnedOf) {
  const TemporaryFolder elsewhere("another-disk", "/dev/shm");
  if (!fs::exists(elsewhere.path()) ||
      hard_link(checkpoint_, elsewhere.path() / "probe") != HardLink::kOtherDisk)
    GTEST_SKIP() << "/dev/shm is no other disk";
  const ConvertReport report = convert(checkpoint_, elsewhere.path() / "out", fp32());
  EXPECT_EQ(report.warnings, std::vector<std::string>{});
  EXPECT_EQ(report.portability,
            std::vector<std::string>{
                "the output is on another disk than the checkpoint, so its graphs point outside "
                "their folders: sinter runs them, other tools refuse that; --weights pack makes a "
                "folder for them"});
  EXPECT_FALSE(denoise(elsewhere.path() / "out").empty());
}

TEST_F(ConvertTest, SizesBeyondAllMeasureAreRefused) {
  for (const StaticSize size :
       {StaticSize{0, 64, 64}, StaticSize{257, 64, 64}, StaticSize{1, 100, 64},
        StaticSize{1, 64, 16392}, StaticSize{1, -8, 64}}) {
    ConvertOptions options = fp32();
    options.size = size;
    try {
      convert(checkpoint_, out_, options);
      FAIL() << size.batch << "x" << size.height << "x" << size.width;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
      EXPECT_EQ(error.message(),
                fmt::format("the static size is {}x{}x{}, expected a batch of 1 to 256 and sides "
                            "that are multiples of 8 pixels, at most 16384",
                            size.batch, size.height, size.width));
    }
  }
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(ConvertTest, TheSameInputGivesTheSameBytes) {
  convert(checkpoint_, out_, fp32());
  const auto first = digests(out_);
  convert(checkpoint_, out_, fp32());
  EXPECT_EQ(first, digests(out_));
}

TEST_F(ConvertTest, LinkedAndPackedWeightsGiveTheSameNumbers) {
  convert(checkpoint_, out_, fp32());
  ConvertOptions packed = fp32();
  packed.weights = WeightStorage::kPack;
  convert(checkpoint_, folder_.path() / "packed", packed);
  EXPECT_TRUE(fs::exists(folder_.path() / "packed/unet/model.onnx.data"));
  EXPECT_EQ(denoise(out_), denoise(folder_.path() / "packed"));
}

TEST_F(ConvertTest, APackedFolderNeedsNoCheckpoint) {
  ConvertOptions packed = fp32();
  packed.weights = WeightStorage::kPack;
  convert(checkpoint_, out_, packed);
  const std::vector<float> before = denoise(out_);
  fs::remove(checkpoint_);
  EXPECT_EQ(denoise(out_), before);
}

TEST_F(ConvertTest, AChangedSourceIsAnErrorAndNotWrongNumbers) {
  convert(checkpoint_, out_, fp32());
  {
    std::fstream file(checkpoint_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-2, std::ios::end);
    file.put('\x11');
  }
  fs::last_write_time(checkpoint_, fs::last_write_time(checkpoint_) + std::chrono::seconds(5));
  try {
    denoise(out_);
    FAIL() << "the change was not noticed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kSourceChanged) << error.what();
    EXPECT_NE(std::string(error.what()).find("sd1.safetensors"), std::string::npos) << error.what();
  }
}

TEST_F(ConvertTest, AFolderOfSomeoneElseIsLeftAlone) {
  fs::create_directories(out_);
  std::ofstream(out_ / "precious.txt") << "mine";
  EXPECT_THROW(convert(checkpoint_, out_, fp32()), Error);
  EXPECT_EQ(read_text(out_ / "precious.txt"), "mine");
}

TEST_F(ConvertTest, ARecordOfSomeoneElseDoesNotMakeAFolderOurs) {
  fs::create_directories(out_);
  std::ofstream(out_ / "sinter.json") << "{}";
  std::ofstream(out_ / "precious.txt") << "mine";
  EXPECT_THROW(convert(checkpoint_, out_, fp32()), Error);
  EXPECT_EQ(read_text(out_ / "precious.txt"), "mine");
}

TEST_F(ConvertTest, AForeignFileInAnEarlierFolderIsKept) {
  convert(checkpoint_, out_, fp32());
  std::ofstream(out_ / "notes.txt") << "mine";
  EXPECT_THROW(convert(checkpoint_, out_, fp32()), Error);
  EXPECT_EQ(read_text(out_ / "notes.txt"), "mine");
}

TEST_F(ConvertTest, TheCheckpointsOwnFolderIsNotReplaced) {
  convert(checkpoint_, out_, fp32());
  fs::rename(checkpoint_, out_ / "inside.safetensors");
  EXPECT_THROW(convert(out_ / "inside.safetensors", out_, fp32()), Error);
  EXPECT_TRUE(fs::exists(out_ / "inside.safetensors"));
}

TEST_F(ConvertTest, AnUnknownComponentNamesThoseThereAre) {
  ConvertOptions options = fp32();
  options.components = {"unett"};
  try {
    convert(checkpoint_, out_, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_EQ(
        error.message(),
        "the checkpoint gives no 'unett'; it gives text_encoder, unet, vae_decoder, vae_encoder");
  }
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(ConvertTest, AKilledConversionLeavesNothingUnderTheName) {
  ConvertOptions options = fp32();
  options.weights = WeightStorage::kPack;
  const pid_t child = ::fork();
  if (child == 0) {
    int calls = 0;
    options.progress = [&](std::string_view, std::uint64_t, std::uint64_t) {
      if (++calls == 200) ::raise(SIGKILL);
    };
    convert(checkpoint_, out_, options);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << "the conversion was not interrupted";
  EXPECT_FALSE(fs::exists(out_));

  convert(checkpoint_, out_, options);
  const auto entries =
      std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator());
  EXPECT_EQ(entries, 2) << "the checkpoint and the new folder; what the killed one left is gone";
}

TEST_F(ConvertTest, AKilledConversionLeavesTheOldFolderWhole) {
  convert(checkpoint_, out_, fp32());
  const auto before = digests(out_);
  ConvertOptions options = fp32();
  options.weights = WeightStorage::kPack;
  const pid_t child = ::fork();
  if (child == 0) {
    options.progress = [&](std::string_view, std::uint64_t done, std::uint64_t total) {
      if (done * 2 > total) ::raise(SIGKILL);
    };
    convert(checkpoint_, out_, options);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(digests(out_), before);
}

TEST_F(ConvertTest, AFullDiskIsAClearErrorAndLeavesNothing) {
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 1'000'000, .rlim_max = old.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  ConvertOptions options = fp32();
  options.weights = WeightStorage::kPack;
  std::string message;
  try {
    convert(checkpoint_, out_, options);
  } catch (const Error& error) {
    message = error.what();
    EXPECT_EQ(error.code(), ErrorCode::kIo);
  }
  ::setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_NE(message.find("model.onnx.data: File too large"), std::string::npos) << message;
  EXPECT_FALSE(fs::exists(out_));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 1)
      << "only the checkpoint";
}

TEST_F(ConvertTest, RecordsWhereTheWeightsCameFrom) {
  convert(checkpoint_, out_, fp32());
  const nlohmann::json record = nlohmann::json::parse(read_text(out_ / "sinter.json"));
  EXPECT_EQ(record["family"], "sd15");
  EXPECT_EQ(record["prediction"], "epsilon");
  EXPECT_EQ(record["sources"][0]["bytes"], fs::file_size(checkpoint_));
  EXPECT_EQ(record["sources"][0]["header_sha256"].get<std::string>().size(), 64u);
}

TEST(Precisions, AreNamedBothWays) {
  for (const Precision precision :
       {Precision::kF16, Precision::kF32, Precision::kBF16, Precision::kKeep}) {
    EXPECT_EQ(precision_from_name(precision_name(precision)), precision);
  }
  EXPECT_THROW(precision_from_name("fp8"), Error);
}

}  // namespace
}  // namespace sinter::convert
