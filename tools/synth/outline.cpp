#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "sinter/base/error.h"
#include "sinter/base/tensor.h"
#include "tools/synth/synth.h"

namespace sinter::synth {

void write_outline(const std::filesystem::path& manifest, const std::filesystem::path& out,
                   DType dtype) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::uint64_t end = 0;
  for (const ManifestTensor& tensor : load_manifest(manifest).tensors) {
    const DType stored = stored_dtype(tensor, dtype);
    const std::uint64_t begin = end;
    end += byte_count(stored, tensor.shape);
    header[tensor.key] = {
        {"dtype", dtype_name(stored)}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
  }
  const std::string text = header.dump();
  std::string prefix(8, '\0');
  for (std::size_t i = 0; i < prefix.size(); ++i)
    prefix[i] = static_cast<char>(text.size() >> (8 * i) & 0xFF);
  std::ofstream file(out, std::ios::binary);
  file << prefix << text;
  file.close();
  std::error_code failed;
  if (file) std::filesystem::resize_file(out, prefix.size() + text.size() + end, failed);
  if (!file || failed) throw Error(ErrorCode::kIo, fmt::format("cannot write {}", out.string()));
}

}  // namespace sinter::synth
