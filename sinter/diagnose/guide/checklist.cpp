#include <algorithm>
#include <array>

#include "sinter/diagnose/guide/guide.h"

namespace sinter::diagnose::guide {
namespace {

constexpr std::array kChecklist{
    Step{1,
         "environment",
         {"Environment", "环境"},
         {"Driver, CUDA build of torch, cuDNN, ONNX Runtime and TensorRT fit each other, and there "
          "is one install of "
          "each.",
          "驱动、torch 的 CUDA 版本、cuDNN、ONNX Runtime 与 TensorRT 相互匹配，每个包只装了一份。"},
         "sinter doctor",
         {"Whatever follows may fail for a reason that no change to the script can cure; repair "
          "this first.",
          "后面的失败可能与脚本无关，改代码也没用；先修好环境。"}},
    Step{2,
         "devices",
         {"Devices", "设备"},
         {"Every parameter, buffer, plain attribute and input is on the same device, also the ones "
          "that .to() does not "
          "reach (lists, dicts, adapters, schedulers' tables).",
          "所有参数、缓冲区、普通属性和输入都在同一设备上，包括 .to() "
          "管不到的（列表、字典、适配器、调度器的表）。"},
         "sinter lint export.py",
         {"\"Expected all tensors to be on the same device\" during the run or the export: PyTorch "
          "stops, TensorRT has "
          "not been reached.",
          "运行或导出时报 \"Expected all tensors to be on the same device\"：这是 PyTorch "
          "停下的，还没轮到 TensorRT。"}},
    Step{3,
         "eval",
         {"Evaluation mode", "推理模式"},
         {"model.eval() and torch.no_grad() (or inference_mode) before tracing: dropout is off, no "
          "graph is kept.",
          "跟踪前调用 model.eval() 并使用 torch.no_grad()（或 inference_mode）：关闭 "
          "dropout，不保留计算图。"},
         "sinter lint export.py",
         {"Results change from run to run, Dropout nodes stand in the graph, or memory grows "
          "during export.",
          "每次结果不同，图里出现 Dropout 节点，或导出时显存不断增长。"}},
    Step{4,
         "dtypes",
         {"Element types", "精度一致"},
         {"Weights and inputs have one floating type per network; ids are int64 or int32 as the "
          "graph says; no float64 "
          "slips in from numpy.",
          "每个网络的权重与输入使用同一种浮点类型；token id 按图的要求用 int64 或 int32；没有从 "
          "numpy 混入 float64。"},
         "sinter lint export.py",
         {"\"expected scalar type Half but found Float\", or casts all over the graph that make it "
          "slow.",
          "报 \"expected scalar type Half but found Float\"，或图里到处是 Cast，速度变慢。"}},
    Step{5,
         "inputs",
         {"Dummy inputs", "示例输入"},
         {"Example inputs have the family's shapes: 4 (inpainting: 9) latent channels, 77 tokens, "
          "context of 768 (SD 1), "
          "1024 (SD 2) or 2048 (SDXL) with text_embeds and time_ids, batch of 2 for guidance.",
          "示例输入符合模型系列：潜变量 4 通道（局部重绘 9），77 个 token，上下文宽度 768（SD "
          "1）、1024（SD 2）或 "
          "2048（SDXL，另需 text_embeds 和 time_ids），有引导时批量为 2。"},
         "sinter inspect model.safetensors",
         {"\"mat1 and mat2 shapes cannot be multiplied\" or a Concat that does not fit: inputs of "
          "another family.",
          "报 \"mat1 and mat2 shapes cannot be multiplied\" 或 Concat "
          "不匹配：用了别的系列的输入。"}},
    Step{6,
         "opset",
         {"Opset", "算子集版本"},
         {"Opset 17 is in the graph: every TensorRT since 8.6 parses it, and it has "
          "LayerNormalization. Higher ones only "
          "for what needs them.",
          "图使用 opset 17：TensorRT 8.6 以来都能解析，并且有 "
          "LayerNormalization。确有需要再用更高版本。"},
         "python -c \"import onnx; print(onnx.load('unet/model.onnx', "
         "load_external_data=False).opset_import)\"",
         {"\"Exporting the operator ... to ONNX opset version ... is not supported\" (too low) or "
          "the parser refuses the "
          "graph (too high for this TensorRT).",
          "报 \"Exporting the operator ... is not supported\"（太低），或解析器拒绝该图（对这个 "
          "TensorRT 太高）。"}},
    Step{7,
         "axes",
         {"Dynamic axes", "动态维度"},
         {"Batch, height and width of the latent and the number of tokens are symbolic in the "
          "graph if they are to change; "
          "no size has been frozen by an int() or .shape in Python.",
          "需要变化的批量、潜变量高宽和 token 数在图里是符号维度；没有被 Python 里的 int() 或 "
          ".shape 固定下来。"},
         "trtexec --onnx=unet/model.onnx --skipInference "
         "--minShapes=sample:1x4x32x32,timestep:1,encoder_hidden_states:1x77x768",
         {"It works at the exported size and fails at every other: a constant in a Reshape or "
          "Expand.",
          "只在导出时的尺寸下能用，其他尺寸都失败：Reshape 或 Expand 里有常量。"}},
    Step{8,
         "sizes",
         {"Sizes", "图片尺寸"},
         {"Width and height are multiples of 64; of 8 at the least, and then only where upsampling "
          "takes the size of the "
          "skip connection.",
          "宽高取 64 的倍数；至少是 8 的倍数，且只有上采样按跳跃连接的尺寸缩放时才行。"},
         "sinter verify out/ --against onnxruntime",
         {"\"Sizes of tensors must match except in dimension 1\", Concat 87 against 88: the latent "
          "did not halve evenly "
          "three times.",
          "报 \"Sizes of tensors must match except in dimension 1\"，Concat 中 87 对 "
          "88：潜变量不能整除地减半三次。"}},
    Step{9,
         "folding",
         {"Constant folding", "常量折叠"},
         {"Folding is on (do_constant_folding=True) and all constants are on one device; shape "
          "arithmetic has become "
          "constants or Shape chains that the engine understands.",
          "打开常量折叠（do_constant_folding="
          "True），且常量都在同一设备上；形状运算已变成常量或引擎能理解的 Shape 链。"},
         "polygraphy surgeon sanitize --fold-constants unet/model.onnx -o folded.onnx",
         {"A device error during export only, or \"... must be an initializer\" in TensorRT's "
          "parser.",
          "只在导出时出现设备错误，或 TensorRT 解析器报 \"... must be an initializer\"。"}},
    Step{10,
         "external-data",
         {"External data", "外部数据"},
         {"A graph beyond 2 GB (SD 1.5's UNet in float32, SDXL's in any type) keeps its weights in "
          "a file beside it, and the "
          "two are moved together.",
          "超过 2 GB 的图（SD 1.5 的 float32 UNet、任何精度的 SDXL "
          "UNet）把权重放在旁边的文件里，两个文件要一起移动。"},
         "ls -l unet/",
         {"\"ModelProto exceeds maximum protobuf size of 2GB\", or \"model.onnx_data: No such "
          "file\" after copying only the "
          ".onnx.",
          "报 \"ModelProto exceeds maximum protobuf size of 2GB\"，或只复制了 .onnx 后报找不到 "
          "model.onnx_data。"}},
    Step{11,
         "checker",
         {"Checker", "图检查"},
         {"onnx.checker accepts the graph, called with the path (not the loaded model) when it has "
          "external data.",
          "onnx.checker 通过；有外部数据时传入路径而不是已加载的模型。"},
         "python -c \"import onnx; onnx.checker.check_model('unet/model.onnx')\"",
         {"The export went wrong although it said nothing; look for a first error that was caught "
          "and logged.",
          "导出其实出了错只是没有抛出；到日志里找被捕获的第一个错误。"}},
    Step{12,
         "ort-compare",
         {"Comparison on ONNX Runtime", "与 ONNX Runtime 对比"},
         {"On the CPU in float32 the graph gives what PyTorch gave for the same inputs: within "
          "1e-4 of the output's scale.",
          "在 CPU 上用 float32 运行，同样的输入得到与 PyTorch 相同的结果：误差在输出尺度的 1e-4 "
          "以内。"},
         "sinter verify unet/model.onnx --reference case.safetensors --engine onnxruntime",
         {"The graph is not the model: a frozen branch, a wrong mode, other weights. No engine can "
          "make it right.",
          "图与模型不一致：分支被固定、模式不对或权重不同。换什么引擎都没用。"}},
    Step{13,
         "precision",
         {"Precision", "精度"},
         {"float16 is used where it holds: the VAE of SDXL and the attention of SD 2.1 overflow "
          "and stay in float32 or "
          "bfloat16; norms sum in float32.",
          "float16 只用在数值范围够用的地方：SDXL 的 VAE 和 SD 2.1 的注意力会溢出，应保持 float32 "
          "或 "
          "bfloat16；归一化用 "
          "float32 累加。"},
         "sinter verify out/ --bisect",
         {"NaN, black or grey pictures while float32 is fine; --bisect names the first module.",
          "float32 正常而半精度出现 NaN、黑图或灰图；--bisect 会指出第一个出错的模块。"}},
    Step{14,
         "engine-build",
         {"Engine build and profile", "构建引擎与 profile"},
         {"min, opt and max are given for every dynamic input, cover what will be asked (batch "
          "times two for guidance, 77 "
          "tokens a chunk, latent is pixels / 8), and no more: memory follows max.",
          "每个动态输入都给出 min、opt、max，覆盖实际请求（有引导时批量乘 2，每段 77 个 "
          "token，潜变量 = 像素 / 8），"
          "但不要更大：显存由 max 决定。"},
         "trtexec --onnx=unet/model.onnx --saveEngine=unet.plan --minShapes=... --optShapes=... "
         "--maxShapes=...",
         {"\"Could not find any implementation\" (workspace or memory), out of memory while "
          "building, or at run time "
          "\"satisfyProfile\": a request outside the profile.",
          "报 \"Could not find any implementation\"（工作区或显存不足）、构建时显存不足，或运行时 "
          "\"satisfyProfile\"："
          "请求超出 profile。"}},
    Step{15,
         "engine-match",
         {"Engine and machine", "引擎与机器匹配"},
         {"The plan was built by the TensorRT that loads it, on the same kind of GPU and operating "
          "system, from the weights "
          "that are in use.",
          "引擎由加载它的同一版本 TensorRT 构建，GPU 型号和操作系统一致，并来自当前使用的权重。"},
         "sinter doctor",
         {"\"Version tag does not match\", \"compiled for another compute capability\": build it "
          "again. A changed LoRA or "
          "checkpoint without effect: refit or rebuild.",
          "报 \"Version tag does not match\" 或计算能力不符：重新构建。换了 LoRA "
          "或检查点没有变化：更新权重或重新构建。"}},
    Step{16,
         "picture",
         {"Picture", "图片"},
         {"The first picture of the whole chain, fixed seed, beside the one of PyTorch.",
          "固定种子，用整条链生成第一张图，与 PyTorch 的图放在一起比较。"},
         "sinter check-image picture.png",
         {"Black: NaN. Grey: scaling factor. Cast: another VAE. Noise: steps or prediction type. "
          "Seams: tiles.",
          "黑：NaN。灰：缩放系数。偏色：VAE 不对。噪点：步数或预测类型。接缝：分块。"}},
};

}  // namespace

std::span<const Step> checklist() { return kChecklist; }

const Step* find_step(std::string_view name) {
  const auto* step = std::ranges::find(kChecklist, name, &Step::name);
  return step == kChecklist.end() ? nullptr : step;
}

std::vector<Topic> topics() {
  std::vector<Topic> topics{
      {"checklist", {"the sixteen steps from a model to a picture", "从模型到图片的十六步"}},
      {"triage", {"in which order to search", "按什么顺序排查"}},
      {"myths", {"what is often said, and what is true", "常见误解与事实"}}};
  for (const Step& step : kChecklist) topics.push_back({step.name, step.title});
  return topics;
}

}  // namespace sinter::diagnose::guide
