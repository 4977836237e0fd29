#include "sinter/cli/memory_forecast.h"

#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kGigabyte = 1'000'000'000;
using runtime::Engine;

class MemoryForecast : public CommandTest {
 protected:
  WeightMemory unet(const std::string& out, Engine engine) const {
    return weight_memory(graph::OnnxModel::load(folder() / out / "unet/model.onnx"), "unet",
                         engine);
  }
};

TEST_F(MemoryForecast, OpenVinoKeepsWhatItConvertsTwice) {
  converted("sd1", "linked");
  converted("sd1", "packed", {"--weights", "pack"});
  const WeightMemory linked = unet("linked", Engine::kOpenVino);
  const WeightMemory packed = unet("packed", Engine::kOpenVino);
  // In a network this narrow it tells that the file pads each weight, and that the smallest weights
  // are not counted.
  const auto stored = fs::file_size(folder() / "packed/unet/model.onnx.data");
  EXPECT_LE(packed.bytes, stored);
  EXPECT_GT(packed.bytes, stored * 4 / 5);
  EXPECT_EQ(packed.packed_bytes, packed.bytes);
  const auto bytes = static_cast<double>(packed.bytes);
  EXPECT_NEAR(static_cast<double>(linked.packed_bytes), bytes, bytes / 50);
  EXPECT_NEAR(static_cast<double>(linked.bytes), 2 * bytes, bytes / 25);
  EXPECT_LT(unet("linked", Engine::kOnnxRuntime).bytes, linked.bytes);
}

TEST(MemoryWarning, NamesWhatTakesLess) {
  const std::vector<WeightMemory> graphs{{"text_encoder", kGigabyte, kGigabyte / 2},
                                         {"unet", 20 * kGigabyte, 10 * kGigabyte},
                                         {"vae_decoder", kGigabyte, kGigabyte}};
  const auto warning = [&](bool together, std::uint64_t available) {
    return memory_warning(graphs, Engine::kOpenVino, together, available).value_or("");
  };
  EXPECT_EQ(warning(false, 20 * kGigabyte), "");
  EXPECT_EQ(warning(false, 0), "") << "the system does not say";
  EXPECT_EQ(warning(false, 12 * kGigabyte),
            "the weights of unet take about 20 GB in openvino, and 12 GB of memory are available; "
            "sinter convert --weights pack --precision fp32 makes a folder with 10 GB");
  EXPECT_EQ(warning(true, 21 * kGigabyte),
            "the weights of all graphs take about 22 GB in openvino, and 21 GB of memory are "
            "available; sinter convert --weights pack --precision fp32 makes a folder with 12 GB; "
            "with one prompt at a time they are loaded one after the other");
}

TEST(MemoryWarning, WhereNothingTakesLessThereIsNoRemedy) {
  EXPECT_EQ(memory_warning({{"unet", 10 * kGigabyte, 10 * kGigabyte}}, Engine::kOpenVino, false,
                           kGigabyte)
                .value_or(""),
            "the weights of unet take about 10 GB in openvino, and 1.0 GB of memory are available");
}

}  // namespace
}  // namespace sinter::cli
