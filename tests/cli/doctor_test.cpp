// The doctor on the command line; what is found is tested in tests/diagnose.
#include <fstream>

#include "tests/cli/command_test.h"

namespace sinter::cli {
namespace {

namespace fs = std::filesystem;

const std::string kPasted = std::string(SINTER_TEST_DATA) + "/diagnose/environment/collect_env.txt";

class Doctor : public CommandTest {
 protected:
  /// An environment with these two packages in the test's folder.
  void make_environment(const std::string& torch, const std::string& torchvision) const {
    const fs::path site = folder() / "env/lib/python3.10/site-packages";
    fs::remove_all(folder() / "env");
    for (const auto& [name, version] :
         {std::pair<std::string, std::string>("torch", torch), {"torchvision", torchvision}}) {
      fs::create_directories(site / (name + "-" + version + ".dist-info"));
      std::ofstream(site / (name + "-" + version + ".dist-info") / "METADATA")
          << "Name: " << name << "\nVersion: " << version << "\n";
    }
  }
};

TEST_F(Doctor, SaysWhatDoesNotFitAndHowToRepairIt) {
  const Ended ended = sinter({"doctor", "--collect-env", kPasted});
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.out.find("error: torch 2.3.1+cu121 needs torchvision ==0.18.*, but torchvision "
                           "0.17.2+cu121 is installed\n"),
            std::string::npos)
      << ended.out;
  // What has been said once is not said again.
  const std::string install =
      "  $ python -m pip install \"torch==2.3.1\" \"torchvision==0.18.*\" --index-url "
      "https://download.pytorch.org/whl/cu118\n";
  EXPECT_NE(ended.out.find(install), std::string::npos) << ended.out;
  EXPECT_EQ(ended.out.find(install), ended.out.rfind(install)) << ended.out;
  EXPECT_NE(ended.out.find("  repaired by the commands above\n"), std::string::npos) << ended.out;
}

TEST_F(Doctor, SpeaksChinese) {
  const Ended ended = sinter({"doctor", "--collect-env", kPasted, "--lang", "zh"});
  EXPECT_NE(ended.out.find("错误：torch 2.3.1+cu121 需要 torchvision ==0.18.*"), std::string::npos)
      << ended.out;
}

TEST_F(Doctor, JsonIsDocumented) {
  expect_documented("doctor", json({"doctor", "--collect-env", kPasted}, 1));
  make_environment("2.1.0", "0.16.0");
  const Ended ended = sinter({"doctor", "--python", "env", "--lock", "lock.json", "--json"});
  expect_documented("doctor", nlohmann::json::parse(ended.out));
}

TEST_F(Doctor, TellsWhatHasChangedSinceTheLock) {
  make_environment("2.1.0", "0.16.0");
  EXPECT_LE(sinter({"doctor", "--python", "env", "--lock", "lock.json"}).status, 1);
  EXPECT_NE(sinter({"doctor", "--python", "env", "--against", "lock.json"})
                .out.find("Nothing has changed"),
            std::string::npos);
  make_environment("2.2.0", "0.16.0");
  const Ended ended = sinter({"doctor", "--python", "env", "--against", "lock.json"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.out.find(" torch: 2.1.0 -> 2.2.0\n"), std::string::npos) << ended.out;
}

TEST_F(Doctor, RefusesOtherFiles) {
  std::ofstream(folder() / "other.txt") << "{}";
  EXPECT_EQ(sinter({"doctor", "--collect-env", "other.txt"}).status, 3);
  const Ended against = sinter({"doctor", "--against", "other.txt"});
  EXPECT_EQ(against.status, 3);
  EXPECT_EQ(against.err,
            "error: this is not an environment file of sinter: sinter_environment should be there, "
            "and is missing\n  while reading other.txt\n"
            "hint: write one with `sinter doctor --lock env.json`, and later give --against "
            "env.json\n");
  EXPECT_EQ(sinter({"doctor", "--python", "nowhere"}).status, 3);
  EXPECT_EQ(sinter({"doctor", "--python", "a", "--collect-env", "b"}).status, 2);
}

}  // namespace
}  // namespace sinter::cli
