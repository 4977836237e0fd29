#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/plan/profile.h"

namespace sinter::plan {

/// What is used of one quantity: the least, the usual and the most.
struct Range {
  std::int64_t min = 1;
  std::int64_t opt = 1;
  std::int64_t max = 1;

  friend bool operator==(const Range&, const Range&) = default;
};

/// What a plan serves. Pictures and pixels, as a user counts; graphs take rows and cells.
struct Sizes {
  Range batch;                  // pictures at a time
  Range height{256, 512, 640};  // pixels
  Range width{256, 512, 640};   // pixels
  Range tokens{77, 77, 231};    // of the context, 77 a window
  bool guidance = true;         // the UNet runs two rows a picture

  friend bool operator==(const Sizes&, const Sizes&) = default;
};

/// GPU memory of one graph at one size, in bytes.
struct MemoryRow {
  std::string size;               // "opt", "max"
  std::uint64_t weights = 0;      // in the types that the graph computes in
  std::uint64_t activations = 0;  // what an engine needs beside them, inputs and outputs apart
  std::uint64_t bindings = 0;     // inputs and outputs

  friend bool operator==(const MemoryRow&, const MemoryRow&) = default;
};

/// One engine to build.
struct GraphPlan {
  std::string folder;  // "unet"; its graph is folder/model.onnx
  Profile profile;
  std::uint64_t workspace_bytes = 0;  // for the builder's tactics; 0: as the builder likes
  std::uint64_t disk_bytes = 0;       // of the engine, expected; 0: unknown
  std::vector<MemoryRow> memory;      // opt first

  friend bool operator==(const GraphPlan&, const GraphPlan&) = default;
};

/// The engines to build from one converted folder.
struct Plan {
  std::string family;  // of sinter.json; may be empty
  std::string gpu;     // a name of the table in gpu.h; empty: none was named
  Sizes sizes;
  std::vector<GraphPlan> graphs;  // in the folder's pipeline order

  const GraphPlan* find(std::string_view folder) const;

  friend bool operator==(const Plan&, const Plan&) = default;
};

/// The plan as a JSON object, the format of docs/formats.md.
std::string to_json(const Plan& plan);

/// Reads what to_json writes. Strict: a key that is not in the format, a missing one, a number that
/// is no whole number, and ranges out of order (require_ordered) are refused. Figures (memory,
/// workspace_bytes, disk_bytes) may be left out. The plan may be the member "plan" of an object, as
/// `sinter plan --json` prints it.
/// @throws Error{kBadFile} naming the key; Error{kUsage} for ranges out of order.
Plan plan_from_json(std::string_view json);

/// plan_from_json() of a file, with its path in errors.
/// @throws also Error{kIo}.
Plan read_plan(const std::filesystem::path& path);

}  // namespace sinter::plan
