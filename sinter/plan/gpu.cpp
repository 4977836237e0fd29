#include "sinter/plan/gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "sinter/base/error.h"
#include "sinter/base/message.h"
#include "sinter/base/nearest.h"

namespace sinter::plan {
namespace {

constexpr Gpu architecture(std::string_view name, std::string_view words, int major, int minor) {
  return {.name = name, .words = words, .capability = {major, minor}, .memory_gib = 0};
}

// Capabilities: NVIDIA, "CUDA GPU Compute Capability" (developer.nvidia.com/cuda-gpus) and its page
// of legacy GPUs. Memory: NVIDIA's product pages; where a name was sold with several, each has a
// row, the plain name being the smallest.
constexpr Gpu kGpus[] = {
    architecture("sm60", "Pascal, data centre", 6, 0),
    architecture("sm61", "Pascal", 6, 1),
    architecture("sm70", "Volta", 7, 0),
    architecture("sm72", "Volta, Jetson Xavier", 7, 2),
    architecture("sm75", "Turing", 7, 5),
    architecture("sm80", "Ampere, data centre", 8, 0),
    architecture("sm86", "Ampere", 8, 6),
    architecture("sm87", "Ampere, Jetson Orin", 8, 7),
    architecture("sm89", "Ada", 8, 9),
    architecture("sm90", "Hopper", 9, 0),
    architecture("sm100", "Blackwell, data centre", 10, 0),
    architecture("sm103", "Blackwell Ultra, data centre", 10, 3),
    architecture("sm110", "Blackwell, Jetson Thor", 11, 0),
    architecture("sm120", "Blackwell", 12, 0),
    architecture("sm121", "Blackwell, GB10", 12, 1),

    {"p100", "Tesla P100", {6, 0}, 16},
    {"gtx1050ti", "GeForce GTX 1050 Ti", {6, 1}, 4},
    {"gtx1060", "GeForce GTX 1060", {6, 1}, 6},
    {"gtx1070", "GeForce GTX 1070", {6, 1}, 8},
    {"gtx1080", "GeForce GTX 1080", {6, 1}, 8},
    {"gtx1080ti", "GeForce GTX 1080 Ti", {6, 1}, 11},
    {"p4", "Tesla P4", {6, 1}, 8},
    {"p40", "Tesla P40", {6, 1}, 24},
    {"v100", "Tesla V100", {7, 0}, 16},
    {"v100-32gb", "Tesla V100 32GB", {7, 0}, 32},
    {"titanv", "Titan V", {7, 0}, 12},
    {"jetson-agx-xavier", "Jetson AGX Xavier", {7, 2}, 32},
    {"jetson-xavier-nx", "Jetson Xavier NX", {7, 2}, 8},
    {"t4", "Tesla T4", {7, 5}, 16},
    {"gtx1650", "GeForce GTX 1650", {7, 5}, 4},
    {"gtx1660", "GeForce GTX 1660", {7, 5}, 6},
    {"gtx1660ti", "GeForce GTX 1660 Ti", {7, 5}, 6},
    {"rtx2060", "GeForce RTX 2060", {7, 5}, 6},
    {"rtx2070", "GeForce RTX 2070", {7, 5}, 8},
    {"rtx2080", "GeForce RTX 2080", {7, 5}, 8},
    {"rtx2080ti", "GeForce RTX 2080 Ti", {7, 5}, 11},
    {"titanrtx", "Titan RTX", {7, 5}, 24},
    {"rtx4000", "Quadro RTX 4000", {7, 5}, 8},
    {"rtx5000", "Quadro RTX 5000", {7, 5}, 16},
    {"rtx6000", "Quadro RTX 6000", {7, 5}, 24},
    {"rtx8000", "Quadro RTX 8000", {7, 5}, 48},
    {"a30", "A30", {8, 0}, 24},
    {"a100", "A100", {8, 0}, 40},
    {"a100-80gb", "A100 80GB", {8, 0}, 80},
    {"a2", "A2", {8, 6}, 16},
    {"a10", "A10", {8, 6}, 24},
    {"a10g", "A10G", {8, 6}, 24},
    {"a16", "A16", {8, 6}, 16},
    {"a40", "A40", {8, 6}, 48},
    {"rtx3050", "GeForce RTX 3050", {8, 6}, 8},
    {"rtx3060", "GeForce RTX 3060", {8, 6}, 12},
    {"rtx3060ti", "GeForce RTX 3060 Ti", {8, 6}, 8},
    {"rtx3070", "GeForce RTX 3070", {8, 6}, 8},
    {"rtx3070ti", "GeForce RTX 3070 Ti", {8, 6}, 8},
    {"rtx3080", "GeForce RTX 3080", {8, 6}, 10},
    {"rtx3080-12gb", "GeForce RTX 3080 12GB", {8, 6}, 12},
    {"rtx3080ti", "GeForce RTX 3080 Ti", {8, 6}, 12},
    {"rtx3090", "GeForce RTX 3090", {8, 6}, 24},
    {"rtx3090ti", "GeForce RTX 3090 Ti", {8, 6}, 24},
    {"rtxa2000", "RTX A2000", {8, 6}, 6},
    {"rtxa2000-12gb", "RTX A2000 12GB", {8, 6}, 12},
    {"rtxa4000", "RTX A4000", {8, 6}, 16},
    {"rtxa4500", "RTX A4500", {8, 6}, 20},
    {"rtxa5000", "RTX A5000", {8, 6}, 24},
    {"rtxa5500", "RTX A5500", {8, 6}, 24},
    {"rtxa6000", "RTX A6000", {8, 6}, 48},
    {"jetson-agx-orin", "Jetson AGX Orin", {8, 7}, 32},
    {"jetson-agx-orin-64gb", "Jetson AGX Orin 64GB", {8, 7}, 64},
    {"jetson-orin-nx", "Jetson Orin NX", {8, 7}, 8},
    {"jetson-orin-nx-16gb", "Jetson Orin NX 16GB", {8, 7}, 16},
    {"jetson-orin-nano", "Jetson Orin Nano", {8, 7}, 8},
    {"l4", "L4", {8, 9}, 24},
    {"l40", "L40", {8, 9}, 48},
    {"l40s", "L40S", {8, 9}, 48},
    {"rtx4050", "GeForce RTX 4050 Laptop GPU", {8, 9}, 6},
    {"rtx4060", "GeForce RTX 4060", {8, 9}, 8},
    {"rtx4060ti", "GeForce RTX 4060 Ti", {8, 9}, 8},
    {"rtx4060ti-16gb", "GeForce RTX 4060 Ti 16GB", {8, 9}, 16},
    {"rtx4070", "GeForce RTX 4070", {8, 9}, 12},
    {"rtx4070super", "GeForce RTX 4070 SUPER", {8, 9}, 12},
    {"rtx4070ti", "GeForce RTX 4070 Ti", {8, 9}, 12},
    {"rtx4070tisuper", "GeForce RTX 4070 Ti SUPER", {8, 9}, 16},
    {"rtx4080", "GeForce RTX 4080", {8, 9}, 16},
    {"rtx4080super", "GeForce RTX 4080 SUPER", {8, 9}, 16},
    {"rtx4090", "GeForce RTX 4090", {8, 9}, 24},
    {"rtx2000ada", "RTX 2000 Ada", {8, 9}, 16},
    {"rtx4000ada", "RTX 4000 Ada", {8, 9}, 20},
    {"rtx4500ada", "RTX 4500 Ada", {8, 9}, 24},
    {"rtx5000ada", "RTX 5000 Ada", {8, 9}, 32},
    {"rtx6000ada", "RTX 6000 Ada", {8, 9}, 48},
    {"h100", "H100", {9, 0}, 80},
    {"h100-nvl", "H100 NVL", {9, 0}, 94},
    {"h200", "H200", {9, 0}, 141},
    {"gh200", "GH200", {9, 0}, 96},
    {"b200", "B200", {10, 0}, 180},
    {"gb200", "GB200", {10, 0}, 186},
    {"b300", "B300", {10, 3}, 270},
    {"gb300", "GB300", {10, 3}, 277},
    {"jetson-thor", "Jetson AGX Thor", {11, 0}, 128},
    {"rtx5050", "GeForce RTX 5050", {12, 0}, 8},
    {"rtx5060", "GeForce RTX 5060", {12, 0}, 8},
    {"rtx5060ti", "GeForce RTX 5060 Ti", {12, 0}, 8},
    {"rtx5060ti-16gb", "GeForce RTX 5060 Ti 16GB", {12, 0}, 16},
    {"rtx5070", "GeForce RTX 5070", {12, 0}, 12},
    {"rtx5070ti", "GeForce RTX 5070 Ti", {12, 0}, 16},
    {"rtx5080", "GeForce RTX 5080", {12, 0}, 16},
    {"rtx5090", "GeForce RTX 5090", {12, 0}, 32},
    {"rtxpro2000", "RTX PRO 2000 Blackwell", {12, 0}, 16},
    {"rtxpro4000", "RTX PRO 4000 Blackwell", {12, 0}, 24},
    {"rtxpro4500", "RTX PRO 4500 Blackwell", {12, 0}, 32},
    {"rtxpro5000", "RTX PRO 5000 Blackwell", {12, 0}, 48},
    {"rtxpro6000", "RTX PRO 6000 Blackwell", {12, 0}, 96},
    {"gb10", "GB10 (DGX Spark)", {12, 1}, 128},
};

/// Letters and digits only, in lower case, without the maker's name.
std::string key_of(std::string_view name) {
  std::string key;
  for (const char c : name) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x80 && std::isalnum(code) != 0) key += static_cast<char>(std::tolower(code));
  }
  for (const std::string_view prefix : {"nvidia", "geforce", "tesla", "quadro"}) {
    if (key.starts_with(prefix)) key.erase(0, prefix.size());
  }
  return key;
}

/// "8.9" and "89" mean sm89; so do "compute_89" and "sm_89".
std::string architecture_key(std::string_view name, const std::string& key) {
  const std::string_view digits =
      key.starts_with("compute") ? std::string_view(key).substr(7) : key;
  const bool number = !digits.empty() && std::ranges::all_of(digits, [](unsigned char c) {
    return std::isdigit(c) != 0;
  });
  return number && name.size() <= 16 ? fmt::format("sm{}", digits) : key;
}

}  // namespace

std::string ComputeCapability::name() const { return fmt::format("sm{}{}", major, minor); }

std::span<const Gpu> gpus() { return kGpus; }

const Gpu& gpu_named(std::string_view name) {
  const std::string plain = key_of(name);
  const std::string key = architecture_key(name, plain);
  for (const Gpu& gpu : kGpus) {
    if (key_of(gpu.name) == key || (gpu.memory_gib > 0 && key_of(gpu.words) == key)) return gpu;
  }
  std::vector<std::string> names;
  for (const Gpu& gpu : kGpus) names.emplace_back(gpu.name);
  const std::string meant = key.size() > 64 ? std::string() : nearest(key, names);
  throw Error(ErrorCode::kUsage, fmt::format("no GPU is called '{}'", shown(name)),
              meant.empty()
                  ? "name one as rtx4090, or its architecture as sm89"
                  : fmt::format("did you mean '{}'? An architecture (sm89) will do too", meant));
}

}  // namespace sinter::plan
