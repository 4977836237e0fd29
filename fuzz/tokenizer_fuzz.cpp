// Any texts as the files of a tokenizer. Reading them may refuse them, but only with sinter::Error;
// what was accepted encodes any text into ids that a vocabulary can have.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "fuzz/text_files.h"
#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "sinter/pipeline/tokenizer.h"

/// Embeddings are looked up by it.
constexpr std::int64_t kLargestId = (1 << 20) - 1;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static sinter::fuzz::TextFiles files{
      {"vocab.json", R"({"<|startoftext|>":0,"<|endoftext|>":1,"a":2,"a</w>":3,"aa</w>":4})"},
      {"merges.txt", "#version: 0.2\na a</w>\n"},
      {"tokenizer.json", nullptr},
      {"added_tokens.json", nullptr},
      {"tokenizer_config.json", nullptr},
      {"special_tokens_map.json", nullptr},
      {"text.txt", "a aa, \xc3\xa9 <|endoftext|> it's 12"},
  };
  files.take(data, size);
  try {
    const auto tokenizer = sinter::pipeline::Tokenizer::open(files.root());
    const std::string text = sinter::read_text(files.root() / "text.txt");
    for (const std::int64_t id : tokenizer.encode(text)) {
      if (id < 0 || id > kLargestId) std::abort();
    }
    tokenizer.windows(text, 1);
  } catch (const sinter::Error&) {
  }
  return 0;
}
