#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sinter::engine {

/// One complaint of the parser.
struct ParserError {
  std::string node;     // the ONNX node's name; empty when the complaint is about the file
  std::string op;       // its operator
  std::string message;  // the parser's own words
};

/// What TensorRT-RTX's ONNX parser made of a file.
struct ParseReport {
  bool accepted = false;
  std::vector<ParserError> errors;    // empty when accepted
  int layers = 0;                     // of the TensorRT network (also of the part before an error)
  std::vector<std::string> warnings;  // what the library logged at warning or above, in order
};

/// Whether this build was made with TensorRT-RTX's headers; without them parse_onnx always throws.
bool tensorrt_compiled_in();

/// Parses a .onnx file, external data included, into a strongly typed TensorRT-RTX network.
///
/// library_dir holds libtensorrt_rtx.so.1 and libtensorrt_onnxparser_rtx.so.1; they are loaded for
/// the call. Needs no GPU and no CUDA. External data must lie in the model's folder or below it (a
/// hard link does); a location that leads out of it is refused.
/// A model that the parser refuses is a report, not an exception.
/// @throws Error{kUnsupported} when tensorrt_compiled_in() is false;
///         Error{kIo} when there is no such model;
///         Error{kRuntime} when the libraries cannot be loaded or do not start.
ParseReport parse_onnx(const std::filesystem::path& model,
                       const std::filesystem::path& library_dir);

}  // namespace sinter::engine
