#include <algorithm>

#include "sinter/lint/library/library.h"

namespace sinter::lint {

void check_output_path(Interpreter& in, const Value& path, const Place& use) {
  const auto* word = as<Text>(path);
  if (word == nullptr) return;
  const bool ascii = std::all_of(word->text.begin(), word->text.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 128; });
  if (ascii) return;
  in.report(Rule::kNonAsciiOutputPath, word->place.known() ? word->place : use,
            "the output path has characters outside ASCII; tools that read it in another code page "
            "do not find it",
            {}, use);
}

}  // namespace sinter::lint
