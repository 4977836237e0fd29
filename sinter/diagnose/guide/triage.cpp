#include <array>

#include "sinter/diagnose/guide/guide.h"

namespace sinter::diagnose::guide {
namespace {

constexpr std::array kTriage{
    Triage{1,
           {"What does the first error of the log say (not the last)?",
            "日志里第一个错误（不是最后一个）是什么？"},
           "sinter diagnose run.log",
           {"It names the domain; the steps below are for when it cannot.",
            "它会指出问题领域；若判断不了，再按下面的顺序查。"}},
    Triage{2,
           {"Does the environment fit together?", "环境各部分匹配吗？"},
           "sinter doctor",
           {"If not, stop here: later errors are its echoes.",
            "不匹配就先修这里：后面的错误往往都是它引起的。"}},
    Triage{3,
           {"Is the model file whole, and of the family that the script takes it for?",
            "模型文件完整吗？是脚本以为的那个系列吗？"},
           "sinter inspect model.safetensors",
           {"Damaged: download again. Another family: other shapes, VAE, scheduler.",
            "损坏就重新下载；系列不同则形状、VAE、调度器都要换。"}},
    Triage{4,
           {"Does it run in plain PyTorch, float32, on the CPU, one step?",
            "用纯 PyTorch、float32、CPU 跑一步行吗？"},
           "sinter lint export.py",
           {"If it does not, it is the script or the model; if it does, devices, types or memory "
            "come next.",
            "不行是脚本或模型的问题；行的话接着查设备、精度和显存。"}},
    Triage{5,
           {"Does it fail only on the GPU?", "只在 GPU 上失败吗？"},
           "sinter memlog run.log",
           {"Memory, or a tensor that stayed on the CPU. CUDA_LAUNCH_BLOCKING=1 makes the "
            "traceback name the right line.",
            "显存不足，或有张量留在 CPU。设 CUDA_LAUNCH_BLOCKING=1 能让回溯指向真正的行。"}},
    Triage{6,
           {"Does it run, but the export fails?", "能运行但导出失败吗？"},
           "sinter convert model.safetensors out/",
           {"Opset, attention back-end (switch to the plain one for the export), Python control "
            "flow, devices of constants. "
            "sinter convert needs no export.",
            "查算子集版本、注意力后端（导出时换成普通实现）、Python 控制流、常量所在设备。sinter "
            "convert 不需要导出。"}},
    Triage{7,
           {"Does the graph give PyTorch's numbers on ONNX Runtime's CPU provider?",
            "图在 ONNX Runtime 的 CPU 上结果与 PyTorch 一致吗？"},
           "sinter verify out/ --against onnxruntime",
           {"If not, the export is wrong. If so, the engine or its precision is.",
            "不一致是导出有误；一致则是引擎或精度的问题。"}},
    Triage{8,
           {"Does TensorRT's parser take the graph?", "TensorRT 解析器接受这张图吗？"},
           "trtexec --onnx=unet/model.onnx --skipInference",
           {"A named operator or opset that this version does not have: the table of versions "
            "decides.",
            "缺少某个算子或算子集版本：按版本对照表处理。"}},
    Triage{9,
           {"Does the engine build, and does it load where it runs?",
            "引擎能构建、能在运行的机器上加载吗？"},
           "trtexec --loadEngine=unet.plan",
           {"Build: memory and profile. Load: version, GPU, operating system.",
            "构建失败查显存和 profile；加载失败查版本、GPU、操作系统。"}},
    Triage{10,
           {"Is only the picture wrong?", "只是图片不对吗？"},
           "sinter check-image picture.png",
           {"The kind of damage names the stage: VAE, scheduler, scaling, tiles.",
            "从图片的毛病就能判断阶段：VAE、调度器、缩放或分块。"}},
};

}  // namespace

std::span<const Triage> triage() { return kTriage; }

}  // namespace sinter::diagnose::guide
