#include "tests/check/checked.h"

namespace sinter::check {
namespace {

ModelBuilder with_external(const std::string& location, std::uint64_t offset,
                           std::uint64_t length) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {4}).output("y", DType::kF32, {4});
  builder.external("w", DType::kF32, {4}, location, offset, length);
  builder.node("Add", "sum", {"x", "w"}, "y");
  return builder;
}

class Data : public testing::Test {
 protected:
  Data() { write_file(folder_ / "model/w.bin", std::string(20, '\1')); }

  Lines found(const ModelBuilder& builder) const {
    return checked(graph::read_outline(builder.save(folder_ / "model/m.onnx")),
                   {.target = Target::kOrtCpu});
  }

  TestFolder folder_{"check_data"};
};

TEST_F(Data, TakesWhatIsThere) { EXPECT_EQ(found(with_external("w.bin", 4, 16)), Lines()); }

TEST_F(Data, TellsAMissingFile) {
  EXPECT_EQ(found(with_external("lost.bin", 0, 16)),
            Lines{fmt::format("error external-missing w: the weights of {0}/m.onnx are in "
                              "'lost.bin', and there is no {0}/lost.bin",
                              (folder_ / "model").string())});
}

TEST_F(Data, TellsAFileOutside) {
  write_file(folder_ / "w.bin", std::string(20, '\1'));

  EXPECT_EQ(found(with_external("../w.bin", 0, 16)),
            Lines{fmt::format("error external-outside w: its external data is in '../w.bin', which "
                              "leads out of the model's folder to {}",
                              std::filesystem::canonical(folder_ / "w.bin").string())});
}

TEST_F(Data, TellsRangesBeyondTheFile) {
  EXPECT_EQ(found(with_external("w.bin", 8, 16)),
            Lines{"error external-range w: its external data is 16 bytes at offset 8 of 'w.bin', "
                  "which has only 20 bytes"});
}

TEST_F(Data, TellsAnotherLength) {
  EXPECT_EQ(
      found(with_external("w.bin", 0, 12)),
      Lines{"error external-range w: its external data has 12 bytes, expected 16 for its shape "
            "and type"});
}

TEST_F(Data, TellsNoPlace) {
  EXPECT_EQ(found(with_external("", 0, 16)),
            Lines{"error external-entry w: its external data names no file"});
}

TEST_F(Data, TellsDataOfAnotherShape) {
  ModelBuilder builder = with_external("w.bin", 0, 16);
  onnx::TensorProto& tensor = *builder.graph().mutable_initializer(0);
  tensor.clear_external_data();
  tensor.clear_data_location();
  tensor.set_raw_data("12345678");
  EXPECT_EQ(found(builder),
            Lines{"error tensor-payload w: it has 8 bytes, expected 16 for its shape "
                  "and type"});

  tensor.clear_raw_data();
  tensor.add_float_data(1);
  EXPECT_EQ(found(builder),
            Lines{"error tensor-payload w: it has 1 numbers, expected 4 for its shape"});
}

TEST_F(Data, TellsAChangedCheckpoint) {
  const SafetensorsText text(std::string(16, '\1'));
  write_file(folder_ / "model/c.safetensors", text.whole);
  ModelBuilder builder = with_external("c.safetensors", text.header_bytes, 16);
  builder.link(record_of(folder_ / "model/c.safetensors", "c.safetensors", text));
  EXPECT_EQ(found(builder), Lines());

  write_file(folder_ / "model/c.safetensors", text.whole + "more");
  const Lines lines = found(builder);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].substr(0, 24), "error external-changed w");
}

}  // namespace
}  // namespace sinter::check
