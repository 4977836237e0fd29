#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sinter::cli {

/// A program to run, and how its surroundings are arranged.
struct Invocation {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::filesystem::path directory = ".";
  std::map<std::string, std::string> environment = {};  // in place of, or beside, our own
  std::optional<std::uint64_t> largest_file = {};       // bytes that a file may grow to
  std::optional<std::chrono::microseconds> kill_after = {};
  std::optional<int> closed_stream = {};  // the number of a standard stream that is not there
  std::filesystem::path output_to = {};   // standard output goes there instead of `out`
  bool output_unread = false;             // a pipe whose reader has gone
};

/// What became of it.
struct Ended {
  int status = -1;  // of exit
  int signal = 0;   // that ended it, or 0
  std::string out;
  std::string err;
};

/// Runs a program to its end.
Ended run(const Invocation& invocation);

}  // namespace sinter::cli
