#include "tools/synth/synth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <future>
#include <map>
#include <thread>
#include <utility>

#include "sinter/base/error.h"
#include "sinter/base/half.h"
#include "sinter/weights/safetensors_writer.h"
#include "tools/synth/formula.h"

namespace sinter::synth {
namespace {

constexpr std::size_t kRunElements = 4096;                 // stays in the first-level cache
constexpr std::size_t kBlockBytes = std::size_t{4} << 20;  // what one thread makes at a time

bool is_integer(DType dtype) { return !is_floating(dtype); }

void require_storable(DType dtype) {
  if (dtype == DType::kF16 || dtype == DType::kF32 || dtype == DType::kBF16) return;
  throw Error(ErrorCode::kUsage, fmt::format("weights cannot be made as {}, expected float16, "
                                             "float32 or bfloat16",
                                             dtype_info(dtype).word));
}

/// float32 values `first` and following of a floating tensor, before any rounding.
void fill_values(const ManifestTensor& tensor, const Formula& formula, std::uint64_t first,
                 std::span<float> values) {
  if (!is_schedule(tensor.key, tensor.shape)) return fill_random(formula, first, values);
  std::vector<float> buffer(static_cast<std::size_t>(element_count(tensor.shape)));
  fill_schedule(tensor.key, buffer);
  std::copy_n(buffer.begin() + static_cast<std::ptrdiff_t>(first), values.size(), values.begin());
}

void encode_counting(DType dtype, std::uint64_t first, std::span<std::byte> out) {
  const std::size_t width = dtype_bytes(dtype);
  for (std::size_t i = 0; i * width < out.size(); ++i) {
    const std::uint64_t value = first + i;
    std::memcpy(&out[i * width], &value, width);  // little-endian: the low bytes come first
  }
}

/// Stored elements `first` and following of a tensor, as the file has them.
void encode(const ManifestTensor& tensor, DType stored, std::uint64_t first,
            std::span<std::byte> out) {
  if (is_integer(stored)) return encode_counting(stored, first, out);
  const Formula formula = formula_of(tensor.key, tensor.shape);
  std::vector<float> values(kRunElements);
  std::vector<std::uint16_t> halves(kRunElements);
  const std::size_t width = dtype_bytes(stored);
  for (std::size_t done = 0; done < out.size() / width; done += kRunElements) {
    const std::size_t count = std::min(kRunElements, out.size() / width - done);
    const std::span<float> run(values.data(), count);
    const std::span<std::uint16_t> half_run(halves.data(), count);
    fill_values(tensor, formula, first + done, run);
    if (stored == DType::kF16) float_to_half(run, half_run);
    if (stored == DType::kBF16) float_to_bfloat16(run, half_run);
    const void* bytes = stored == DType::kF32 ? static_cast<const void*>(run.data())
                                              : static_cast<const void*>(half_run.data());
    std::memcpy(&out[done * width], bytes, count * width);
  }
}

/// A tensor's place in the data.
struct Placed {
  const ManifestTensor* tensor;
  DType stored;
  std::uint64_t begin;
  std::uint64_t bytes;
};

struct Layout {
  std::vector<weights::PlannedTensor> plan;
  std::vector<Placed> placed;
  std::uint64_t bytes = 0;
};

Layout lay_out(const Manifest& manifest, const Options& options) {
  Layout layout;
  std::map<std::string_view, const ManifestTensor*> by_key;
  for (const ManifestTensor& tensor : manifest.tensors) {
    if (!tensor.key.starts_with(options.prefix)) continue;
    by_key[tensor.key] = &tensor;
    layout.plan.push_back(
        {.name = tensor.key, .dtype = stored_dtype(tensor, options.dtype), .shape = tensor.shape});
  }
  weights::sort_for_alignment(layout.plan);
  for (const weights::PlannedTensor& planned : layout.plan) {
    const std::uint64_t bytes =
        static_cast<std::uint64_t>(element_count(planned.shape)) * dtype_bytes(planned.dtype);
    layout.placed.push_back({by_key.at(planned.name), planned.dtype, layout.bytes, bytes});
    layout.bytes += bytes;
  }
  return layout;
}

/// The bytes [begin, begin + out.size()) of the data. begin is a multiple of 8, so no element is
/// cut.
void fill_block(const std::vector<Placed>& placed, std::uint64_t begin, std::span<std::byte> out) {
  const std::uint64_t end = begin + out.size();
  auto at = std::partition_point(placed.begin(), placed.end(), [&](const Placed& tensor) {
    return tensor.begin + tensor.bytes <= begin;
  });
  for (; at != placed.end() && at->begin < end; ++at) {
    const std::uint64_t from = std::max(begin, at->begin);
    const std::uint64_t to = std::min(end, at->begin + at->bytes);
    encode(*at->tensor, at->stored, (from - at->begin) / dtype_bytes(at->stored),
           out.subspan(from - begin, to - from));
  }
}

/// A buffer that is filled in a thread while others are written. Kept for the whole run: fresh
/// memory would cost more than the numbers in it.
struct Slot {
  std::vector<std::byte> buffer = std::vector<std::byte>(kBlockBytes);
  std::future<std::size_t> filled;  // how many bytes of it

  void start(const Layout& layout, std::uint64_t begin) {
    const auto bytes =
        static_cast<std::size_t>(std::min<std::uint64_t>(kBlockBytes, layout.bytes - begin));
    filled = std::async(std::launch::async, [this, &layout, begin, bytes] {
      fill_block(layout.placed, begin, std::span(buffer).first(bytes));
      return bytes;
    });
  }
};

void stream(const Layout& layout, const Options& options, weights::SafetensorsWriter& writer) {
  const std::size_t threads = options.threads > 0
                                  ? static_cast<std::size_t>(options.threads)
                                  : std::max(1u, std::thread::hardware_concurrency());
  std::vector<Slot> slots(threads + 1);
  std::uint64_t next = 0;
  const auto start_next = [&](Slot& slot) {
    if (next >= layout.bytes) return;
    slot.start(layout, next);
    next += kBlockBytes;
  };
  for (Slot& slot : slots) start_next(slot);
  std::uint64_t done = 0;
  for (std::size_t i = 0; done < layout.bytes; i = (i + 1) % slots.size()) {
    const std::size_t bytes = slots[i].filled.get();
    writer.write(std::span<const std::byte>(slots[i].buffer).first(bytes));
    start_next(slots[i]);
    done += bytes;
    if (options.progress) options.progress(done, layout.bytes);
  }
}

}  // namespace

DType stored_dtype(const ManifestTensor& tensor, DType floating) {
  if (is_integer(tensor.dtype)) return tensor.dtype;
  return tensor.key.find('.') == tensor.key.npos ? DType::kF32 : floating;
}

void write_stand_in(const std::filesystem::path& manifest_path, const std::filesystem::path& out,
                    const Options& options) {
  require_storable(options.dtype);
  const Manifest manifest = load_manifest(manifest_path);
  const Layout layout = lay_out(manifest, options);
  if (layout.plan.empty()) {
    throw Error(ErrorCode::kUsage, fmt::format("no key of {} begins with '{}'",
                                               manifest_path.string(), options.prefix));
  }
  weights::SafetensorsWriter writer(out, layout.plan);
  stream(layout, options, writer);
  writer.commit();
}

std::vector<float> stand_in_values(const ManifestTensor& tensor, DType stored) {
  if (!is_integer(stored)) require_storable(stored);
  std::vector<float> values(static_cast<std::size_t>(element_count(tensor.shape)));
  if (is_integer(stored)) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    return values;
  }
  fill_values(tensor, formula_of(tensor.key, tensor.shape), 0, values);
  std::vector<std::uint16_t> halves(stored == DType::kF32 ? 0 : values.size());
  if (stored == DType::kF16) {
    float_to_half(values, halves);
    half_to_float(halves, values);
  } else if (stored == DType::kBF16) {
    float_to_bfloat16(values, halves);
    bfloat16_to_float(halves, values);
  }
  return values;
}

}  // namespace sinter::synth
