#include "sinter/runtime/provider_files.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <set>
#include <system_error>

#include "sinter/base/error.h"
#include "sinter/base/shared_library.h"

namespace sinter::runtime {
namespace fs = std::filesystem;
namespace {

constexpr const char* kDriver = "libcuda.so.1";

struct BringerRow {
  std::string_view library;  // as its name begins
  std::string_view bringer;
};

constexpr std::array kBringers{
    BringerRow{"libcuda.so", "the NVIDIA driver"},
    BringerRow{"libnvidia-ml.so", "the NVIDIA driver"},
    BringerRow{"libcudart.so", "the CUDA runtime"},
    BringerRow{"libcublas", "CUDA's cuBLAS"},
    BringerRow{"libcufft", "CUDA's cuFFT"},
    BringerRow{"libcurand", "CUDA's cuRAND"},
    BringerRow{"libnvrtc", "CUDA's run-time compiler"},
    BringerRow{"libcudnn", "cuDNN"},
    BringerRow{"libnvinfer", "TensorRT"},
    BringerRow{"libnvonnxparser", "TensorRT"},
    BringerRow{"libtensorrt_rtx", "TensorRT-RTX"},
    BringerRow{"libtensorrt_onnxparser_rtx", "TensorRT-RTX"},
    BringerRow{"libonnxruntime_providers_shared", "ONNX Runtime"},
};

// The library that the loader's words say is missing: "libx.so.1: cannot open shared object file".
std::optional<std::string> missing_library(std::string_view words) {
  constexpr std::string_view kMissing = ": cannot open shared object file";
  const std::size_t end = words.find(kMissing);
  if (end == std::string_view::npos) return std::nullopt;
  const std::size_t before = words.substr(0, end).find_last_of(" :");
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return std::string(words.substr(begin, end - begin));
}

std::optional<fs::path> neighbour(const fs::path& folder, std::string_view library) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().starts_with(library) && entry.is_regular_file(ignored))
      return entry.path();
  }
  return std::nullopt;
}

void load(const fs::path& library, std::set<fs::path>& begun) {
  begun.insert(library);
  const fs::path folder = fs::absolute(library).parent_path();
  while (true) {
    try {
      const SharedLibrary loaded(library);
      return;
    } catch (Error& error) {
      const std::optional<std::string> missing = missing_library(error.message());
      if (!missing) throw;
      const std::optional<fs::path> found = neighbour(folder, *missing);
      if (!found || begun.contains(*found)) {
        if (const std::string_view bringer = bringer_of(*missing); !bringer.empty())
          error.add_hint(fmt::format("{} comes with {}", *missing, bringer));
        throw;
      }
      load(*found, begun);
    }
  }
}

// Result codes of the CUDA driver's cuInit.
struct DriverRow {
  int code;
  std::string_view meaning;
};
constexpr std::array kDriverCodes{
    DriverRow{100, "it sees no GPU"},
    DriverRow{101, "the GPU that CUDA_VISIBLE_DEVICES names is not there"},
    DriverRow{803, "its library and its kernel module are of different versions"},
    DriverRow{804, "it is older than the CUDA compatibility package in use allows"},
};

// What is wrong with the driver or the GPU; nothing when a GPU can be used.
std::optional<std::string> driver_problem() {
  try {
    const SharedLibrary driver(kDriver);
    const int code = driver.function<int(unsigned)>("cuInit")(0);
    if (code == 0) return std::nullopt;
    for (const DriverRow& row : kDriverCodes) {
      if (row.code == code)
        return fmt::format("the NVIDIA driver cannot be used: {} (cuInit gives {})", row.meaning,
                           code);
    }
    return fmt::format("the NVIDIA driver cannot be used (cuInit gives {})", code);
  } catch (const Error&) {
    return fmt::format("there is no NVIDIA driver ({} cannot be loaded)", kDriver);
  }
}

}  // namespace

void load_with_neighbours(const fs::path& library) {
  std::set<fs::path> begun;
  load(library, begun);
}

std::string_view bringer_of(std::string_view library) {
  for (const BringerRow& row : kBringers) {
    if (library.starts_with(row.library)) return row.bringer;
  }
  return {};
}

std::vector<std::string> missing_for(const Provider& provider, const fs::path& onnxruntime,
                                     std::string_view version, const fs::path& provider_library) {
  std::vector<std::string> missing;
  if (auto problem = driver_problem()) missing.push_back(std::move(*problem));
  const fs::path library = provider_library.empty()
                               ? fs::absolute(onnxruntime).parent_path() / provider.library
                               : provider_library;
  if (!fs::exists(library)) {
    missing.push_back(provider_library.empty()
                          ? fmt::format("ONNX Runtime {} at {} is a build without {} (there is no "
                                        "{} beside it)",
                                        version, onnxruntime.string(), provider.title,
                                        provider.library)
                          : fmt::format("there is no {}", library.string()));
    return missing;
  }
  try {
    // What comes with ONNX Runtime leans on this one, which it loads itself.
    if (provider_library.empty())
      load_with_neighbours(library.parent_path() / "libonnxruntime_providers_shared.so");
    load_with_neighbours(library);
  } catch (const Error& error) {
    const std::optional<std::string> needed = missing_library(error.message());
    if (!needed) return missing;  // the engine says more than the loader
    const std::string_view bringer = bringer_of(*needed);
    missing.push_back(fmt::format("{} needs {}{}", library.filename().string(), *needed,
                                  bringer.empty() ? "" : fmt::format(" of {}", bringer)));
  }
  return missing;
}

}  // namespace sinter::runtime
