#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/base/dtype.h"

namespace sinter::graph {

/// A graph input, output or value as an ONNX file declares it.
struct ValueDeclaration {
  std::string name;
  DType dtype;
  std::vector<std::int64_t> shape;   // -1: dynamic
  std::vector<std::string> symbols;  // name of a dynamic dimension, else empty
};

/// One node, as bisection and reports need it.
struct NodeSummary {
  std::string name;
  std::string op;
  std::vector<std::string> outputs;
};

/// A file that holds weights of the model, mapped.
struct ExternalFile {
  std::string location;              // as the ONNX file spells it
  std::span<const std::byte> bytes;  // valid while the OnnxModel lives
};

/// An ONNX file in memory with the files that hold its weights mapped. Any ONNX file, ours or
/// foreign.
///
/// Weights linked by sinter are checked against what was recorded when they were linked: a changed
/// or moved source is an error here, never wrong numbers later.
class OnnxModel {
 public:
  /// @throws Error{kIo} when a file is missing, Error{kBadFile} when the ONNX file or a range in it
  /// is damaged,
  ///         Error{kSourceChanged} when a linked source is not the one that was converted.
  static OnnxModel load(const std::filesystem::path& path);

  ~OnnxModel();
  OnnxModel(OnnxModel&&) noexcept;
  OnnxModel& operator=(OnnxModel&&) noexcept;

  const std::filesystem::path& path() const;
  std::vector<ValueDeclaration> inputs() const;  // without initializers
  std::vector<ValueDeclaration> outputs() const;
  std::vector<ValueDeclaration> values() const;  // value_info: every inner value with a known type
  std::vector<NodeSummary> nodes() const;        // in the file's order, which is topological

  /// Makes inner values graph outputs too, behind the present ones (for bisection).
  /// @throws Error{kUsage} when there is no value_info of that name.
  void expose(std::span<const std::string> values);

  /// The files of its external data, in order of first use.
  const std::vector<ExternalFile>& files() const;

  /// The model as bytes, external data by location as in the file (for ONNX Runtime with in-memory
  /// files).
  std::string serialized() const;

  /// The model as bytes whose external data are addresses in this process (OpenVINO's in-memory
  /// convention: location "*/_ORT_MEM_ADDR_/*", offset the address). Valid while this object lives.
  std::string serialized_with_addresses() const;

 private:
  struct State;
  explicit OnnxModel(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// What a linked file must still be; kept in the model's metadata_props as "sinter.link.<i>" (JSON:
/// location, source, bytes, modified_ns, header_bytes, header_sha256).
struct LinkRecord {
  std::string location;  // as the initializers spell it
  std::string source;    // the checkpoint's path when it was linked, for the message
  std::uint64_t bytes;
  std::int64_t modified_ns;
  std::uint64_t header_bytes;
  std::string header_sha256;
};

}  // namespace sinter::graph
