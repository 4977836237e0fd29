#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/base/tensor.h"
#include "sinter/pipeline/conditioning.h"
#include "sinter/pipeline/folder.h"
#include "sinter/pipeline/generate_options.h"
#include "sinter/pipeline/image.h"
#include "sinter/pipeline/scheduler.h"
#include "sinter/pipeline/sessions.h"

namespace sinter::pipeline {

/// A picture that was drawn.
struct Picture {
  Image image;
  std::uint64_t seed;
  std::string parameters;  // AUTOMATIC1111's text
};

/// What one stage took.
struct StageRecord {
  std::string name;  // "load unet", "unet", ...
  double seconds;
  std::uint64_t peak_rss_bytes;  // of the whole process during the stage
};

struct GenerateResult {
  std::vector<Picture> pictures;
  Tensor latents;                   // [N,4,h,w] float32, as the UNet has them
  std::vector<Image> control_maps;  // what each ControlNet was shown, of the pictures' size
  std::vector<StageRecord> stages;
};

/// Where a run is: at the start of a stage (step 0) and after each of its steps.
struct Progress {
  std::string_view stage;
  int step;
  int steps;
  double seconds;  // since the stage began
};
using ProgressCallback = std::function<void(const Progress&)>;

struct PipelineOptions {
  SessionFactory sessions;
  bool keep_sessions = false;          // else a session lives as long as its stage: less memory
  std::function<double()> clock = {};  // seconds from any start; empty: the steady clock
};

/// A converted folder, ready to draw. One caller at a time.
class Pipeline {
 public:
  Pipeline(PipelineFolder folder, PipelineOptions options);

  /// Reads the folder; graphs are opened by the first generate().
  /// @throws as read_pipeline_folder.
  static Pipeline open(const std::filesystem::path& root, PipelineOptions options);

  const PipelineFolder& folder() const { return folder_; }

  /// Draws. The uncond and the cond half of guidance run as one batch, uncond first.
  /// @throws Error{kUsage} for sizes, steps or names that cannot be, before a graph is opened;
  ///         Error{kUnsupported} for a UNet that wants more than text to picture can give;
  ///         Error{kRuntime} when a component's output is not finite, with what helps; what
  ///         sessions throw. All of them with the stage as context, and the UNet's with the step.
  GenerateResult generate(const GenerateOptions& options, const ProgressCallback& progress = {});

 private:
  friend class GenerateRun;

  PipelineFolder folder_;
  PipelineOptions options_;
  std::map<std::filesystem::path, std::unique_ptr<runtime::Session>> kept_;
};

}  // namespace sinter::pipeline
