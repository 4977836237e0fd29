#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sinter/base/file.h"
#include "sinter/graph/onnx_edit.h"
#include "sinter/graph/onnx_model.h"

namespace sinter::fold {

/// The files of external data of a folded graph, made in a staging folder on OUT's disk: those of
/// the original that are still read, linked or copied, and one for what was folded.
class DataFiles {
 public:
  DataFiles(const graph::OnnxModel& original, std::filesystem::path out,
            std::filesystem::path staging, bool pack);

  /// Puts a constant into the file of folded data.
  graph::Placement add(std::span<const std::byte> bytes);

  /// Links or copies what the graph still reads, and tells the graph where it is now.
  void keep(graph::OnnxEdit& edit);

  /// Completes the file of folded data.
  void close();

  /// Names below OUT's folder that have to be moved there from the staging folder.
  const std::vector<std::string>& fresh() const { return fresh_; }

 private:
  std::filesystem::path source_of(const std::string& location) const;
  std::optional<std::string> linked(const std::string& location);
  graph::Placement copied(const graph::Placement& from, std::uint64_t length);
  AtomicFile& file();
  std::string free_name(const std::string& wanted, const std::filesystem::path& source) const;

  const graph::OnnxModel& original_;
  std::filesystem::path out_;
  std::filesystem::path staging_;
  bool pack_;
  bool same_folder_;
  std::string data_name_;
  std::unique_ptr<AtomicFile> file_;
  std::map<std::string, std::optional<std::string>> links_;  // location -> its name now, or copied
  std::map<std::string, MappedFile> sources_;
  std::map<std::pair<std::string, std::uint64_t>, graph::Placement> copies_;
  std::set<std::string> names_;
  std::vector<std::string> fresh_;
};

}  // namespace sinter::fold
