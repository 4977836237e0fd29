#include "sinter/cli/engine_plan.h"

#include "sinter/cli/model_argument.h"
#include "sinter/plan/make_plan.h"
#include "sinter/plan/wanted.h"

namespace sinter::cli {

void declare_engine_plan(CLI::App& app, EnginePlanOptions& options) {
  auto* file =
      app.add_option("--plan", options.plan, "what the engines serve: a file of sinter plan");
  app.add_option("--size", options.size,
                 "pictures that they serve, WIDTHxHEIGHT, and after a colon a second one")
      ->capture_default_str()
      ->excludes(file);
  app.add_option("--batch", options.batch, "pictures at a time, and after a colon the most")
      ->capture_default_str()
      ->excludes(file);
}

plan::Plan engine_plan(const std::filesystem::path& folder, const EnginePlanOptions& options) {
  if (!options.plan.empty()) return plan::read_plan(options.plan);
  plan::Sizes sizes;
  sizes.batch = plan::usual_and_most(options.batch, "--batch");
  plan::set_pictures(sizes, plan::picture_sizes(options.size), plan::Margin::kWide);
  return plan::make_plan(plan::load_graphs(models_at(folder.string())), sizes,
                         /*memory_bytes=*/0);
}

}  // namespace sinter::cli
