#include "sinter/graph/model_proto.h"

#include <fmt/format.h>
#include <onnx.pb.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "sinter/base/error.h"

namespace sinter::graph {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void damaged(const fs::path& path, std::string_view what, std::string hint) {
  throw Error(ErrorCode::kBadFile, fmt::format("{}: {}", path.string(), what), std::move(hint));
}

std::string foreign_hint(std::span<const std::byte> bytes) {
  const std::string_view text(static_cast<const char*>(static_cast<const void*>(bytes.data())),
                              std::min<std::size_t>(bytes.size(), 64));
  struct Row {
    std::string_view start;
    const char* hint;
  };
  constexpr Row kForeign[] = {
      {"version https://git-lfs", "this is a Git LFS pointer; fetch the real file (git lfs pull)"},
      {"<", "this looks like a web page saved in place of the file; download it again"},
      {"PK", "this is a zip archive"},
      {"{", "this is JSON text"},
  };
  for (const Row& row : kForeign) {
    if (text.starts_with(row.start)) return row.hint;
  }
  return "the download or export may have stopped early";
}

}  // namespace

onnx::ModelProto parse_model(std::span<const std::byte> bytes, const fs::path& path) {
  if (bytes.size() > kProtobufLimit) {
    damaged(path,
            fmt::format("the ONNX file has {} bytes, more than the {} that protobuf allows",
                        bytes.size(), kProtobufLimit),
            kInlineHint);
  }
  onnx::ModelProto model;
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) || !model.has_graph()) {
    damaged(path, fmt::format("not an ONNX model, or a damaged one ({} bytes)", bytes.size()),
            foreign_hint(bytes));
  }
  return model;
}

}  // namespace sinter::graph
