#include "sinter/graph/onnx_model.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <limits>
#include <string>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/base/hash.h"
#include "tests/runtime/model_builder.h"

namespace sinter::graph {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

// y = x * w with w four float32 in `location` at byte 3.
ModelBuilder scaled(const std::string& location, std::uint64_t offset = 3,
                    std::uint64_t length = 16) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {"batch", 4})
      .output("y", DType::kF32, {"batch", 4})
      .value("inner/Neg", DType::kF32, {"batch", 4})
      .external("w", DType::kF32, {4}, location, offset, length)
      .node("Neg", "inner/Neg", {"x"})
      .node("Mul", "outer/Mul", {"inner/Neg", "w"}, "y");
  return builder;
}

const std::string kWeights = "abc" + std::string(16, '\1') + "tail";

// The error that loading gives; fails when there is none.
Error error_of(const fs::path& path) {
  try {
    OnnxModel::load(path);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return Error(ErrorCode::kInternal, "");
}

TEST(OnnxModel, ListsWhatTheFileDeclares) {
  const TestFolder folder("onnx_model_lists");
  write_file(folder / "w.bin", kWeights);
  const OnnxModel model =
      OnnxModel::load(scaled("w.bin").metadata("k", "v").save(folder / "m.onnx"));

  ASSERT_EQ(model.inputs().size(), 1u);
  EXPECT_EQ(model.inputs()[0].name, "x");
  EXPECT_EQ(model.inputs()[0].shape, (std::vector<std::int64_t>{-1, 4}));
  EXPECT_EQ(model.inputs()[0].symbols, (std::vector<std::string>{"batch", ""}));
  ASSERT_EQ(model.outputs().size(), 1u);
  ASSERT_EQ(model.values().size(), 1u);
  ASSERT_EQ(model.nodes().size(), 2u);
  EXPECT_EQ(model.nodes()[1].inputs, (std::vector<std::string>{"inner/Neg", "w"}));
  EXPECT_EQ(model.metadata("k"), "v");
  EXPECT_EQ(model.metadata("other"), std::nullopt);
  EXPECT_EQ(model.compute_dtype(), DType::kF32);
}

TEST(OnnxModel, MapsSideFiles) {
  const TestFolder folder("onnx_model_maps");
  write_file(folder / "unet/parts/w.bin", kWeights);
  const OnnxModel model =
      OnnxModel::load(scaled("parts/../parts/w.bin").save(folder / "unet/model.onnx"));

  ASSERT_EQ(model.files().size(), 1u);
  EXPECT_EQ(model.files()[0].location, "parts/../parts/w.bin");
  EXPECT_EQ(as_string(model.files()[0].bytes), kWeights);
}

TEST(OnnxModel, GivesLargeWeightsAsMemoryAndPutsSmallOnesInside) {
  const TestFolder folder("onnx_model_weights");
  write_file(folder / "w.bin", "abc" + std::string(4096, '\2'));
  ModelBuilder builder = scaled("w.bin");  // 'w' has 16 bytes
  builder.external("large", DType::kF16, {2, 1024}, "w.bin", 3, 4096);
  const OnnxModel model = OnnxModel::load(builder.save(folder / "m.onnx"));

  const std::vector<Weight> weights = model.weights();
  ASSERT_EQ(weights.size(), 1u);
  EXPECT_EQ(weights[0].name, "large");
  EXPECT_EQ(weights[0].dtype, DType::kF16);
  EXPECT_EQ(weights[0].shape, (Shape{2, 1024}));
  EXPECT_EQ(weights[0].bytes.data(), model.files()[0].bytes.data() + 3);

  onnx::ModelProto proto;
  ASSERT_TRUE(proto.ParseFromString(model.serialized()));
  ASSERT_EQ(proto.graph().initializer_size(), 2);
  EXPECT_EQ(proto.graph().initializer(0).raw_data(), std::string(16, '\2'));
  EXPECT_EQ(proto.graph().initializer(0).data_location(), onnx::TensorProto::DEFAULT);
  EXPECT_EQ(proto.graph().initializer(1).external_data(0).value(), "w.bin");

  ASSERT_TRUE(proto.ParseFromString(model.serialized(WeightForm::kInputs)));
  ASSERT_EQ(proto.graph().initializer_size(), 1);
  ASSERT_EQ(proto.graph().input_size(), 2);
  EXPECT_EQ(proto.graph().input(1).name(), "large");
  EXPECT_EQ(proto.graph().input(1).type().tensor_type().shape().dim(1).dim_value(), 1024);
}

// What a graph from elsewhere could read otherwise is any file of the user.
TEST(OnnxModel, RefusesFilesOutsideItsFolder) {
  const TestFolder folder("onnx_model_outside");
  const fs::path secret = folder / "secret.bin";
  write_file(secret, kWeights);
  const fs::path path = folder / "unet/model.onnx";
  fs::create_directories(path.parent_path());
  fs::create_symlink(secret, folder / "unet/linked.bin");
  fs::create_directory_symlink(folder.path(), folder / "unet/linked");
  fs::create_directory(folder / "unet-other");
  write_file(folder / "unet-other/secret.bin", kWeights);
  for (const std::string location :
       {"../secret.bin", "parts/../../secret.bin", "linked.bin", "linked/secret.bin"}) {
    const Error error = error_of(scaled(location).save(path));
    EXPECT_EQ(error.code(), ErrorCode::kBadFile) << location;
    EXPECT_EQ(error.what(),
              fmt::format("its external data is in '{0}', which leads out of the model's folder to "
                          "{1}\n"
                          "  while locating tensor 'w'\n"
                          "  while reading {2}\n"
                          "hint: a graph may only read files beside it, or the checkpoint that "
                          "sinter linked it to; if the file is wanted, put it into the model's "
                          "folder",
                          location, fs::canonical(secret).string(), path.string()));
  }
  EXPECT_EQ(error_of(scaled(secret.string()).save(path)).code(), ErrorCode::kBadFile);
  EXPECT_EQ(error_of(scaled("../unet-other/secret.bin").save(path)).code(), ErrorCode::kBadFile);
  EXPECT_EQ(error_of(scaled("w\0.bin"s).save(path)).message(),
            "its external data is in 'w\0.bin', which is no name of a file"s);
  // A link that stays in the folder is as good as a file.
  write_file(folder / "unet/w.bin", kWeights);
  fs::create_symlink("w.bin", folder / "unet/name.bin");
  EXPECT_EQ(as_string(OnnxModel::load(scaled("name.bin").save(path)).files()[0].bytes), kWeights);
}

// Everywhere that a tensor can stand: an engine would open what is not looked at here.
TEST(OnnxModel, LooksForSideFilesInEveryPlaceOfATensor) {
  const TestFolder folder("onnx_model_places");
  write_file(folder / "secret.bin", kWeights);
  const fs::path path = folder / "unet/model.onnx";
  const std::function<onnx::TensorProto&(onnx::GraphProto&)> places[] = {
      [](onnx::GraphProto& g) -> auto& { return *g.add_sparse_initializer()->mutable_values(); },
      [](onnx::GraphProto& g) -> auto& { return *g.add_sparse_initializer()->mutable_indices(); },
      [](onnx::GraphProto& g) -> auto& { return *g.add_node()->add_attribute()->mutable_t(); },
      [](onnx::GraphProto& g) -> auto& {
        return *g.add_node()->add_attribute()->mutable_sparse_tensor()->mutable_values();
      },
      [](onnx::GraphProto& g) -> auto& {
        return *g.add_node()->add_attribute()->mutable_g()->add_initializer();
      },
  };
  for (const auto& place : places) {
    ModelBuilder builder = scaled("w.bin");
    onnx::GraphProto& graph = builder.graph();
    onnx::TensorProto tensor = graph.initializer(0);
    graph.clear_initializer();
    tensor.mutable_external_data(0)->set_value("../secret.bin");
    place(graph) = tensor;
    EXPECT_EQ(error_of(builder.save(path)).code(), ErrorCode::kBadFile);
  }
}

TEST(OnnxModel, PutsATensorThatOnlyHasTheNameOfAWeightInside) {
  const TestFolder folder("onnx_model_namesake");
  write_file(folder / "w.bin", "abc" + std::string(4096, '\2'));
  ModelBuilder builder = scaled("w.bin");
  builder.external("large", DType::kF16, {2, 1024}, "w.bin", 3, 4096);
  *builder.graph().add_node()->add_attribute()->mutable_t() = builder.graph().initializer(1);
  const OnnxModel model = OnnxModel::load(builder.save(folder / "m.onnx"));
  onnx::ModelProto proto;
  ASSERT_TRUE(proto.ParseFromString(model.serialized()));
  EXPECT_EQ(proto.graph().initializer(1).data_location(), onnx::TensorProto::EXTERNAL);
  EXPECT_EQ(proto.graph().node(2).attribute(0).t().raw_data(), std::string(4096, '\2'));
}

TEST(OnnxModel, ExposesInnerValuesAndTakesThemBack) {
  const TestFolder folder("onnx_model_exposes");
  write_file(folder / "w.bin", kWeights);
  OnnxModel model = OnnxModel::load(scaled("w.bin").save(folder / "m.onnx"));
  const std::vector<std::string> inner{"inner/Neg", "inner/Neg"};
  model.expose(inner);
  ASSERT_EQ(model.outputs().size(), 2u);
  EXPECT_EQ(model.outputs()[1].name, "inner/Neg");
  model.hide_exposed();
  EXPECT_EQ(model.outputs().size(), 1u);
  EXPECT_THROW(model.expose(std::vector<std::string>{"nothing"}), Error);
}

TEST(OnnxModel, FindsTheCoarsestComputeType) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {1}).output("y", DType::kF32, {1});
  const auto dtype_of = [](const ModelBuilder& built) {
    const std::string bytes = built.bytes();
    return OnnxModel::parse(std::as_bytes(std::span(bytes)), "m.onnx").compute_dtype();
  };
  EXPECT_EQ(dtype_of(builder), DType::kF32);
  builder.value("a", DType::kF32, {1}).node("Add", "a", {"x", "x"});
  // Weights that are only stored, and rows that are only moved, in half precision do not count.
  builder.initializer("w", Tensor(DType::kF16, {1}));
  builder.value("rows", DType::kF16, {1}).node("Gather", "rows", {"w", "ids"});
  EXPECT_EQ(dtype_of(builder), DType::kF32);
  builder.value("b", DType::kF16, {1}).node("Mul", "b", {"rows", "rows"});
  EXPECT_EQ(dtype_of(builder), DType::kF16);
}

TEST(OnnxModel, NamesTheMissingSideFile) {
  const TestFolder folder("onnx_model_missing");
  const fs::path path = scaled("model.onnx_data").save(folder / "model.onnx");
  const Error error = error_of(path);
  EXPECT_EQ(error.code(), ErrorCode::kIo);
  EXPECT_EQ(error.what(),
            fmt::format("the weights of {0} are in 'model.onnx_data', and there is no {1}\n"
                        "  while reading {0}\n"
                        "hint: an ONNX model with external data is several files; put them all "
                        "into one folder",
                        path.string(), (folder / "model.onnx_data").string()));
}

TEST(OnnxModel, RefusesRangesOutsideTheSideFile) {
  const TestFolder folder("onnx_model_range");
  write_file(folder / "w.bin", kWeights);
  const fs::path path = scaled("w.bin", 8).save(folder / "m.onnx");
  const Error error = error_of(path);
  EXPECT_EQ(error.code(), ErrorCode::kBadFile);
  EXPECT_EQ(error.message(),
            "its external data is 16 bytes at offset 8 of 'w.bin', which has only 23 bytes");
  EXPECT_EQ(error.context()[0], "locating tensor 'w'");

  // An offset that wraps around when the length is added.
  EXPECT_EQ(error_of(scaled("w.bin", ~std::uint64_t{0} - 7).save(path)).code(),
            ErrorCode::kBadFile);
  EXPECT_EQ(error_of(scaled("w.bin", 3, 12).save(path)).message(),
            "its external data has 12 bytes, expected 16 for its shape and type");
}

// The number of bytes wraps to the 4096 that are there.
TEST(OnnxModel, RefusesShapesWhoseBytesWrap) {
  const TestFolder folder("onnx_model_wraps");
  write_file(folder / "w.bin", std::string(4096, '\2'));
  ModelBuilder builder;
  builder.external("w", DType::kF64, {(std::int64_t{1} << 61) + 512}, "w.bin", 0, 4096);
  EXPECT_EQ(error_of(builder.save(folder / "m.onnx")).message(),
            "the shape [2305843009213694464] of float64 is beyond what memory can hold");
}

TEST(OnnxModel, RefusesAddressesThatAFileBrings) {
  const TestFolder folder("onnx_model_address");
  const Error error = error_of(scaled("*/_ORT_MEM_ADDR_/*", 4096).save(folder / "m.onnx"));
  EXPECT_EQ(error.code(), ErrorCode::kBadFile);
  EXPECT_EQ(error.message(), "its external data is a memory address, not a file");
}

TEST(OnnxModel, SaysWhatADamagedFileProbablyIs) {
  const TestFolder folder("onnx_model_damaged");
  const fs::path path = folder / "m.onnx";
  const struct {
    std::string bytes;
    std::string hint;
  } rows[] = {
      {"", "the download or export may have stopped early"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
       "this is a Git LFS pointer; fetch the real file (git lfs pull)"},
      {"<!doctype html>",
       "this looks like a web page saved in place of the file; download it again"},
  };
  for (const auto& row : rows) {
    write_file(path, row.bytes);
    const Error error = error_of(path);
    EXPECT_EQ(error.code(), ErrorCode::kBadFile);
    EXPECT_EQ(error.hint(), row.hint);
  }
  // Every cut of a good file is refused or still a model; never anything but an Error.
  write_file(folder / "w.bin", kWeights);
  const std::string whole = scaled("w.bin").bytes();
  int refused = 0;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    try {
      OnnxModel::parse(std::as_bytes(std::span(whole).first(length)), path);
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(OnnxModel, RefusesFilesBeyondWhatProtobufCanHold) {
  const TestFolder folder("onnx_model_large");
  const fs::path path = folder / "m.onnx";
  write_file(path, "x");
  fs::resize_file(path, (std::uintmax_t{1} << 31) + 5);  // sparse: takes no space
  const Error error = error_of(path);
  EXPECT_EQ(error.code(), ErrorCode::kBadFile);
  EXPECT_NE(error.message().find("2147483653 bytes, more than the 2147483647"), std::string::npos)
      << error.message();
}

class LinkedModel : public testing::Test {
 protected:
  LinkedModel() : folder_("onnx_model_linked") {
    write_file(source(), text_.whole);
    record_ = record_of(source(), "../source.safetensors", text_);
  }

  fs::path source() const { return folder_ / "out/source.safetensors"; }
  fs::path save() const {
    return scaled(record_.location, text_.header_bytes)
        .link(record_)
        .save(folder_ / "out/unet/model.onnx");
  }

  const SafetensorsText text_{std::string(16, '\1')};
  TestFolder folder_;
  LinkRecord record_;
};

TEST_F(LinkedModel, LoadsWhileTheSourceIsWhatItWas) {
  EXPECT_EQ(as_string(OnnxModel::load(save()).files()[0].bytes), text_.whole);
  EXPECT_EQ(link_record_from_json(to_json(record_)), record_);
}

TEST_F(LinkedModel, RefusesASourceOfAnotherTimeSizeOrHeader) {
  LinkRecord good = record_;
  record_.modified_ns += 1;
  EXPECT_EQ(error_of(save()).code(), ErrorCode::kSourceChanged);
  record_ = good;
  record_.bytes += 1;
  EXPECT_EQ(error_of(save()).code(), ErrorCode::kSourceChanged);
  record_ = good;
  record_.header_sha256[0] = record_.header_sha256[0] == '0' ? '1' : '0';
  EXPECT_EQ(error_of(save()).code(), ErrorCode::kSourceChanged);
  record_ = good;
  record_.header_bytes += 1;
  EXPECT_EQ(error_of(save()).code(), ErrorCode::kSourceChanged);
}

TEST_F(LinkedModel, TakesAbsoluteLocations) {
  record_.location = source().string();
  EXPECT_EQ(as_string(OnnxModel::load(save()).files()[0].bytes), text_.whole);
}

// A record that knows all about a file that is no checkpoint: the size, the time, and the hash of
// as many bytes as it likes.
TEST_F(LinkedModel, RefusesAForgedRecordOfAnyOtherFile) {
  const std::string secret = "root:x:0:0:root:/root:/bin/bash\n";
  write_file(source(), secret);
  record_.bytes = secret.size();
  record_.modified_ns = file_stamp(source()).modified_ns;
  for (const std::size_t length : {std::size_t{0}, std::size_t{5}, secret.size()}) {
    record_.header_bytes = length;
    record_.header_sha256 = sha256_hex(std::as_bytes(std::span(secret).first(length)));
    const Error error = error_of(save());
    EXPECT_EQ(error.code(), ErrorCode::kSourceChanged);
    EXPECT_NE(error.message().find(" recorded, no header of weights found  <-"), std::string::npos)
        << error.what();
  }
}

TEST_F(LinkedModel, QuotesWhatCameWithTheGraphInItsHint) {
  record_.source = "/models/it's\n$(here).safetensors";
  record_.bytes += 1;
  EXPECT_EQ(error_of(save()).hint(),
            fmt::format("put the old file back, or convert again: sinter convert "
                        "'/models/it'\\''s?$(here).safetensors' '{}'",
                        (folder_ / "out").string()));
}

TEST_F(LinkedModel, SaysWhatWasRecordedAndWhatIsThere) {
  record_.modified_ns = 1'700'000'000'000'000'005;
  record_.bytes = 99;
  const std::chrono::nanoseconds found(1'800'000'000'000'000'000);
  fs::last_write_time(source(), std::chrono::file_clock::from_sys(
                                    std::chrono::sys_time<std::chrono::nanoseconds>(found)));
  const fs::path path = save();
  EXPECT_EQ(error_of(path).what(),
            fmt::format("{0} takes its weights from {1}, which is not the file that was linked\n"
                        "  linked from   /models/source.safetensors\n"
                        "  bytes         99 recorded, {4} found  <-\n"
                        "  modified      2023-11-14T22:13:20.000000005Z recorded, "
                        "2027-01-15T08:00:00.000000000Z found  <-\n"
                        "  header sha256 {2} recorded, {2} found\n"
                        "  while reading {0}\n"
                        "hint: put the old file back, or convert again: sinter convert "
                        "'/models/source.safetensors' '{3}'",
                        path.string(), source().string(), record_.header_sha256,
                        (folder_ / "out").string(), text_.whole.size()));
}

TEST_F(LinkedModel, SaysWhereAMovedSourceWas) {
  const fs::path path = save();
  fs::remove(source());
  const Error error = error_of(path);
  EXPECT_EQ(error.code(), ErrorCode::kIo);
  EXPECT_EQ(error.hint(),
            fmt::format("the checkpoint was moved or deleted (it was /models/source.safetensors); "
                        "put it back, or convert again: sinter convert "
                        "'/models/source.safetensors' '{}'",
                        (folder_ / "out").string()));
}

TEST_F(LinkedModel, TellsTimesAtTheEndsOfTheClock) {
  record_.modified_ns = std::numeric_limits<std::int64_t>::min();
  EXPECT_NE(error_of(save()).message().find("1677-09-21T00:12:43.145224192Z recorded"),
            std::string::npos);
  record_.modified_ns = -1;
  EXPECT_NE(error_of(save()).message().find("1969-12-31T23:59:59.999999999Z recorded"),
            std::string::npos);
}

TEST_F(LinkedModel, RefusesADamagedRecord) {
  const std::string good = to_json(record_);
  const auto message = [&](const std::string& json) {
    const Error error = error_of(scaled("../source.safetensors")
                                     .metadata("sinter.link.0", json)
                                     .save(folder_ / "out/unet/model.onnx"));
    EXPECT_EQ(error.code(), ErrorCode::kBadFile);
    return error.message();
  };
  const auto with_bytes = [&](const std::string& value) {
    const std::string key = "\"bytes\":";
    std::string json = good;
    const std::size_t at = json.find(key) + key.size();
    return json.replace(at, json.find(',', at) - at, value);
  };
  EXPECT_TRUE(message("{\"location\": 5}").starts_with("the record of a linked file is damaged: "));
  EXPECT_EQ(message(with_bytes("-1")),
            "the record of a linked file is damaged: 'bytes' is -1, expected a whole number");
  EXPECT_EQ(message(with_bytes("1e300")),
            "the record of a linked file is damaged: 'bytes' is 1e+300, expected a whole number");
}

}  // namespace
}  // namespace sinter::graph
