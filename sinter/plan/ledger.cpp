#include "sinter/plan/ledger.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "sinter/base/error.h"

namespace sinter::plan {
namespace {

// What TensorRT-RTX 1.7 sets aside beside the tensors in every engine measured, whatever its size.
constexpr std::uint64_t kWorkspaceBytes = 8'301'568;

constexpr std::size_t kHeldShown = 8;

}  // namespace

MemoryModel::MemoryModel(Network network) : network_(std::move(network)), kernels_(fuse(network_)) {
  doubled_.resize(network_.values.size(), false);
  std::vector<bool> by_conv(network_.values.size(), false);
  std::vector<bool> by_other(network_.values.size(), false);
  std::vector<bool> in_memory(network_.values.size(), false);
  for (const Kernel& kernel : kernels_) {
    for (const std::size_t value : kernel.writes) in_memory[value] = true;
  }
  for (const NetworkNode& node : network_.nodes) {
    for (const std::size_t value : node.reads)
      (node.op == "Conv" ? by_conv : by_other)[value] = true;
    if (node.op == "Softmax" && !node.writes.empty())
      scores_.push_back({node.writes.front(), in_memory[node.writes.front()]});
  }
  for (std::size_t i = 0; i < network_.values.size(); ++i) {
    const NetworkValue& value = network_.values[i];
    doubled_[i] = by_conv[i] && by_other[i] && !value.input && dtype_bytes(value.type.dtype) == 2;
  }
}

Ledger MemoryModel::at(const graph::Symbols& sizes, EngineSizes kind) const {
  constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
  Ledger ledger;
  std::vector<std::size_t> last(network_.values.size(), kNever);
  for (std::size_t k = 0; k < kernels_.size(); ++k) {
    for (const std::size_t value : kernels_[k].reads) last[value] = k;
  }
  for (const NetworkValue& value : network_.values) {
    if (value.input || value.output) ledger.bindings += value_bytes(value, sizes);
  }
  for (const Scores& scores : scores_) {
    const std::uint64_t bytes = value_bytes(network_.values[scores.value], sizes);
    if (bytes <= ledger.scores) continue;
    ledger.scores = bytes;
    ledger.scores_in_memory = scores.in_memory;
  }

  std::map<std::size_t, std::uint64_t> alive;  // value -> bytes
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < kernels_.size(); ++k) {
    const Kernel& kernel = kernels_[k];
    std::uint64_t overwritten = 0;
    for (const std::size_t value : kernel.writes) {
      if (network_.values[value].output) continue;
      const std::uint64_t bytes = value_bytes(network_.values[value], sizes);
      if (kind == EngineSizes::kOne && kernel.kind == KernelKind::kPointwise) {
        const auto operand = std::ranges::find_if(kernel.pointwise, [&](std::size_t read) {
          const auto held = alive.find(read);
          return held != alive.end() && last[read] == k && held->second == bytes;
        });
        if (operand != kernel.pointwise.end()) overwritten += bytes;
      }
      const std::uint64_t held = doubled_[value] ? 2 * bytes : bytes;
      alive.emplace(value, held);
      sum += held;
    }
    if (sum - overwritten > ledger.activations) {
      ledger.activations = sum - overwritten;
      ledger.peak = kernel.name;
      ledger.held.clear();
      for (const auto& [value, bytes] : alive)
        ledger.held.push_back({network_.values[value].type.name, bytes});
    }
    const auto release = [&](std::size_t value) {
      const auto held = alive.find(value);
      if (held == alive.end() || (last[value] != k && last[value] != kNever)) return;
      sum -= held->second;
      alive.erase(held);
    };
    std::ranges::for_each(kernel.reads, release);
    std::ranges::for_each(kernel.writes, release);
  }
  std::ranges::stable_sort(ledger.held, std::greater{}, &HeldValue::bytes);
  if (ledger.held.size() > kHeldShown) ledger.held.resize(kHeldShown);
  ledger.activations += kWorkspaceBytes;
  return ledger;
}

}  // namespace sinter::plan
