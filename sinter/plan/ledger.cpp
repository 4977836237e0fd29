#include "sinter/plan/ledger.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <utility>

namespace sinter::plan {
namespace {

// What TensorRT-RTX 1.7 sets aside beside the tensors in every engine measured, whatever its size.
constexpr std::uint64_t kWorkspaceBytes = 8'301'568;

constexpr std::size_t kHeldShown = 8;

}  // namespace

MemoryModel::MemoryModel(Network network, Norms norms)
    : network_(std::move(network)), kernels_(fuse(network_, norms)) {
  doubled_.resize(network_.values.size(), false);
  std::vector<bool> by_conv(network_.values.size(), false);
  std::vector<bool> by_other(network_.values.size(), false);
  std::vector<bool> in_memory(network_.values.size(), false);
  staged_.resize(network_.values.size(), false);
  for (const Kernel& kernel : kernels_) {
    const bool convolves = std::ranges::any_of(
        kernel.nodes, [&](std::size_t node) { return network_.nodes[node].op == "Conv"; });
    for (const std::size_t value : kernel.writes) {
      in_memory[value] = true;
      staged_[value] = convolves && network_.values[value].output;
    }
  }
  for (const NetworkNode& node : network_.nodes) {
    for (const std::size_t value : node.reads)
      (node.op == "Conv" ? by_conv : by_other)[value] = true;
    if (node.op == "Softmax" && !node.writes.empty())
      scores_.push_back({node.writes.front(), in_memory[node.writes.front()]});
  }
  for (std::size_t i = 0; i < network_.values.size(); ++i) {
    const NetworkValue& value = network_.values[i];
    doubled_[i] = (norms == Norms::kAsWritten || value.type.dtype == DType::kBF16) && by_conv[i] &&
                  by_other[i] && !value.input && dtype_bytes(value.type.dtype) == 2;
  }
}

namespace {

constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

/// Runs kernels in their order and holds what is alive between them.
class Liveness {
 public:
  Liveness(const Network& network, const std::vector<Kernel>& kernels,
           const std::vector<bool>& doubled, const graph::Symbols& sizes, EngineSizes kind)
      : network_(network), kernels_(kernels), doubled_(doubled), sizes_(sizes), kind_(kind) {
    last_.resize(network_.values.size(), kNever);
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      for (const std::size_t value : kernels_[k].reads) last_[value] = k;
    }
  }

  /// Fills in what concerns the moment of greatest need.
  void run(Ledger& ledger) {
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      const Kernel& kernel = kernels_[k];
      std::uint64_t overwritten = 0;
      for (const std::size_t value : kernel.writes) overwritten += make(value, k);
      if (sum_ - overwritten > ledger.activations) {
        ledger.activations = sum_ - overwritten;
        ledger.peak = kernel.name;
        ledger.held.clear();
        for (const auto& [value, bytes] : alive_)
          ledger.held.push_back({network_.values[value].type.name, bytes});
      }
      for (const std::size_t value : kernel.reads) release(value, k);
      for (const std::size_t value : kernel.writes) release(value, k);
    }
    std::ranges::stable_sort(ledger.held, std::greater{}, &HeldValue::bytes);
    if (ledger.held.size() > kHeldShown) ledger.held.resize(kHeldShown);
  }

 private:
  /// Takes memory for a value that a kernel makes; returns the bytes that it writes over an
  /// operand.
  std::uint64_t make(std::size_t value, std::size_t k) {
    if (network_.values[value].output) return 0;
    const std::uint64_t bytes = value_bytes(network_.values[value], sizes_);
    const bool overwrites =
        kind_ == EngineSizes::kOne && kernels_[k].kind == KernelKind::kPointwise &&
        std::ranges::any_of(kernels_[k].pointwise, [&](std::size_t operand) {
          const auto held = alive_.find(operand);
          return held != alive_.end() && last_[operand] == k && held->second == bytes;
        });
    const std::uint64_t held = doubled_[value] ? 2 * bytes : bytes;
    alive_.emplace(value, held);
    sum_ += held;
    return overwrites ? bytes : 0;
  }

  void release(std::size_t value, std::size_t k) {
    const auto held = alive_.find(value);
    if (held == alive_.end() || (last_[value] != k && last_[value] != kNever)) return;
    sum_ -= held->second;
    alive_.erase(held);
  }

  const Network& network_;
  const std::vector<Kernel>& kernels_;
  const std::vector<bool>& doubled_;
  const graph::Symbols& sizes_;
  EngineSizes kind_;
  std::vector<std::size_t> last_;               // by value: the kernel that reads it last
  std::map<std::size_t, std::uint64_t> alive_;  // value -> bytes
  std::uint64_t sum_ = 0;                       // of them
};

}  // namespace

Ledger MemoryModel::at(const graph::Symbols& sizes, EngineSizes kind) const {
  Ledger ledger;
  std::uint64_t staged = 0;
  for (std::size_t i = 0; i < network_.values.size(); ++i) {
    const NetworkValue& value = network_.values[i];
    if (!value.input && !value.output) continue;
    const std::uint64_t bytes = value_bytes(value, sizes);
    ledger.bindings += bytes;
    if (staged_[i]) staged += bytes;
  }
  for (const Scores& scores : scores_) {
    const std::uint64_t bytes = value_bytes(network_.values[scores.value], sizes);
    if (bytes <= ledger.scores) continue;
    ledger.scores = bytes;
    ledger.scores_in_memory = scores.in_memory;
  }
  Liveness(network_, kernels_, doubled_, sizes, kind).run(ledger);
  ledger.activations += kWorkspaceBytes + (kind == EngineSizes::kRange ? staged : 0);
  return ledger;
}

}  // namespace sinter::plan
