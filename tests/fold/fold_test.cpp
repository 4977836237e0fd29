#include "sinter/fold/fold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "sinter/base/error.h"
#include "sinter/check/check.h"
#include "tests/runtime/model_builder.h"

namespace sinter::fold {
namespace {

namespace fs = std::filesystem;

// 64 x 64 float32, 16 KiB: large enough to lie outside.
std::string numbers() {
  std::string bytes;
  for (int i = 0; i < 64 * 64; ++i) {
    const float value = static_cast<float>(i % 97) / 97.0F - 0.5F;
    char raw[4];
    std::memcpy(raw, &value, 4);
    bytes.append(raw, 4);
  }
  return bytes;
}

// y = x * (-w)^T, and another weight that stays.
ModelBuilder outside(const std::string& location) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {"batch", 64}).output("y", DType::kF32, {"batch", 64});
  builder.external("w", DType::kF32, {64, 64}, location, 8, 64 * 64 * 4);
  builder.external("v", DType::kF32, {64, 64}, location, 8, 64 * 64 * 4);
  builder.node("Transpose", "turn", {"w"}).node("Neg", "flip", {"turn"});
  builder.node("MatMul", "mm", {"x", "flip"}).node("MatMul", "mm2", {"mm", "v"}, "y");
  return builder;
}

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

class Fold : public testing::Test {
 protected:
  Fold() : folder_("fold_test") { write_file(folder_ / "in/w.bin", "12345678" + numbers()); }

  TestFolder folder_;
};

TEST_F(Fold, KeepsExternalDataWhereItIs) {
  const fs::path in = outside("w.bin").save(folder_ / "in/m.onnx");

  const FoldReport report = fold(in, folder_ / "in/folded.onnx");

  ASSERT_EQ(report.folded.size(), 1u);
  EXPECT_EQ(report.folded[0].name, "flip");
  EXPECT_EQ(report.folded[0].nodes, (std::vector<std::string>{"turn", "flip"}));
  EXPECT_EQ(report.nodes_after, 2u);
  EXPECT_TRUE(report.proof.holds());
  ASSERT_EQ(report.proof.runs.size(), 2u);
  EXPECT_TRUE(report.proof.runs[0].outputs.at(0).equal);
  EXPECT_EQ(files_in(folder_ / "in"),
            (std::vector<std::string>{"folded.onnx", "folded.onnx.data", "m.onnx", "w.bin"}));
  const graph::Outline outline = graph::read_outline(folder_ / "in/folded.onnx");
  ASSERT_EQ(outline.graph.initializers.size(), 2u);
  EXPECT_EQ(outline.graph.initializers[0].location, "w.bin");
  EXPECT_EQ(outline.graph.initializers[1].location, "folded.onnx.data");
  EXPECT_FALSE(outline.graph.initializers[1].flaw);
}

TEST_F(Fold, LinksExternalDataIntoAnotherFolder) {
  const fs::path in = outside("w.bin").save(folder_ / "in/m.onnx");
  fs::create_directories(folder_ / "out");

  fold(in, folder_ / "out/m.onnx");

  EXPECT_EQ(files_in(folder_ / "out"),
            (std::vector<std::string>{"m.onnx", "m.onnx.data", "w.bin"}));
  EXPECT_TRUE(fs::equivalent(folder_ / "in/w.bin", folder_ / "out/w.bin"));
  EXPECT_TRUE(check::check(graph::read_outline(folder_ / "out/m.onnx"), {})
                  .count(check::Severity::kError) == 0);
}

TEST_F(Fold, PacksEverythingWhenAsked) {
  const fs::path in = outside("w.bin").save(folder_ / "in/m.onnx");
  fs::create_directories(folder_ / "out");

  const FoldReport report = fold(in, folder_ / "out/m.onnx", {.pack = true});

  EXPECT_TRUE(report.proof.holds());
  EXPECT_EQ(files_in(folder_ / "out"), (std::vector<std::string>{"m.onnx", "m.onnx.data"}));
}

TEST_F(Fold, NeverTakesANameThatIsInUse) {
  const fs::path in = outside("w.bin").save(folder_ / "in/m.onnx");
  write_file(folder_ / "out/w.bin", "somebody else's");

  fold(in, folder_ / "out/m.onnx");

  EXPECT_EQ(read_text(folder_ / "out/w.bin"), "somebody else's");
  EXPECT_EQ(files_in(folder_ / "out"),
            (std::vector<std::string>{"m-w.bin", "m.onnx", "m.onnx.data", "w.bin"}));
}

TEST_F(Fold, LeavesItsInputAlone) {
  const fs::path in = outside("w.bin").save(folder_ / "in/m.onnx");
  try {
    fold(in, in);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_EQ(error.hint(), "name another file; fold leaves its input as it is");
  }
}

TEST_F(Fold, ComparesGraphsThatDrawWithTheSameNumbers) {
  const FoldReport report = fold(SINTER_TEST_DATA "/check/random.onnx", folder_ / "out.onnx");

  EXPECT_TRUE(report.proof.holds());
  EXPECT_EQ(
      check::check(graph::read_outline(folder_ / "out.onnx"), {}).count(check::Severity::kError),
      0u);
}

TEST_F(Fold, TellsGraphsApart) {
  ModelBuilder before;
  before.input("x", DType::kF32, {"batch", 4}).output("y", DType::kF32, {"batch", 4});
  ModelBuilder after = before;
  before.node("Sigmoid", "s", {"x"}, "y");
  after.node("Tanh", "s", {"x"}, "y");

  const fs::path one = before.save(folder_ / "before.onnx");
  const fs::path other = after.save(folder_ / "after.onnx");
  const Proof proof =
      prove([&] { return graph::OnnxModel::load(one); },
            [&] { return graph::OnnxModel::load(other); }, {}, [](std::string_view) {});

  EXPECT_FALSE(proof.holds());
  ASSERT_EQ(proof.runs.size(), 2u);
  EXPECT_FALSE(proof.runs[0].outputs.at(0).equal);
  EXPECT_GT(proof.runs[0].outputs.at(0).largest, 0.1);
}

TEST_F(Fold, AsksForPermissionWhereNothingRuns) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {"batch", 4}).output("y", DType::kF32, {"batch", 4});
  builder.node("Thing", "t", {"x"}, "y");
  builder.graph().mutable_node(0)->set_domain("my.ops");
  builder.set_opset("my.ops", 1);
  const fs::path in = builder.save(folder_ / "in/m.onnx");
  try {
    fold(in, folder_ / "in/out.onnx");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_EQ(error.hint(), "--unproven writes it without that");
  }
  EXPECT_EQ(files_in(folder_ / "in"), (std::vector<std::string>{"m.onnx", "w.bin"}));

  EXPECT_EQ(fold(in, folder_ / "in/out.onnx", {.unproven = true}).files.size(), 1u);
}

TEST_F(Fold, FoldsAnExportWithoutFolding) {
  const FoldReport report = fold(SINTER_TEST_DATA "/check/unet.onnx", folder_ / "unet.onnx");

  EXPECT_TRUE(report.proof.holds());
  EXPECT_EQ(report.proof.runs.size(), 2u);
  EXPECT_TRUE(report.left.empty());
  const check::Report judged = check::check(graph::read_outline(folder_ / "unet.onnx"), {});
  EXPECT_TRUE(std::ranges::find(judged.findings, "unfolded-constant", &check::Finding::rule) ==
              judged.findings.end());
  EXPECT_TRUE(report.proof.runs[0].outputs.at(0).identical);
  EXPECT_LT(report.nodes_after * 3, report.nodes_before * 2);
}

TEST_F(Fold, TheSameInputGivesTheSameBytes) {
  fold(SINTER_TEST_DATA "/check/unet.onnx", folder_ / "a.onnx");
  fold(SINTER_TEST_DATA "/check/unet.onnx", folder_ / "b.onnx");
  EXPECT_EQ(read_text(folder_ / "a.onnx"), read_text(folder_ / "b.onnx"));
}

}  // namespace
}  // namespace sinter::fold
