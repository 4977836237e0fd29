#include "sinter/cli/prompt_tags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "sinter/base/error.h"
#include "sinter/base/message.h"
#include "sinter/base/nearest.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 2> kWords{"lora", "lyco"};
constexpr std::array<std::string_view, 4> kEndings{".safetensors", ".pt", ".ckpt", ".bin"};

float parse_weight(std::string_view name, std::string_view text) {
  float weight = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
  if (error == std::errc{} && end == text.data() + text.size() && std::isfinite(weight))
    return weight;
  throw Error(ErrorCode::kUsage,
              fmt::format("the prompt gives '{}' the weight '{}', expected a finite number",
                          shown(name), shown(text)));
}

std::vector<std::string_view> fields(std::string_view text) {
  std::vector<std::string_view> result;
  for (;;) {
    const std::size_t colon = text.find(':');
    result.push_back(text.substr(0, colon));
    if (colon == text.npos) return result;
    text.remove_prefix(colon + 1);
  }
}

/// "NAME:0.8:unet=0.5", without the word in front.
PromptTag parse_tag(std::string_view inside) {
  const std::vector<std::string_view> all = fields(inside);
  PromptTag tag{.name = std::string(all.front()), .strength = {}};
  std::optional<float> text;
  std::optional<float> unet;
  std::size_t place = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const std::size_t equals = all[i].find('=');
    const std::string_view key = equals == all[i].npos ? "" : all[i].substr(0, equals);
    const std::string_view value = equals == all[i].npos ? all[i] : all[i].substr(equals + 1);
    const bool first = key.empty() && place == 0;
    const bool second = key.empty() && place == 1;
    if (key.empty()) ++place;
    if (key == "te" || first) text = parse_weight(tag.name, value);
    if (key == "unet" || second) unet = parse_weight(tag.name, value);
  }
  tag.strength.text = text.value_or(1.0F);
  tag.strength.unet = unet.value_or(tag.strength.text);
  return tag;
}

bool starts_tag(std::string_view text, std::string_view word) {
  return text.size() > word.size() + 2 && text[0] == '<' && text.substr(1).starts_with(word) &&
         text[word.size() + 1] == ':';
}

}  // namespace

TaggedPrompt read_tags(std::string_view prompt) {
  TaggedPrompt result;
  while (!prompt.empty()) {
    const std::size_t end = prompt.find('>');
    const auto word = std::ranges::find_if(
        kWords, [&](std::string_view candidate) { return starts_tag(prompt, candidate); });
    if (end != prompt.npos && starts_tag(prompt, "hypernet"))
      throw Error(
          ErrorCode::kUnsupported,
          fmt::format("the prompt asks for a hypernetwork: {}", shown(prompt.substr(0, end + 1))),
          "leave it out; sinter has no hypernetworks");
    if (end == prompt.npos || word == kWords.end()) {
      result.text += prompt.front();
      prompt.remove_prefix(1);
      continue;
    }
    const std::size_t begin = word->size() + 2;
    result.tags.push_back(parse_tag(prompt.substr(begin, end - begin)));
    prompt.remove_prefix(end + 1);
  }
  return result;
}

AdapterFolder::AdapterFolder(fs::path folder) : folder_(std::move(folder)) {
  if (!fs::is_directory(folder_))
    throw Error(ErrorCode::kIo, fmt::format("--lora-dir {} is no folder", shown(folder_.string())));
  const auto options = fs::directory_options::skip_permission_denied |
                       fs::directory_options::follow_directory_symlink;
  auto entry = fs::recursive_directory_iterator(folder_, options);
  constexpr int kDeepest = 16;  // a link may lead back
  for (; entry != fs::recursive_directory_iterator(); ++entry) {
    if (entry.depth() >= kDeepest) entry.disable_recursion_pending();
    const bool known =
        std::ranges::find(kEndings, entry->path().extension().string()) != kEndings.end();
    if (known && entry->is_regular_file()) files_.push_back(entry->path());
  }
  std::ranges::sort(files_);
}

fs::path AdapterFolder::find(const std::string& name) const {
  std::vector<std::string> names;
  for (const fs::path& file : files_) {
    if (file.stem() == name) return file;
    names.push_back(file.stem().string());
  }
  const std::string meant = nearest(name, names);
  throw Error(ErrorCode::kUsage,
              fmt::format("the prompt asks for the adapter '{}', which is not among the {} in {}",
                          shown(name), counted(files_.size(), "file"), shown(folder_.string())),
              meant.empty() ? "a prompt names a file without its folder and ending"
                            : fmt::format("did you mean '{}'?", meant));
}

}  // namespace sinter::cli
