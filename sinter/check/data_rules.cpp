// Whether the bytes of the weights are there, without reading them.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "sinter/check/rules.h"

namespace sinter::check {
using graph::DataFlaw;
namespace {

void tell(const Subject& subject, Sink& sink, DataFlaw kind, const char* otherwise) {
  for (const TensorAt& at : subject.tensors()) {
    const std::optional<graph::TensorFlaw>& flaw = at.tensor->flaw;
    if (!flaw || flaw->kind != kind) continue;
    sink.add(at.place(), flaw->why, flaw->hint.empty() ? otherwise : flaw->hint);
  }
}

}  // namespace

void has_bad_payload(const Subject& subject, Sink& sink) {
  tell(subject, sink, DataFlaw::kPayload, "the file is damaged; export or download it again");
}

void has_bad_entry(const Subject& subject, Sink& sink) {
  tell(subject, sink, DataFlaw::kEntry,
       "external data needs a file name and numbers of bytes; export the model again");
}

void leads_outside(const Subject& subject, Sink& sink) {
  tell(subject, sink, DataFlaw::kOutside, "put the file into the model's folder");
}

void lacks_data_file(const Subject& subject, Sink& sink) {
  tell(subject, sink, DataFlaw::kMissing,
       "an ONNX model with external data is several files; put them all into one folder");
}

void has_changed_source(const Subject& subject, Sink& sink) {
  tell(subject, sink, DataFlaw::kChanged, "convert the checkpoint again");
}

void has_bad_range(const Subject& subject, Sink& sink) {
  tell(subject, sink, DataFlaw::kRange,
       "the file beside the model is cut short or belongs to another model");
}

void nears_size_limit(const Subject& subject, Sink& sink) {
  constexpr std::uint64_t kNear = 1'800'000'000;
  if (subject.file().bytes < kNear) return;
  sink.add({},
           fmt::format("the file has {} bytes; a protobuf message cannot exceed 2147483647, and "
                       "optimizers that add to the graph fail before that",
                       subject.file().bytes),
           "save its weights as external data");
}

void is_misaligned(const Subject& subject, Sink& sink) {
  // onnx.proto: offsets should be multiples of the page size, and of 64 KiB on Windows, for mmap.
  constexpr std::uint64_t kPage = 4096;
  constexpr std::uint64_t kLarge = 1U << 20;
  // What sinter links lies where the checkpoint has it; its own sessions map whole files.
  if (subject.file().linked) return;
  for (const TensorAt& at : subject.tensors()) {
    const graph::OutlineTensor& tensor = *at.tensor;
    if (!tensor.external || tensor.flaw || tensor.elements() < kLarge) continue;
    if (tensor.offset % kPage == 0) continue;
    sink.add(at.place(),
             fmt::format("its data does not begin at a multiple of {} bytes of the file, so that "
                         "programs read it into memory where they could map it",
                         kPage),
             "harmless but for memory; export with aligned external data");
  }
}

}  // namespace sinter::check
