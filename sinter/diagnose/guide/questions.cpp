#include <array>

#include "sinter/diagnose/guide/guide.h"

namespace sinter::diagnose::guide {
namespace {

constexpr Answer kNone{{"", ""}, -1, {}, ""};

// The places of the questions in the table.
enum Place { kWhen, kRun, kExport, kBuild, kPicture, kMemory };

constexpr std::array kQuestions{
    Question{{"When does it go wrong?", "问题出现在哪个阶段？"},
             {{{{"on import or start", "导入或启动时"}, -1, {"environment"}, "dependency"},
               {{"while PyTorch runs the model", "PyTorch 运行模型时"}, kRun, {}, ""},
               {{"while exporting to ONNX", "导出 ONNX 时"}, kExport, {}, ""},
               {{"while building or loading the TensorRT engine", "构建或加载 TensorRT 引擎时"},
                kBuild,
                {},
                ""},
               {{"it runs, but the picture is wrong", "能运行，但图片不对"}, kPicture, {}, ""},
               {{"out of memory", "显存不足"}, kMemory, {}, ""}}}},
    Question{
        {"What does the message speak of?", "报错提到什么？"},
        {{{{"devices: cpu and cuda:0", "设备：cpu 与 cuda:0"},
           -1,
           {"devices", "inputs", "eval"},
           "device-mismatch"},
          {{"types: Half and Float", "精度：Half 与 Float"},
           -1,
           {"dtypes", "precision"},
           "precision"},
          {{"shapes or sizes", "形状或尺寸"}, -1, {"inputs", "sizes"}, "model"},
          {{"a missing kernel or library, or an illegal instruction", "缺少内核或库，或非法指令"},
           -1,
           {"environment"},
           "dependency"},
          kNone,
          kNone}}},
    Question{{"How does the export fail?", "导出怎样失败？"},
             {{{{"a device error that the plain run does not have", "普通运行没有的设备错误"},
                -1,
                {"folding", "devices", "inputs"},
                "device-mismatch"},
               {{"an operator or opset is not supported", "算子或算子集不支持"},
                -1,
                {"opset", "environment"},
                "onnx-export"},
               {{"larger than 2 GB, or a file is missing", "超过 2 GB，或缺少文件"},
                -1,
                {"external-data"},
                "onnx-export"},
               {{"it ends well, but other sizes fail", "导出成功，但换尺寸就失败"},
                -1,
                {"axes", "sizes"},
                "onnx-export"},
               {{"it ends well, but the numbers differ", "导出成功，但数值不同"},
                -1,
                {"eval", "ort-compare", "checker"},
                "onnx-export"},
               kNone}}},
    Question{{"What does TensorRT say?", "TensorRT 报什么？"},
             {{{{"the parser refuses the graph", "解析器拒绝该图"},
                -1,
                {"opset", "folding", "checker"},
                "tensorrt-build"},
               {{"no implementation for a node, or no memory", "某个节点没有实现，或显存不足"},
                -1,
                {"engine-build", "precision"},
                "tensorrt-build"},
               {{"the plan does not load: version tag, compute capability",
                 "引擎无法加载：版本标签或计算能力"},
                -1,
                {"engine-match", "environment"},
                "tensorrt-runtime"},
               {{"a shape is outside the profile", "形状超出 profile"},
                -1,
                {"engine-build", "axes", "sizes"},
                "tensorrt-runtime"},
               kNone,
               kNone}}},
    Question{
        {"What does the picture look like?", "图片是什么样？"},
        {{{{"black, or with black points or tiles", "全黑，或有黑点、黑块"},
           -1,
           {"precision", "picture"},
           "precision"},
          {{"grey or of a wrong colour", "发灰或偏色"}, -1, {"picture", "inputs"}, "output"},
          {{"noise", "噪点"}, -1, {"picture", "ort-compare", "engine-match"}, "output"},
          {{"seams or squares", "接缝或方块"}, -1, {"picture", "dtypes", "engine-match"}, "output"},
          {{"a different picture than PyTorch's", "与 PyTorch 的图不同"},
           -1,
           {"ort-compare", "precision", "dtypes"},
           "output"},
          kNone}}},
    Question{
        {"When is the memory used up?", "显存在什么时候用完？"},
        {{{{"while loading", "加载时"}, -1, {"dtypes", "environment"}, "vram"},
          {{"at the end of the first picture", "第一张图快完成时"},
           -1,
           {"sizes", "precision"},
           "vram"},
          {{"after some rounds", "若干轮之后"}, -1, {"eval"}, "vram"},
          {{"while building the engine", "构建引擎时"}, -1, {"engine-build"}, "tensorrt-build"},
          kNone,
          kNone}}},
};

}  // namespace

std::span<const Question> questions() { return kQuestions; }

}  // namespace sinter::diagnose::guide
