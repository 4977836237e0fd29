// Memory logs on the command line; what is recognised is tested in tests/diagnose.
#include <fstream>

#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace {

std::string log(const std::string& name) {
  return std::string(SINTER_TEST_DATA) + "/diagnose/memlog/" + name + ".log";
}

class Memlog : public CommandTest {};

TEST_F(Memlog, SaysWhatTheLogShowsWithItsLines) {
  const Ended ended = sinter({"memlog", log("leak")});
  EXPECT_EQ(ended.status, 1);
  EXPECT_TRUE(ended.out.starts_with("leak: ")) << ended.out;
  EXPECT_NE(ended.out.find("first failing round: 17\n"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("     3 | it 1: torch.cuda.memory_allocated() "), std::string::npos);
  EXPECT_EQ(sinter({"memlog", log("warm")}).status, 0);
}

TEST_F(Memlog, JsonIsDocumented) {
  for (const char* name :
       {"leak", "warm", "many-sizes", "to-device", "decode", "two-checkpoints", "smi"})
    expect_documented("memlog",
                      json({"memlog", log(name)},
                           std::string(name) == "warm" || std::string(name) == "smi" ? 0 : 1));
}

TEST_F(Memlog, ALogWithoutMemoryIsBadInput) {
  std::ofstream(folder() / "other.log") << "ValueError: no such scheduler\n";
  const Ended other = sinter({"memlog", "other.log"});
  EXPECT_EQ(other.status, 3);
  EXPECT_TRUE(other.err.starts_with("error: other.log says nothing about GPU memory\nhint: "))
      << other.err;
  EXPECT_EQ(sinter({"memlog", "absent.log"}).status, 3);
}

}  // namespace
}  // namespace sinter::cli
