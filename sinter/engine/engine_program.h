#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sinter::engine {

/// One kernel call of an engine's program.
struct Kernel {
  std::string operation;            // the compiler's word: "corrltn", "fully_connected", "function"
  std::string name;                 // of the kernel: "__myl_SiluGnor", "_gemm_mha_v2"
  std::vector<std::string> layers;  // the ONNX nodes that it computes
  std::string type;                 // of its first result: "half", "float"; empty: not said
};

/// What a TensorRT-RTX engine runs.
struct EngineProgram {
  std::vector<Kernel> kernels;  // those that compute ONNX nodes, in the program's order
  std::size_t programs = 0;     // 0: the file holds none that can be read
};

/// Reads the compiled program out of a TensorRT-RTX engine.
///
/// The compiler leaves it there as text, with the ONNX nodes of every kernel and the type of every
/// tensor. The format is not documented (docs/formats.md has what is read of it), so a file in
/// which nothing is found gives an empty program, never an error. One walk over the bytes; memory
/// for what is found.
EngineProgram read_engine_program(std::span<const std::byte> engine);

/// Whether a kernel is fused attention: scores, softmax and result in one, the scores never in
/// memory.
bool is_fused_attention(const Kernel& kernel);

}  // namespace sinter::engine
