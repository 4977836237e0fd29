// Any bytes as an ONNX file: reading it, and all that is asked of one that was read, may refuse it,
// but only with sinter::Error.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/base/tensor.h"
#include "sinter/graph/onnx_model.h"

namespace {

using sinter::graph::OnnxModel;

/// Beside the small weight file of the tests, so that some external data is found.
const std::filesystem::path kPath = SINTER_TEST_DATA "/engine/fuzz.onnx";

void ask(OnnxModel& model) {
  model.inputs();
  model.outputs();
  model.nodes();
  model.compute_dtype();
  model.metadata("sinter.link.0");
  // What engines rely on: a weight has the bytes of its shape and lies in a mapped file.
  for (const sinter::graph::Weight& weight : model.weights()) {
    if (weight.bytes.size() != sinter::byte_count(weight.dtype, weight.shape)) std::abort();
  }
  std::vector<std::string> values;
  for (const auto& value : model.values()) values.push_back(value.name);
  model.expose(values);
  model.serialized(sinter::graph::WeightForm::kReferences);
  model.serialized(sinter::graph::WeightForm::kInputs);
  model.hide_exposed();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    OnnxModel model = OnnxModel::parse(std::as_bytes(std::span(data, size)), kPath);
    ask(model);
  } catch (const sinter::Error&) {
  }
  return 0;
}
