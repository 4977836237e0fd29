#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace sinter::fuzz {

/// A folder that takes the files which a fuzzed text describes: a line "--- NAME" begins one. Names
/// that are not in its table, and what stands before the first, count for nothing; "(absent)" takes
/// a file away, and files that the text leaves out have their first content again.
class TextFiles {
 public:
  using Files = std::initializer_list<std::pair<const char*, const char*>>;

  /// files: names, and what they hold at first; null: not there.
  explicit TextFiles(Files files)
      : root_(std::filesystem::temp_directory_path() /
              ("sinter-fuzz." + std::to_string(::getpid()))) {
    for (const auto& [name, text] : files) first_.emplace(name, text == nullptr ? kAbsent : text);
    std::filesystem::remove_all(root_);
    for (const auto& [name, text] : first_) put(name, text);
  }
  ~TextFiles() { std::filesystem::remove_all(root_); }
  TextFiles(const TextFiles&) = delete;
  TextFiles& operator=(const TextFiles&) = delete;

  const std::filesystem::path& root() const { return root_; }

  void take(const std::uint8_t* data, std::size_t size) {
    std::map<std::string, std::string, std::less<>> wanted = first_;
    std::string_view text(static_cast<const char*>(static_cast<const void*>(data)), size);
    while (!text.empty()) {
      const std::size_t next = text.find("\n--- ");
      const std::string_view section = text.substr(0, next);
      text.remove_prefix(next == text.npos ? text.size() : next + 1);
      const std::size_t line = section.find('\n');
      if (!section.starts_with("--- ") || line == section.npos) continue;
      const auto known = wanted.find(section.substr(4, line - 4));
      if (known != wanted.end()) known->second = section.substr(line + 1);
    }
    for (const auto& [name, content] : wanted) put(name, content);
  }

 private:
  static constexpr const char* kAbsent = "(absent)";

  // Most inputs change one file: the others are left as they are.
  void put(const std::string& name, const std::string& text) {
    std::string& present = present_.try_emplace(name, kAbsent).first->second;
    if (present == text) return;
    present = text;
    const std::filesystem::path path = root_ / name;
    if (text == kAbsent) {
      std::filesystem::remove(path);
      return;
    }
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }

  std::filesystem::path root_;
  std::map<std::string, std::string, std::less<>> first_;
  std::map<std::string, std::string, std::less<>> present_;
};

}  // namespace sinter::fuzz
