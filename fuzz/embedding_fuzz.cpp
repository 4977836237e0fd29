// Any bytes as the file of a textual inversion embedding, put behind a small token table: reading
// may refuse them, but only with sinter::Error, and what it takes fits the table.

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "sinter/adapters/embedding/textual_inversion.h"
#include "sinter/base/error.h"

namespace {
namespace fs = std::filesystem;

void write(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// A checkpoint with a table of two rows of two numbers.
class Base {
 public:
  Base()
      : root_(fs::temp_directory_path() / ("sinter-fuzz-embedding." + std::to_string(getpid()))) {
    fs::create_directories(root_);
    constexpr std::string_view kHeader =
        R"({"t":{"dtype":"F16","shape":[2,2],"data_offsets":[0,8]}})";
    std::string file(8, '\0');
    file[0] = static_cast<char>(kHeader.size());
    write(root_ / "base.safetensors", file + std::string(kHeader) + std::string(8, '\0'));
    checkpoint_ = sinter::weights::Checkpoint::open(root_ / "base.safetensors");
    sinter::arch::Component text{};
    text.name = "text_encoder";
    text.weights.add("text_model.embeddings.token_embedding.weight", {checkpoint_->find("t")});
    model_.components.push_back(std::move(text));
  }
  ~Base() { fs::remove_all(root_); }

  void put(std::string_view bytes) const {
    const fs::path path = root_ / "embedding.safetensors";
    write(path, bytes);
    std::vector<sinter::adapters::EmbeddingFile> files;
    files.push_back({"<x>", sinter::weights::Checkpoint::open(path)});
    for (const auto& table : extend_token_tables(*checkpoint_, model_, files).tables) {
      std::size_t given = 0;
      table.write([&](std::span<const std::byte> piece) { given += piece.size(); });
      if (given != static_cast<std::size_t>(sinter::element_count(table.shape)) *
                       sinter::dtype_bytes(table.dtype))
        std::abort();
    }
  }

 private:
  fs::path root_;
  std::optional<sinter::weights::Checkpoint> checkpoint_;
  sinter::arch::Model model_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Base base;
  try {
    base.put({static_cast<const char*>(static_cast<const void*>(data)), size});
  } catch (const sinter::Error&) {
  }
  return 0;
}
