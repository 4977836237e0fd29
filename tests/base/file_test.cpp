#include "sinter/base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <functional>

#include "sinter/base/error.h"
#include "sinter/base/shared_library.h"

namespace sinter {
namespace {
namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / fmt_name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string fmt_name() {
    return std::string("sinter-file-") +
           testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

TEST_F(FileTest, AnUncommittedFileLeavesNothing) {
  { AtomicFile(folder_ / "a.txt").write("half"); }
  EXPECT_EQ(entries(), 0u);
}

TEST_F(FileTest, ACommittedFileReplacesTheOldOne) {
  std::ofstream(folder_ / "a.txt") << "old";
  AtomicFile file(folder_ / "a.txt");
  file.write("new");
  EXPECT_EQ(read_text(folder_ / "a.txt"), "old");
  file.commit();
  EXPECT_EQ(read_text(folder_ / "a.txt"), "new");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, WhatAKilledWriterLeftIsSweptByTheNext) {
  const pid_t child = ::fork();
  if (child == 0) {
    AtomicFile file(folder_ / "a.txt");
    file.write("half");
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(fs::exists(folder_ / "a.txt"));
  EXPECT_EQ(entries(), 1u);
  AtomicFile file(folder_ / "a.txt");
  file.write("whole");
  file.commit();
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, AFileSizeLimitIsAClearError) {
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 1000, .rlim_max = old.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  try {
    AtomicFile file(folder_ / "a.bin");
    file.write(std::string(5000, 'x'));
    ADD_FAILURE() << "the limit was not noticed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kIo);
    EXPECT_NE(error.message().find("a.bin"), std::string::npos) << error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(entries(), 0u);
}

TEST_F(FileTest, ADeviceIsWrittenToAndStaysOne) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  AtomicFile file(pipe);
  file.write("text");
  file.commit();
  std::string buffer(8, ' ');
  EXPECT_EQ(::read(reader, buffer.data(), buffer.size()), 4);
  EXPECT_TRUE(fs::is_fifo(pipe));
  ::close(reader);
}

TEST_F(FileTest, ALinkKeepsLeadingToTheFile) {
  std::ofstream(folder_ / "real") << "old";
  fs::create_symlink("real", folder_ / "link");
  AtomicFile file(folder_ / "link");
  file.write("new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_text(folder_ / "real"), "new");
}

TEST_F(FileTest, AFolderAppearsWholeAndReplacesInOneStep) {
  for (const std::string text : {"first", "second"}) {
    AtomicFolder out(folder_ / "out");
    std::ofstream(out.staging() / "x") << text;
    out.commit();
    EXPECT_EQ(read_text(folder_ / "out" / "x"), text);
  }
  EXPECT_EQ(entries(), 1u);
}

TEST_F(FileTest, AnUncommittedFolderLeavesNothing) {
  { AtomicFolder out(folder_ / "out/"); }
  EXPECT_EQ(entries(), 0u);
}

TEST_F(FileTest, AMissingFileIsNamed) {
  try {
    MappedFile file(folder_ / "nothing.bin");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("nothing.bin: No such file"), std::string::npos) << error.what();
  }
}

TEST_F(FileTest, MapsTheWholeFileAndAnEmptyOne) {
  std::ofstream(folder_ / "a") << "abc";
  std::ofstream(folder_ / "empty");
  EXPECT_EQ(MappedFile(folder_ / "a").bytes().size(), 3u);
  EXPECT_TRUE(MappedFile(folder_ / "empty").bytes().empty());
}

TEST_F(FileTest, APrivateFolderIsTheUsersAlone) {
  const fs::path own = folder_ / "own";
  make_private_folder(own);
  EXPECT_EQ(fs::status(own).permissions(), fs::perms::owner_all);
  EXPECT_NO_THROW(make_private_folder(own)) << "found again";
  const auto message = [](const fs::path& path) {
    try {
      make_private_folder(path);
    } catch (const Error& error) {
      return error.message();
    }
    return std::string("no error");
  };
  fs::permissions(own, fs::perms::owner_all | fs::perms::others_exec);
  EXPECT_EQ(message(own),
            own.string() + " is open to other users, expected a folder of this user's alone");
  fs::permissions(own, fs::perms::owner_all);
  const fs::path link = folder_ / "link";
  fs::create_directory_symlink("own", link);
  EXPECT_EQ(message(link),
            link.string() + " is a symbolic link, expected a folder of this user's alone");
  const fs::path file = folder_ / "file";
  std::ofstream(file) << "text";
  EXPECT_EQ(message(file), file.string() + " is no folder, expected a folder of this user's alone");
  EXPECT_EQ(
      message(folder_ / "nowhere" / "own"),
      "cannot create " + (folder_ / "nowhere" / "own").string() + ": No such file or directory");
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a folder of another user's";
  ASSERT_EQ(::chown(own.c_str(), 65534, 65534), 0);
  EXPECT_EQ(message(own),
            own.string() + " is user 65534's, expected a folder of this user's alone");
}

TEST_F(FileTest, AHardLinkIsAnotherNameOfTheFile) {
  std::ofstream(folder_ / "a") << "text";
  EXPECT_EQ(hard_link(folder_ / "a", folder_ / "b"), HardLink::kMade);
  EXPECT_EQ(fs::hard_link_count(folder_ / "a"), 2u);
  // A name that is taken is no property of the disk.
  try {
    hard_link(folder_ / "a", folder_ / "b");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "cannot link " + (folder_ / "b").string() + ": File exists");
  }
}

TEST_F(FileTest, AHardLinkDoesNotReachAnotherDisk) {
  EXPECT_EQ(hard_link("/proc/version", folder_ / "b"), HardLink::kOtherDisk);
}

TEST_F(FileTest, AHardLinkOfAnotherUsersFileMayBeForbidden) {
  std::string protection;
  std::ifstream("/proc/sys/fs/protected_hardlinks") >> protection;
  if (::geteuid() != 0 || protection != "1")
    GTEST_SKIP() << "needs a root that can become someone else, and fs.protected_hardlinks";
  std::ofstream(folder_ / "a") << "text";
  fs::permissions(folder_, fs::perms::all);
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    if (::setuid(kNobody) != 0) ::_exit(100);
    ::_exit(static_cast<int>(hard_link(folder_ / "a", folder_ / "b")));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(HardLink::kNotPermitted));
}

// Named pipes are the worst of them: whoever opens one waits for its writer.
TEST_F(FileTest, WhatIsNoFileIsRefusedAndNeverWaitedFor) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  const int unbound = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string socket = (folder_ / "socket").string();
  ASSERT_LT(socket.size(), sizeof address.sun_path);
  std::ranges::copy(socket, address.sun_path);
  ASSERT_EQ(::bind(unbound, static_cast<sockaddr*>(static_cast<void*>(&address)), sizeof address),
            0);
  ::close(unbound);
  const std::pair<fs::path, std::string> others[] = {{folder_ / "pipe", "a named pipe"},
                                                     {socket, "a socket"},
                                                     {"/dev/zero", "a device"},
                                                     {folder_, "a folder"}};
  for (const auto& [path, kind] : others) {
    const std::string expected = path.string() + " is " + kind + ", expected a file";
    const std::function<void()> readers[] = {[&] { MappedFile file(path); },
                                             [&] { read_text(path); }, [&] { file_stamp(path); },
                                             [&] { SharedLibrary library(path); }};
    for (const auto& read : readers) {
      try {
        read();
        ADD_FAILURE() << path << " was read";
      } catch (const Error& error) {
        EXPECT_EQ(error.what(), expected);
        EXPECT_EQ(error.code(), ErrorCode::kIo);
      }
    }
  }
}

}  // namespace
}  // namespace sinter
