// ONNX Runtime: its execution providers, and sessions that do not start.
#include "sinter/diagnose/log/rules/tables.h"

namespace sinter::diagnose::log::rules {
namespace {

constexpr Cause kCauses[] = {
    {.id = "ort-provider-library",
     .domain = Domain::kOnnxRuntimeProvider,
     .meaning = {"The provider's own library is there; a CUDA, cuDNN or TensorRT library that it "
                 "needs is missing or of another version, so "
                 "ONNX Runtime cannot load it (and may go on silently on the CPU).",
                 "执行提供程序自身的库存在，但它依赖的 CUDA、cuDNN 或 TensorRT "
                 "库缺失或版本不符，因此无法加载（之后可能悄悄改用 CPU）。"},
     .fixes = {{{"install the CUDA and cuDNN major versions that this onnxruntime-gpu was built "
                 "for (1.19 and newer: CUDA 12, cuDNN 9)",
                 "安装该 onnxruntime-gpu 所需的 CUDA 与 cuDNN 主版本（1.19 起：CUDA 12、cuDNN 9）"},
                {"put their folders on PATH / LD_LIBRARY_PATH, or import torch first",
                 "把它们所在目录加入 PATH / LD_LIBRARY_PATH，或先 import torch"},
                {"or install the onnxruntime-gpu that fits the CUDA that is there",
                 "或安装与现有 CUDA 匹配的 onnxruntime-gpu"}}},
     .confirm = {"ldd .../onnxruntime/capi/libonnxruntime_providers_cuda.so | grep 'not found'",
                 "ldd .../onnxruntime/capi/libonnxruntime_providers_cuda.so | grep 'not found'"}},
    {.id = "ort-provider-absent",
     .domain = Domain::kOnnxRuntimeProvider,
     .meaning = {"The installed ONNX Runtime does not have the provider that was asked for: it is "
                 "the CPU package, or both packages are "
                 "installed and the CPU one won.",
                 "已安装的 ONNX Runtime 不含所要求的执行提供程序：装的是 CPU "
                 "版，或两个包同时存在而 CPU 版生效。"},
     .fixes = {{{"pip uninstall -y onnxruntime onnxruntime-gpu, then pip install onnxruntime-gpu",
                 "pip uninstall -y onnxruntime onnxruntime-gpu，然后 pip install onnxruntime-gpu"},
                {"ask for a provider that is there", "改用可用的执行提供程序"}}},
     .confirm = {"python -c \"import onnxruntime; print(onnxruntime.get_available_providers())\"",
                 "python -c \"import onnxruntime; print(onnxruntime.get_available_providers())\""}},
    {.id = "ort-no-kernel",
     .domain = Domain::kOnnxRuntimeProvider,
     .meaning = {"No provider of the session has a kernel for an operator of the graph: the graph "
                 "was optimised for another provider (CUDA), "
                 "or has a type that this one lacks.",
                 "会话中的执行提供程序都没有图中某个算子的实现：图是为另一种执行提供程序（CUDA）优"
                 "化的，或使用了这里不支持的类型。"},
     .fixes = {{{"use the graph from before the optimisation for CUDA",
                 "使用针对 CUDA 优化之前的图"},
                {"run with the provider that it was made for", "用它所针对的执行提供程序运行"},
                {"convert to float32 for the CPU", "在 CPU 上使用 float32 的图"}}},
     .confirm = {"sess.get_providers()", "sess.get_providers()"}},
    {.id = "ort-cuda-failure",
     .domain = Domain::kOnnxRuntimeProvider,
     .meaning = {"The CUDA provider failed in a call of CUDA or cuDNN.",
                 "CUDA 执行提供程序在调用 CUDA 或 cuDNN 时失败。"},
     .fixes = {{{"check that driver, CUDA and cuDNN fit this onnxruntime-gpu",
                 "检查驱动、CUDA、cuDNN 是否与该 onnxruntime-gpu 匹配"},
                {"end other programs on the GPU", "关闭其他占用 GPU 的程序"}}},
     .confirm = {"nvidia-smi", "nvidia-smi"}},
    {.id = "ort-input-type",
     .domain = Domain::kOnnxRuntimeProvider,
     .meaning = {"An input has another element type than the graph declares.",
                 "输入的数据类型与图中声明的不同。"},
     .fixes = {{{"cast the input to what the message calls expected",
                 "把输入转换为报错中 expected 的类型"},
                {"export once more with the types that the program feeds",
                 "按程序实际提供的类型重新导出"}}},
     .confirm = {"[(i.name, i.type) for i in sess.get_inputs()]",
                 "[(i.name, i.type) for i in sess.get_inputs()]"}},
    {.id = "ort-input-shape",
     .domain = Domain::kOnnxRuntimeProvider,
     .meaning = {"An input does not have the shape that the graph was exported with.",
                 "输入的形状与导出图时的不一致。"},
     .fixes = {{{"feed the size that the graph has", "按图的尺寸提供输入"},
                {"export with dynamic axes", "导出时使用动态维度"}}},
     .confirm = {"[(i.name, i.shape) for i in sess.get_inputs()]",
                 "[(i.name, i.shape) for i in sess.get_inputs()]"}},
    {.id = "ort-input-name",
     .domain = Domain::kOnnxRuntimeProvider,
     .meaning = {"The program feeds names that the graph does not have, or leaves one out: the "
                 "graph was exported for another program.",
                 "程序提供的输入名与图不一致或有遗漏：图是为另一个程序导出的。"},
     .fixes = {{{"rename the inputs, or export for this program",
                 "改用图的输入名，或为该程序重新导出"}}},
     .confirm = {"[i.name for i in sess.get_inputs()]", "[i.name for i in sess.get_inputs()]"}},
    {.id = "ort-trt-profile",
     .domain = Domain::kOnnxRuntimeProvider,
     .meaning = {"The TensorRT provider needs minimum, optimum and maximum shapes for all dynamic "
                 "inputs (of each subgraph) or for none, and "
                 "shapes inferred in the graph.",
                 "TensorRT "
                 "执行提供程序要求对（每个子图的）所有动态输入都给出最小、最优、最大形状，或者一个"
                 "都不给，并且图中要有推断出的形状。"},
     .fixes = {{{"give trt_profile_min_shapes, _opt_shapes and _max_shapes for all of them",
                 "为全部输入给出 trt_profile_min_shapes、_opt_shapes、_max_shapes"},
                {"run symbolic_shape_infer.py over the graph", "对图运行 symbolic_shape_infer.py"},
                {"delete the engine cache", "删除引擎缓存"}}},
     .confirm = {"the session's log at level 0", "把会话日志级别设为 0 查看"}},
    {.id = "ort-dml",
     .domain = Domain::kOnnxRuntimeProvider,
     .meaning =
         {"DirectML failed on the GPU: the device was removed or hung, or ran out of memory.",
          "DirectML 在 GPU 上失败：设备被移除、挂起，或显存不足。"},
     .fixes = {{{"update the graphics driver", "更新显卡驱动"},
                {"a smaller picture", "减小图像"},
                {"raise the time-out of the driver (TdrDelay)", "增大驱动超时（TdrDelay）"}}},
     .confirm = {"the system's event log", "查看系统事件日志"}},
    {.id = "ort-failed",
     .domain = Domain::kOnnxRuntimeProvider,
     .meaning = {"ONNX Runtime could not create or run the session.",
                 "ONNX Runtime 无法创建或运行会话。"},
     .fixes = {{{"read the status message: it names the node", "查看状态信息，其中写有出错的节点"},
                {"try the CPU provider alone", "只用 CPU 执行提供程序再试一次"}}},
     .confirm = {"onnxruntime.set_default_logger_severity(0)",
                 "onnxruntime.set_default_logger_severity(0)"}},
};

// Expressions cannot be broken, and rows would be aligned behind them.
// clang-format off
constexpr Pattern kPatterns[] = {
    {.cause = "ort-provider-library",
     .pattern =
         R"re((?:\[ONNXRuntimeError\] : 1 : FAIL : )?(?:Failed to load library (?P<arg>\S*onnxruntime_providers_\w+\.\w+)|LoadLibrary failed with error (?P<code>\d+) .{0,60}when trying to load "?(?P<arg2>[^"]*)))re",
     .example =
         "[E:onnxruntime:Default, provider_bridge_ort.cc:1480 TryGetProviderInfo_CUDA] "
         "[ONNXRuntimeError] : 1 : FAIL : LoadLibrary failed with error 126 \"\" when "
         "trying to load \"C:\\ort\\capi\\onnxruntime_providers_cuda.dll\"",
     .component = "env"},
    {.cause = "ort-provider-library",
     .pattern =
         R"re(Failed to create (?P<arg>CUDA|TensorRT|Tensorrt|TensorrtExecutionProvider|CUDAExecutionProvider|ROCM|OpenVINO)\w*\. (?:Please reference|Require cuDNN|Please )|Please install TensorRT libraries as mentioned in the GPU requirements page|Require cuDNN \d+\.\* and CUDA \d+|CUDA_PATH is set but CUDA wasn't able to be loaded)re",
     .example =
         "[W:onnxruntime:Default, onnxruntime_pybind_state.cc:578 "
         "CreateExecutionProviderInstance] Failed to create CUDAExecutionProvider. Please "
         "reference https://onnxruntime.ai/docs/execution-providers/CUDA-ExecutionProvider.html#requirements",
     .weight = Weight::kSymptom,
     .component = "env"},
    {.cause = "ort-provider-absent",
     .pattern =
         R"re((?:Specified provider|provider|Provider|providers?:?) '?\[?'?(?P<arg>\w+ExecutionProvider)'?\]?'? (?:is )?not (?:in available provider names|available)|(?P<arg2>\w+ExecutionProvider)'? (?:is )?not (?:in available|available|found|supported)|Unknown Provider Type: (?P<arg3>\w+)|Asked to use (?P<arg4>\w+ExecutionProvider) as an ONNX Runtime execution provider, but the available execution providers are)re",
     .example =
         "UserWarning: Specified provider 'CUDAExecutionProvider' is not in available "
         "provider names.Available providers: 'CPUExecutionProvider'",
     .component = "env"},
    {.cause = "ort-provider-absent",
     .pattern =
         R"re(CUDA execution provider is not enabled in this build|(?:this )?(?:ORT|ONNX ?Runtime) build (?:has|only supports) \[?'?\w*ExecutionProvider|since ORT 1\.9, you are required to explicitly set the providers parameter)re",
     .example =
         "ValueError: This ORT build has ['CPUExecutionProvider'] enabled. Since ORT 1.9, "
         "you are required to explicitly set the providers parameter",
     .component = "env"},
    {.cause = "ort-no-kernel",
     .pattern =
         R"re((?:\[ONNXRuntimeError\] : 9 : NOT_IMPLEMENTED : )?(?:Could|Failed to) (?:not )?find an implementation for (?:the node )?(?P<node>[\w./:-]*?):?(?P<op>\w+)\(\d+\))re",
     .example =
         "onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented: [ONNXRuntimeError] "
         ": 9 : NOT_IMPLEMENTED : Could not find an implementation for GroupNorm(1) node "
         "with name 'GroupNorm_0'"},
    {.cause = "ort-no-kernel",
     .pattern =
         R"re(\[ONNXRuntimeError\] : 9 : NOT_IMPLEMENTED|(?P<op>\w+) is not a registered function/op|[Ff]atal [Ee]rror: [\w.:]*(?P<op2>\w+)\([^)]*\) is not a registered)re",
     .example =
         "[ONNXRuntimeError] : 1 : FAIL : Fatal error: com.microsoft:NhwcConv(-1) is not "
         "a registered function/op"},
    {.cause = "ort-input-type",
     .pattern =
         R"re((?:\[ONNXRuntimeError\] : 2 : INVALID_ARGUMENT : )?Unexpected input data type\. Actual: \((?P<x>[^)]*\)?)\) ?, expected: \((?P<y>[^)]*\)?)\)|Tensor element data type discovered: (?P<x2>\w+) metadata expected: (?P<y2>\w+))re",
     .example =
         "onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument: [ONNXRuntimeError] "
         ": 2 : INVALID_ARGUMENT : Unexpected input data type. Actual: (tensor(float)) , "
         "expected: (tensor(float16))",
     .component = "runtime",
     .side = Side::kData},
    {.cause = "ort-input-shape",
     .pattern =
         R"re((?:\[ONNXRuntimeError\] : 2 : INVALID_ARGUMENT : )?(?:Got invalid dimensions for input: (?P<arg>[\w.:/]+)|Invalid rank for input: (?P<arg2>[\w.:/]+)))re",
     .example =
         "[ONNXRuntimeError] : 2 : INVALID_ARGUMENT : Got invalid dimensions for input: "
         "sample for the following indices index: 2 Got: 96 Expected: 64",
     .side = Side::kData},
    {.cause = "ort-input-name",
     .pattern =
         R"re((?:\[ONNXRuntimeError\] : 2 : INVALID_ARGUMENT : )?(?:Invalid [Ff]eed [Ii]nput [Nn]ame: ?(?P<arg>[\w.:/]+)|Missing Input: (?P<arg2>[\w.:/]+))|Required inputs \(\[(?P<arg3>[^\]]*)\]\) are missing from input feed)re",
     .example =
         "ValueError: Required inputs (['timestep_cond']) are missing from input feed "
         "(['sample', 'timestep', 'encoder_hidden_states']).",
     .side = Side::kData},
    {.cause = "ort-trt-profile",
     .pattern =
         R"re(TensorRT EP (?:could not|failed to|cannot) (?:build|deserialize|create|parse)[^\n]{0,120}|User needs to provide all the dynamic shape inputs|TensorRT input: (?P<arg>\S+) has no shape specified|please run shape inference on the onnx model first|graph_build\.Resolve\(\)\.IsOK\(\) was false)re",
     .example =
         "[ONNXRuntimeError] : 1 : FAIL : TensorRT input: /Concat_3_output_0 has no shape "
         "specified. Please run shape inference on the onnx model first."},
    {.cause = "ort-dml",
     .pattern =
         R"re(887A000[4-7]|dml_provider_factory|DXGI_ERROR_DEVICE_(?:REMOVED|HUNG)|The GPU (?:device instance has been suspended|will not respond to more commands)|DmlExecutionProvider.{0,120}(?:[Ee]xception|failed))re",
     .example =
         "Status Message: D:\\a\\DmlExecutionProvider\\src\\MLOperatorAuthorImpl.cpp(1866)\\onnxruntime.dll: "
         "Exception(3) 887A0006 The GPU will not respond to more commands"},
    {.cause = "ort-cuda-failure",
     .pattern =
         R"re((?:CUDA|CUDNN|CUBLAS|CUDNN_FE) failure \d+: .*expr=(?:\w+\.)?(?P<op>cudnn_fe_graph|cudnn(?:Conv|Get|Find|Pool|Batch|Norm|Soft|Op|RNN)\w*|cublas\w*(?:[Gg]emm|[Gg]emv)\w*|cuda(?:Memcpy|Memset|Stream|Event)\w*))re",
     .example =
         "CUDNN failure 8: CUDNN_STATUS_EXECUTION_FAILED ; GPU=0 ; hostname=box ; "
         "expr=cudnnConvolutionForward(s_.handle, &alpha);",
     .component = "runtime"},
    {.cause = "ort-cuda-failure",
     .pattern =
         R"re((?:CUDA|CUDNN|CUBLAS|cuDNN) failure \d+: .{0,80}?(?: ;|$)(?:.*expr=(?P<op>\w+)\()?|cudnnException|onnxruntime::CudaCall)re",
     .example =
         "CUDA failure 100: no CUDA-capable device is detected ; GPU=-1 ; hostname=box ; "
         "expr=cudaSetDevice(info_.device_id);",
     .component = "env"},
    {.cause = "ort-failed",
     .pattern =
         R"re((?:\[ONNXRuntimeError\] : \d+ : \w+ : )?Non-zero status code returned while running (?P<op>\w+) node\. Name:'(?P<arg>[^']*)')re",
     .example =
         "[ONNXRuntimeError] : 6 : RUNTIME_EXCEPTION : Non-zero status code returned "
         "while running Reshape node. Name:'/mid_block/attentions.0/Reshape_4' Status "
         "Message: reshape_helper.h:36 the input tensor cannot be reshaped"},
    {.cause = "ort-failed",
     .pattern = R"re(\[ONNXRuntimeError\] : \d+ : (?P<code>\w+) : )re",
     .example =
         "onnxruntime.capi.onnxruntime_pybind11_state.RuntimeException: "
         "[ONNXRuntimeError] : 6 : RUNTIME_EXCEPTION : Exception during initialization",
     .weight = Weight::kSymptom},
};
// clang-format on

}  // namespace

constinit const RuleSet kProviderRules{kCauses, kPatterns};

}  // namespace sinter::diagnose::log::rules
