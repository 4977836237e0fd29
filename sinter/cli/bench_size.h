#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/graph/onnx_model.h"
#include "sinter/runtime/session.h"
#include "sinter/verify/extents.h"

namespace sinter::cli {

/// The sizes of the command line, in the caller's units: rows, pixels, tokens. Empty: not given.
struct AskedSize {
  std::optional<std::int64_t> batch;
  std::optional<std::int64_t> width;
  std::optional<std::int64_t> height;
  std::optional<std::int64_t> sequence;
};

/// What is run where a graph is free and nothing is asked for.
inline constexpr AskedSize kDefaultSize{.batch = 2, .width = 512, .height = 512, .sequence = 77};

/// What a graph was run at. Only what it has: a text encoder knows no pixels.
struct RunSize {
  std::optional<std::int64_t> batch;
  std::optional<std::int64_t> width;
  std::optional<std::int64_t> height;
  std::optional<std::int64_t> sequence;
  std::vector<std::string> fixed;  // names of those that the graph leaves no choice about

  friend bool operator==(const RunSize&, const RunSize&) = default;
};

/// The inputs of a converted graph by what their axes stand for, whatever their names are.
class BenchSize {
 public:
  BenchSize(const std::filesystem::path& model, std::vector<graph::ValueDeclaration> inputs);

  /// The extents of the graph's symbols.
  /// @throws Error{kUsage} when a size is asked for and the graph is fixed to another.
  verify::Symbols symbols(const AskedSize& asked) const;

  /// The sizes of inputs made for the graph.
  RunSize of(const runtime::TensorMap& inputs) const;

 private:
  struct Axis;
  std::vector<Axis> axes() const;

  std::filesystem::path model_;
  std::vector<graph::ValueDeclaration> inputs_;
};

/// "2x512x512, 77 tokens".
std::string size_text(const RunSize& size);

}  // namespace sinter::cli
