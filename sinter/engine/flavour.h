#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sinter::engine {

/// The two libraries that build engines. Their files are not interchangeable.
enum class Flavour { kTensorRtRtx, kTensorRt };

/// One row a flavour: what it is called and which files it consists of.
struct FlavourInfo {
  Flavour flavour;
  std::string_view word;     // on the command line and in manifest.json: "trt-rtx"
  std::string_view name;     // for people: "TensorRT-RTX"
  std::string_view core;     // libtensorrt_rtx.so
  std::string_view parser;   // libtensorrt_onnxparser_rtx.so
  std::string_view package;  // where it comes from, for hints
};

std::span<const FlavourInfo> flavours();
const FlavourInfo& flavour_info(Flavour flavour);

/// @throws Error{kUsage} for a word that is not in the table.
Flavour flavour_named(std::string_view word);

/// A library's version, or that of the library which wrote an engine.
struct Version {
  int major = 0;
  int minor = 0;
  int patch = 0;
  int build = 0;

  /// "1.7.1.116".
  std::string text() const;

  friend auto operator<=>(const Version&, const Version&) = default;
};

/// What text() wrote; nothing for other words.
std::optional<Version> version_from(std::string_view text);

}  // namespace sinter::engine
