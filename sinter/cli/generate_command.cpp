#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sinter/base/png_file.h"
#include "sinter/base/process.h"
#include "sinter/cli/command.h"
#include "sinter/cli/failure.h"
#include "sinter/cli/generate_options.h"
#include "sinter/cli/generate_report.h"
#include "sinter/cli/json_output.h"
#include "sinter/cli/memory_forecast.h"
#include "sinter/cli/picture_names.h"
#include "sinter/cli/picture_places.h"
#include "sinter/cli/progress.h"
#include "sinter/cli/prompt_conversion.h"
#include "sinter/cli/text.h"
#include "sinter/pipeline/image.h"
#include "sinter/pipeline/parameters.h"
#include "sinter/pipeline/pipeline.h"

namespace sinter::cli {
namespace fs = std::filesystem;
namespace {

/// What the ControlNets were shown: the same for all prompts.
void write_maps(const GenerateArguments& options, const std::vector<Image>& maps,
                Drawing& drawing) {
  if (!options.control.map) return;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    drawing.control_maps.push_back(map_path(options.control, i, maps.size()));
    write_png(drawing.control_maps.back(), maps[i]);
  }
}

/// Opens the folder of each prompt, and keeps it open while prompts share it.
class Drawer {
 public:
  explicit Drawer(const GenerateArguments& options)
      : options_(options),
        folders_(folders_for(options)),
        controlnets_(named_controlnets(options.control, options.conversion)) {}

  pipeline::Pipeline& pipeline_for(std::size_t prompt) {
    if (pipeline_ && folders_[prompt] == open_) return *pipeline_;
    pipeline_.reset();  // two models at once may be too much memory
    open_ = folders_[prompt];
    const runtime::Engine engine = engine_named(options_.engine.engine);
    const bool several = options_.prompts.size() > 1;
    pipeline::PipelineFolder folder = pipeline::read_pipeline_folder(open_);
    if (!controlnets_.empty()) folder.controlnets = controlnets_;
    controls_ = read_controls(options_.control, folder.controlnets.size());
    pipeline_.emplace(std::move(folder),
                      pipeline::PipelineOptions{.sessions = pipeline::engine_sessions(
                                                    engine, session_options(options_.engine)),
                                                .keep_sessions = several});
    if (const auto warning =
            memory_warning(weight_memory(pipeline_->folder(), engine, !controls_.empty()), engine,
                           several, available_memory_bytes()))
      print_words(stderr, "warning: {}\n", *warning);
    return *pipeline_;
  }

  /// What the ControlNets of the pipeline that is open are told.
  const std::vector<pipeline::ControlOptions>& controls() const { return controls_; }

 private:
  const GenerateArguments& options_;
  std::vector<fs::path> folders_;
  std::vector<pipeline::ControlNetPart> controlnets_;  // in place of the folder's own
  std::vector<pipeline::ControlOptions> controls_;
  fs::path open_;
  std::optional<pipeline::Pipeline> pipeline_;
};

Drawing draw(const GenerateArguments& options, Drawer& drawer) {
  Drawing drawing;
  bool places_are_ready = false;
  const std::size_t count = picture_count(options);
  for (std::size_t i = 0; i < options.prompts.size(); ++i) {
    pipeline::Pipeline& pipeline = drawer.pipeline_for(i);
    Progress bar(options.prompts.size() > 1 ? fmt::format("{}/{}", i + 1, options.prompts.size())
                                            : "drawing",
                 "it");
    pipeline::GenerateOptions generate = for_prompt(options, i);
    generate.controls = drawer.controls();
    pipeline::GenerateResult result =
        pipeline.generate(generate, [&](const pipeline::Progress& progress) {
          // The first report comes when everything that was asked for is known to be possible.
          if (!std::exchange(places_are_ready, true)) prepare_places(options);
          if (progress.steps > 1) {
            bar.update(progress.stage, progress.step, progress.steps);
          } else if (progress.step == 0) {
            bar.stage(progress.stage);
          }
        });
    bar.finish();
    for (pipeline::Picture& picture : result.pictures) {
      const fs::path path = picture_path(options.output, drawing.pictures.size(), count,
                                         picture.seed, options.tagged[i].text);
      write_png(path, picture.image,
                {{std::string(pipeline::kParametersKeyword), picture.parameters}});
      drawing.pictures.push_back({path, options.prompts[i], std::move(picture)});
    }
    if (i == 0) write_maps(options, result.control_maps, drawing);
    drawing.stages.insert(drawing.stages.end(), result.stages.begin(), result.stages.end());
  }
  return drawing;
}

void write_sheet(const GenerateArguments& options, Drawing& drawing) {
  if (!options.sheet) return;
  std::vector<Image> images;
  for (const Written& written : drawing.pictures) images.push_back(written.picture.image);
  // Nearly square, wider than high.
  int columns = 1;
  while (static_cast<std::size_t>(columns * columns) < images.size()) ++columns;
  drawing.sheet = png_path(*options.sheet);
  write_png(*drawing.sheet, pipeline::contact_sheet(images, columns));
}

int run(GenerateArguments& options) {
  check_generate_options(options);
  Drawer drawer(options);
  Drawing drawing = draw(options, drawer);
  write_sheet(options, drawing);
  if (options.json) {
    print_json(to_json(drawing));
  } else {
    print_text(drawing, options.profile);
  }
  return kDone;
}

}  // namespace

Run declare_generate(CLI::App& app) {
  auto options = declare_generate_options(app);
  return [options] { return run(*options); };
}

}  // namespace sinter::cli
