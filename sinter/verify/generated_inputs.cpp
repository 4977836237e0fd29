#include "sinter/verify/generated_inputs.h"

#include <array>
#include <cstdint>
#include <string_view>

#include "sinter/verify/extents.h"

namespace sinter::verify {
namespace {

// Counter-based, so that an element depends on its input's name and its place alone.
// Source of the mixer: Steele et al. 2014, "Fast splittable pseudorandom number generators".
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// FNV-1a.
std::uint64_t seed_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

double uniform(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

// Twelve uniforms have variance 1; exact arithmetic makes the sum the same everywhere.
double normal(std::uint64_t seed) {
  double sum = -6;
  for (std::uint64_t i = 0; i < 12; ++i) sum += uniform(mixed(seed + i));
  return sum;
}

struct UniformRow {
  std::string_view name;
  double limit;
};

constexpr std::array kUniform{
    UniformRow{"timestep", 999},
    UniformRow{"timesteps", 999},
    UniformRow{"time_ids", 1024},
    UniformRow{"input_ids", 1000},
};

// 0: normal values.
double uniform_limit(const graph::ValueDeclaration& declared) {
  for (const UniformRow& row : kUniform) {
    if (row.name == declared.name) return row.limit;
  }
  // Other integers are most likely ids or masks: both take 0 and 1.
  return is_floating(declared.dtype) ? 0 : 2;
}

struct ExtentRow {
  std::string_view part;  // of the symbol
  std::int64_t extent;
};

constexpr std::array kExtents{ExtentRow{"batch", 2}, ExtentRow{"seq", 77}, ExtentRow{"height", 16},
                              ExtentRow{"width", 16}};

std::int64_t default_extent(std::string_view symbol) {
  for (const ExtentRow& row : kExtents) {
    if (symbol.find(row.part) != std::string_view::npos) return row.extent;
  }
  return 1;
}

}  // namespace

runtime::TensorMap generated_inputs(const std::vector<graph::ValueDeclaration>& declared,
                                    const Symbols& extents) {
  Symbols symbols = extents;
  for (const graph::ValueDeclaration& input : declared) {
    for (const std::string& symbol : input.symbols) {
      // Expressions ("height/2") follow from their symbols.
      if (!symbol.empty() && symbol.find_first_of("*/") == std::string::npos) {
        symbols.emplace(symbol, default_extent(symbol));
      }
    }
  }
  runtime::TensorMap inputs;
  for (const graph::ValueDeclaration& input : declared) {
    Shape shape = input.shape;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis] < 0) shape[axis] = evaluate_extent(input.symbols[axis], symbols).value_or(1);
    }
    Tensor values(DType::kF32, std::move(shape));
    const std::uint64_t seed = seed_of(input.name);
    const double limit = uniform_limit(input);
    for (std::size_t i = 0; i < values.floats().size(); ++i) {
      const std::uint64_t place = mixed(seed + 16 * i);
      values.floats()[i] = static_cast<float>(limit > 0 ? limit * uniform(place) : normal(place));
    }
    inputs.emplace(input.name, to_dtype(values, input.dtype));
  }
  return inputs;
}

}  // namespace sinter::verify
