#include "sinter/cli/log_input.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "sinter/base/error.h"

namespace sinter::cli {

LogInput::LogInput(const std::string& path) {
  if (path == "-") {
    read_.assign(std::istreambuf_iterator<char>(std::cin), {});
    text_ = read_;
  } else if (std::filesystem::is_regular_file(path) || !std::filesystem::exists(path) ||
             std::filesystem::is_directory(path)) {
    file_ = std::make_unique<MappedFile>(path);
    text_ = {reinterpret_cast<const char*>(file_->bytes().data()), file_->bytes().size()};
  } else {
    std::ifstream pipe(path, std::ios::binary);
    if (!pipe) throw Error(ErrorCode::kIo, fmt::format("cannot open {}", path));
    read_.assign(std::istreambuf_iterator<char>(pipe), {});
    text_ = read_;
  }
}

}  // namespace sinter::cli
