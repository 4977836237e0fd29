#include "sinter/adapters/merge/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include "sinter/adapters/arithmetic/float_storage.h"
#include "sinter/adapters/arithmetic/ordered_pipeline.h"
#include "sinter/adapters/file/values.h"
#include "sinter/base/error.h"
#include "sinter/base/message.h"
#include "sinter/weights/non_finite.h"

namespace sinter::adapters {
namespace {

// A piece stays in the second cache with what it is multiplied by; fewer rows would not pay for
// packing the other factor.
constexpr std::size_t kPieceElements = 96 * 1024;
constexpr std::size_t kLeastRows = 16;

struct LoadedChange {
  std::unique_ptr<Change> change;
  std::size_t first_row;
  std::size_t rows;
  std::int64_t module_row;
};

/// Writes one merged tensor.
class TensorMerge {
 public:
  TensorMerge(const weights::Checkpoint& checkpoint, const weights::TensorEntry& tensor,
              std::vector<PlacedChange> changes, unsigned threads, bool widen)
      : checkpoint_(checkpoint),
        tensor_(tensor),
        changes_(std::move(changes)),
        threads_(threads),
        dtype_(merged_dtype(tensor.dtype, widen)) {
    const MatrixShape matrix = matrix_of(tensor.shape);
    rows_ = static_cast<std::size_t>(matrix.rows);
    columns_ = static_cast<std::size_t>(matrix.columns());
  }

  DType dtype() const { return dtype_; }

  void write(const weights::ByteSink& sink) const {
    const std::vector<LoadedChange> changes = load();
    const bool whole = std::ranges::any_of(changes_, [](const PlacedChange& change) {
      return !change.plan.by_rows || change.source->transposed;
    });
    if (whole)
      write_whole(changes, sink);
    else
      write_pieces(changes, sink);
    // The system has mapped more around what was read than was let go piece by piece.
    const MappedFile& file = checkpoint_.mapping(tensor_.file);
    file.forget(0, file.bytes().size());
  }

 private:
  struct Slot {
    std::vector<float> values;
    std::vector<std::byte> bytes;
    std::size_t written = 0;
  };

  std::vector<LoadedChange> load() const {
    std::vector<LoadedChange> loaded;
    for (const PlacedChange& change : changes_)
      loaded.push_back({.change = change.plan.load(change.strength),
                        .first_row = static_cast<std::size_t>(change.first_row),
                        .rows = static_cast<std::size_t>(change.rows),
                        .module_row = change.module_row});
    return loaded;
  }

  /// The stored rows as float32; their pages are let go.
  void read(std::size_t first, std::span<float> values) const {
    const std::size_t width = dtype_bytes(tensor_.dtype);
    const std::size_t begin = first * columns_ * width;
    load_floats(checkpoint_.bytes(tensor_).subspan(begin, values.size() * width), tensor_.dtype,
                values);
    forget_around(checkpoint_.mapping(tensor_.file), tensor_.begin + begin, values.size() * width);
  }

  void store(std::span<const float> values, std::size_t first, std::span<std::byte> bytes) const {
    if (store_floats(values, dtype_, bytes)) return;
    const std::size_t width = dtype_bytes(tensor_.dtype);
    const auto stored =
        checkpoint_.bytes(tensor_).subspan(first * columns_ * width, values.size() * width);
    // A checkpoint that is not finite itself is its owner's matter.
    if (weights::has_non_finite(stored, tensor_.dtype)) return;
    throw Error(ErrorCode::kBadFile,
                fmt::format("merged, '{}' has values beyond {}", shown(tensor_.name),
                            dtype_info(dtype_).word),
                "give the adapter a smaller weight, or look at it with sinter inspect: its "
                "numbers are far too large");
  }

  void change_rows(const std::vector<LoadedChange>& changes, std::size_t first,
                   std::span<float> values) const {
    const std::size_t last = first + values.size() / columns_;
    for (const LoadedChange& change : changes) {
      const std::size_t begin = std::max(first, change.first_row);
      const std::size_t end = std::min(last, change.first_row + change.rows);
      if (begin >= end) continue;
      change.change->apply(values.subspan((begin - first) * columns_, (end - begin) * columns_),
                           change.module_row + static_cast<std::int64_t>(begin - change.first_row));
    }
  }

  void write_pieces(const std::vector<LoadedChange>& changes, const weights::ByteSink& sink) const {
    const std::size_t rows =
        std::max(kLeastRows, kPieceElements / std::max<std::size_t>(columns_, 1));
    OrderedPipeline pipeline{.pieces = (rows_ + rows - 1) / rows,
                             .threads = threads_,
                             .slots = threads_ + 2,
                             .make = {},
                             .take = {}};
    std::vector<Slot> slots(pipeline.slots);
    pipeline.make = [&](std::size_t piece, std::size_t number) {
      Slot& slot = slots[number];
      const std::size_t first = piece * rows;
      const std::size_t elements = std::min(rows, rows_ - first) * columns_;
      slot.values.resize(elements);
      slot.bytes.resize(elements * dtype_bytes(dtype_));
      read(first, slot.values);
      change_rows(changes, first, slot.values);
      store(slot.values, first, slot.bytes);
    };
    pipeline.take = [&](std::size_t /*piece*/, std::size_t number) { sink(slots[number].bytes); };
    run_pipeline(pipeline);
  }

  /// For changes that need all rows, and for weights that are stored turned.
  void write_whole(const std::vector<LoadedChange>& changes, const weights::ByteSink& sink) const {
    std::vector<float> values(rows_ * columns_);
    read(0, values);
    const bool turned = changes_.front().source->transposed;
    if (turned) {
      values =
          transposed(values, static_cast<std::int64_t>(rows_), static_cast<std::int64_t>(columns_));
      for (const LoadedChange& change : changes) change.change->apply(values, 0);
      values =
          transposed(values, static_cast<std::int64_t>(columns_), static_cast<std::int64_t>(rows_));
    } else {
      change_rows(changes, 0, values);
    }
    const std::size_t rows =
        std::max(kLeastRows, kPieceElements / std::max<std::size_t>(columns_, 1));
    std::vector<std::byte> bytes;
    for (std::size_t first = 0; first < rows_; first += rows) {
      const std::span<const float> piece =
          std::span(values).subspan(first * columns_, std::min(rows, rows_ - first) * columns_);
      bytes.resize(piece.size() * dtype_bytes(dtype_));
      store(piece, first, bytes);
      sink(bytes);
    }
  }

  const weights::Checkpoint& checkpoint_;
  const weights::TensorEntry& tensor_;
  std::vector<PlacedChange> changes_;
  unsigned threads_;
  DType dtype_;
  std::size_t rows_;
  std::size_t columns_;
};

}  // namespace

std::vector<weights::ComputedTensor> merged_tensors(const weights::Checkpoint& checkpoint,
                                                    std::vector<PlacedChange> changes,
                                                    const MergeOptions& options) {
  const unsigned threads =
      options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  std::map<const weights::TensorEntry*, std::vector<PlacedChange>> by_tensor;
  for (PlacedChange& change : changes) {
    if (change.strength == 0) continue;
    by_tensor[change.source->tensor].push_back(std::move(change));
  }
  std::vector<weights::ComputedTensor> result;
  for (const weights::TensorEntry& tensor : checkpoint.tensors()) {
    const auto found = by_tensor.find(&tensor);
    if (found == by_tensor.end()) continue;
    // Shared by the copies of the function below.
    const auto merge = std::make_shared<TensorMerge>(checkpoint, tensor, std::move(found->second),
                                                     threads, options.widen);
    result.push_back({.name = tensor.name,
                      .dtype = merge->dtype(),
                      .shape = tensor.shape,
                      .write = [merge](const weights::ByteSink& sink) { merge->write(sink); }});
  }
  return result;
}

}  // namespace sinter::adapters
