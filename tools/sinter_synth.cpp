// sinter-synth MANIFEST.json OUT.safetensors: writes a stand-in checkpoint of any size for tests.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>

#include "sinter/base/error.h"
#include "sinter/base/file.h"
#include "tools/synth/synth.h"

int main(int argc, char** argv) {
  std::string manifest;
  std::string out;
  std::string dtype = "fp16";
  sinter::synth::Options options;
  const std::map<std::string, sinter::DType> dtypes{
      {"fp16", sinter::DType::kF16}, {"fp32", sinter::DType::kF32}, {"bf16", sinter::DType::kBF16}};

  CLI::App app("Writes the stand-in checkpoint of a manifest: weights by formula from the keys.",
               "sinter-synth");
  app.add_option("manifest", manifest, "JSON with the keys, types and shapes")->required();
  app.add_option("out", out, "the .safetensors file to write")->required();
  app.add_option("--dtype", dtype, "of the floating tensors")
      ->check(CLI::IsMember({"fp16", "fp32", "bf16"}))
      ->capture_default_str();
  app.add_option("--prefix", options.prefix, "only the keys that begin with this");
  app.add_option("--threads", options.threads, "0: one a core");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : sinter::exit_status(sinter::ErrorCode::kUsage);
  }

  try {
    options.dtype = dtypes.at(dtype);
    const auto start = std::chrono::steady_clock::now();
    sinter::synth::write_stand_in(manifest, out, options);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const double megabytes = static_cast<double>(sinter::file_stamp(out).bytes) / 1e6;
    fmt::print("{}: {:.1f} MB in {:.2f} s, {:.0f} MB/s\n", out, megabytes, seconds.count(),
               megabytes / seconds.count());
    return 0;
  } catch (const sinter::Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return sinter::exit_status(error.code());
  }
}
