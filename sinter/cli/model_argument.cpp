#include "sinter/cli/model_argument.h"

#include <fmt/format.h>

#include "sinter/base/error.h"
#include "sinter/verify/verify.h"

namespace sinter::cli {
namespace fs = std::filesystem;

std::vector<fs::path> models_at(const std::string& argument) {
  if (!fs::is_directory(argument)) return {argument};
  std::vector<fs::path> models = verify::models_in(argument);
  if (models.empty()) {
    throw Error(ErrorCode::kUsage,
                fmt::format("{} has no graphs, expected a folder like unet/ with model.onnx inside",
                            argument),
                "sinter convert makes such a folder from a checkpoint");
  }
  return models;
}

}  // namespace sinter::cli
