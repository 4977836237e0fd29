#include "sinter/cli/command.h"

namespace sinter::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> table{
      {"inspect", "say what a checkpoint is, whether it is sound, and what is missing",
       "sinter inspect models/shapes-sd1.safetensors", declare_inspect},
      {"convert", "write ONNX graphs, tokenizer, scheduler and configuration from a checkpoint",
       "sinter convert models/shapes-sd1.safetensors out/shapes", declare_convert},
  };
  return table;
}

}  // namespace sinter::cli
