#include "sinter/precision/watched_session.h"

#include <gtest/gtest.h>

#include "tests/runtime/model_builder.h"

namespace sinter::precision {
namespace {

Tensor floats(const std::vector<float>& values) {
  return {{static_cast<std::int64_t>(values.size())}, values};
}

TEST(WatchedSession, RemembersTheLargestElementOfEveryValueOverAllRuns) {
  const TestFolder folder("sinter-watched");
  ModelBuilder builder;
  builder.input("x", DType::kF32, {"n"}).output("y", DType::kF32, {"n"});
  builder.initializer("w", floats({-3}));
  builder.node("Mul", "a/Mul", {"x", "w"}).value("a/Mul", DType::kF32, {"n"});
  builder.node("Relu", "b/Relu", {"a/Mul"}, "y");
  const auto path = builder.save(folder / "unet/model.onnx");

  Watches watches;
  const auto session = watched_sessions(watches)(path);
  ASSERT_EQ(session->outputs().size(), 1u);
  EXPECT_EQ(session->run({{"x", floats({1, 2, -4})}}).size(), 1u);
  const runtime::TensorMap last = session->run({{"x", floats({5})}});
  EXPECT_EQ(last.at("y").floats()[0], 0);

  const Watch& watch = watches.at("unet");
  EXPECT_EQ(watch.runs, 2);
  EXPECT_EQ(watch.extremes.at("x"), 5);
  EXPECT_EQ(watch.extremes.at("a/Mul"), 15);
  EXPECT_EQ(watch.extremes.at("y"), 12);
  EXPECT_EQ(watch.inputs.at("x").floats()[0], 5);
  EXPECT_EQ(watch.outputs.at("y").floats()[0], 0);
}

TEST(OnnxModel, HidesExtremesAgain) {
  ModelBuilder builder;
  builder.input("x", DType::kF32, {"n"}).output("y", DType::kF32, {"n"});
  builder.node("Relu", "a/Relu", {"x"}).value("a/Relu", DType::kF32, {"n"});
  builder.node("Relu", "b/Relu", {"a/Relu"}, "y");
  const std::string bytes = builder.bytes();
  auto model = graph::OnnxModel::parse(std::as_bytes(std::span(bytes)), "model.onnx");
  const std::vector<std::string> values{"a/Relu"};
  model.expose_extremes(values);
  model.expose(values);
  ASSERT_EQ(model.outputs().size(), 3u);
  EXPECT_EQ(model.outputs().front().name, "extreme/a/Relu");
  model.hide_exposed();
  EXPECT_EQ(model.serialized(), bytes);
}

}  // namespace
}  // namespace sinter::precision
