// Results on standard output, progress on standard error, whatever those are.
#include <csignal>
#include <filesystem>

#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

class Streams : public CommandTest {
 protected:
  void SetUp() override { stand_in("sd1"); }
};

TEST_F(Streams, ProgressIsNotAResult) {
  const nlohmann::json report =
      json({"generate", "sd1.safetensors", "-p", "a", "-W", "64", "-H", "64", "--steps", "2",
            "--engine", "onnxruntime", "-o", "a.png"});
  EXPECT_EQ(report["pictures"].size(), 1u) << "JSON alone on standard output";
}

TEST_F(Streams, AReaderThatGoesEndsTheProgramQuietly) {
  Invocation inspect = command({"inspect", "sd1.safetensors"});
  inspect.output_unread = true;
  const Ended ended = run(inspect);
  EXPECT_EQ(ended.signal, SIGPIPE);
  EXPECT_EQ(ended.err, "");
}

TEST_F(Streams, AFullOutputIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  Invocation inspect = command({"inspect", "sd1.safetensors"});
  inspect.output_to = "/dev/full";
  expect_error(run(inspect), 3,
               "error: cannot write to standard output: No space left on device\n");
  inspect.arguments.emplace_back("--json");
  expect_error(run(inspect), 3,
               "error: cannot write to standard output: No space left on device\n");
}

// A closed stream's number must not become that of a file that is written.
TEST_F(Streams, ClosedStreamsHarmNothing) {
  for (const int stream : {0, 1, 2}) {
    Invocation convert = command({"convert", "sd1.safetensors", "out"});
    convert.closed_stream = stream;
    EXPECT_EQ(run(convert).status, 0) << stream;
    const Ended verified =
        sinter({"verify", "out/text_encoder/model.onnx", "--against", "onnxruntime"});
    EXPECT_EQ(verified.status, 0) << stream << ": " << verified.err;
    fs::remove_all(folder() / "out");
  }
}

}  // namespace
}  // namespace sinter::cli
