#include "sinter/cli/command.h"

namespace sinter::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> table{
      {"inspect", "say what a checkpoint is, whether it is sound, and what is missing",
       "sinter inspect models/shapes-sd1.safetensors", declare_inspect},
      {"convert", "write ONNX graphs, tokenizer, scheduler and configuration from a checkpoint",
       "sinter convert models/shapes-sd1.safetensors out/shapes", declare_convert},
      {"repack",
       "write a checkpoint again: another layout, another type, without what only training needs",
       "sinter repack models/shapes-sd1.safetensors out/shapes-diffusers", declare_repack},
      {"verify",
       "compare graphs with reference results, engines with each other, or find where they part",
       "sinter verify out/shapes --against onnxruntime", declare_verify},
      {"plan",
       "before any engine is built: profiles, GPU memory and what fits a card, trtexec lines",
       "sinter plan out/shapes --size 128x128 --vram 8GB", declare_plan},
      {"build", "make TensorRT engines of a converted folder, for GPUs that need not be here",
       "sinter build out/shapes --gpu rtx4090 --size 128x128", declare_build},
      {"engines", "say which engine serves this machine and a size, or why none does",
       "sinter engines out/shapes --size 128x128 --gpu rtx4090", declare_engines},
      {"layers", "say what an engine runs: kernels by type, fused attention, what stays in float32",
       "sinter layers out/shapes", declare_layers},
      {"generate", "draw pictures from prompts",
       "sinter generate models/shapes-sd1.safetensors -p \"a red circle on a blue background\" "
       "--width 128 --height 128 -o circle.png",
       declare_generate},
      {"diagnose", "say what went wrong in a log of any program, where, why, and what to do",
       "sinter diagnose examples/device-mismatch.log", declare_diagnose},
      {"bench", "time loading and steps of a converted folder, and its memory",
       "sinter bench out/shapes --width 128 --height 128", declare_bench},
      {"check", "hold any ONNX file against what a program or TensorRT version can read",
       "sinter check out/shapes/unet/model.onnx --target trt8.6", declare_check},
      {"fold", "compute once what an ONNX file computes in every run, and prove it",
       "sinter fold out/shapes/text_encoder/model.onnx folded.onnx", declare_fold},
      {"export", "write a converted folder as the model repository of a server",
       "sinter export triton out/shapes out/repository", declare_export},
      {"check-image", "say what is wrong with a generated picture, why, and what cures it",
       "sinter check-image circle.png", declare_check_image},
      {"lint", "say where a PyTorch script puts tensors on the wrong device, or exports badly",
       "sinter lint examples/two-devices.py", declare_lint},
      {"memlog", "say what a log of GPU memory shows: leak, fragmentation, peaks, or nothing wrong",
       "sinter memlog examples/memory-leak.log", declare_memlog},
      {"doctor", "say whether GPU, driver, CUDA and Python packages fit, and how to repair it",
       "sinter doctor --lock environment.json", declare_doctor},
      {"guide",
       "what to check from a model to a picture, in which order to search, and what is a myth",
       "sinter guide checklist", declare_guide},
  };
  return table;
}

}  // namespace sinter::cli
