#include <array>

#include "sinter/diagnose/guide/guide.h"

namespace sinter::diagnose::guide {
namespace {

constexpr std::array kMyths{
    Myth{{"TensorRT causes \"Expected all tensors to be on the same device\".",
          "“Expected all tensors to be on the same device” 是 TensorRT 引起的。"},
         {"PyTorch raises it while it runs or traces the model; no engine exists yet. Look for "
          "weights left behind by "
          "offloading, dummy inputs, and tensors that .to() does not know.",
          "这是 PyTorch 在运行或跟踪模型时抛出的，此时还没有引擎。要查的是被卸载策略留在 CPU "
          "的权重、示例输入，以及 "
          ".to() 管不到的张量。"}},
    Myth{{"pipe.to(\"cuda\") moves everything.", "pipe.to(\"cuda\") 会移动所有东西。"},
         {"It moves registered modules, parameters and buffers. Tensors in plain attributes, lists "
          "and dicts stay, and "
          "tensor.to() returns a copy that has to be assigned.",
          "它只移动注册过的模块、参数和缓冲区。普通属性、列表、字典里的张量不会动；tensor.to() "
          "返回副本，必须重新赋值。"}},
    Myth{{"The CUDA version that nvidia-smi shows is the one that is installed.",
          "nvidia-smi 显示的 CUDA 版本就是已安装的版本。"},
         {"It is the newest that the driver supports. Which one runs is decided by torch's build "
          "(torch.version.cuda).",
          "那是驱动支持的最高版本。实际使用哪个由 torch 的构建决定（torch.version.cuda）。"}},
    Myth{{"PyTorch needs the CUDA toolkit installed.", "用 PyTorch 必须先装 CUDA toolkit。"},
         {"Its wheels bring the runtime, cuBLAS and cuDNN; only the driver has to be there. A "
          "toolkit is for compiling "
          "extensions, and then of torch's version.",
          "它的 wheel 自带运行库、cuBLAS 和 cuDNN，只需要驱动。toolkit "
          "只在编译扩展时才需要，且版本要与 torch 一致。"}},
    Myth{{"onnxruntime and onnxruntime-gpu can be installed side by side.",
          "onnxruntime 和 onnxruntime-gpu 可以同时安装。"},
         {"They write the same files; the later one wins, and removing one breaks both. Remove "
          "both, install one.",
          "两者写入相同的文件，后装的覆盖先装的，卸载一个两个都坏。应全部卸载后只装一个。"}},
    Myth{{"torch.no_grad() is the same as model.eval().", "torch.no_grad() 等同于 model.eval()。"},
         {"no_grad() keeps no graph; eval() turns dropout off and fixes batch norms. Both are "
          "needed.",
          "no_grad() 不保留计算图；eval() 关闭 dropout 并固定批归一化。两者都要。"}},
    Myth{{"torch.cuda.empty_cache() cures out-of-memory errors.",
          "torch.cuda.empty_cache() 能解决显存不足。"},
         {"It returns unused blocks to the driver. What is referenced stays, and PyTorch had tried "
          "it itself before it gave "
          "up; it helps other programs, and against fragmentation.",
          "它只把未使用的块还给驱动，被引用的不会释放，而且 PyTorch "
          "报错前自己已经试过。它对其他程序和碎片化有帮助。"}},
    Myth{{"Memory that nvidia-smi shows as used is leaked.", "nvidia-smi 显示占用不降就是泄漏。"},
         {"The caching allocator keeps what it has reserved. A leak is what "
          "torch.cuda.memory_allocated() shows growing "
          "after each round.",
          "缓存分配器会保留已申请的显存。只有每轮之后 torch.cuda.memory_allocated() "
          "持续增长才是泄漏。"}},
    Myth{{"float16 is float32 in half the space.", "float16 就是占一半空间的 float32。"},
         {"It ends at 65504 and has 3 digits. SDXL's VAE and SD 2.1's attention exceed that and "
          "give NaN; bfloat16 has the "
          "range, with fewer digits.",
          "它最大只到 65504，有效数字约 3 位。SDXL 的 VAE 和 SD 2.1 的注意力会超出而得到 "
          "NaN；bfloat16 范围够，但精度更低。"}},
    Myth{{"A black picture is the safety filter.", "黑图就是安全过滤器。"},
         {"Mostly it is NaN from the VAE. The filter says so in the log, and its black is there "
          "for some prompts only.",
          "多数是 VAE 输出了 NaN。过滤器会在日志里说明，而且只对部分提示词变黑。"}},
    Myth{{"A graph that onnx.checker accepts is right.", "onnx.checker 通过就说明图是对的。"},
         {"It checks form. Right numbers are shown only by comparing with the model on the same "
          "inputs.",
          "它只检查格式。数值是否正确要用相同输入与原模型比较。"}},
    Myth{{"The highest opset is the best.", "算子集版本越高越好。"},
         {"Each engine parses up to its own. Opset 17 is taken by all TensorRT since 8.6.",
          "每个引擎只支持到某个版本。opset 17 从 TensorRT 8.6 起都能解析。"}},
    Myth{{"Dynamic axes let any size run.", "设了动态维度就能跑任意尺寸。"},
         {"The profile of the engine sets the limits, and the UNet halves three times: multiples "
          "of 64 pixels are always "
          "safe.",
          "范围由引擎的 profile 决定，而 UNet 要减半三次：64 的倍数总是安全的。"}},
    Myth{
        {"An engine file can be shared like a model.", "引擎文件可以像模型一样分享。"},
        {"It belongs to one TensorRT version, GPU kind and operating system. Share the ONNX graph.",
         "它只属于某个 TensorRT 版本、GPU 型号和操作系统。应分享 ONNX 图。"}},
    Myth{{"xformers is needed for speed.", "没有 xformers 就慢。"},
         {"Since PyTorch 2.0 scaled_dot_product_attention is built in and as fast on most cards; "
          "an xformers built for "
          "another torch is a frequent fault.",
          "PyTorch 2.0 起内置 scaled_dot_product_attention，在多数显卡上同样快；为别的 torch "
          "编译的 xformers 倒是常见的故障。"}},
    Myth{{"The model has to be exported on the GPU.", "必须在 GPU 上导出模型。"},
         {"Exporting on the CPU in float32 gives the same graph, needs no video memory and avoids "
          "mixed devices; precision is "
          "chosen afterwards.",
          "在 CPU 上用 float32 导出得到同样的图，不占显存，也不会混用设备；精度可以之后再选。"}},
};

}  // namespace

std::span<const Myth> myths() { return kMyths; }

}  // namespace sinter::diagnose::guide
