// torch.onnx, the optimizers behind it, and graphs that cannot be right.
#include "sinter/diagnose/log/rules/tables.h"

namespace sinter::diagnose::log::rules {
namespace {

constexpr Text kSinter{"convert without PyTorch: sinter convert CHECKPOINT OUT",
                       "不经过 PyTorch 直接转换：sinter convert CHECKPOINT OUT"};

constexpr Cause kCauses[] = {
    {.id = "export-operator",
     .domain = Domain::kOnnxExport,
     .meaning = {"The exporter has no ONNX form for an operator that the model uses.",
                 "导出器没有为模型使用的某个算子提供 ONNX 形式。"},
     .fixes = {{{"a newer opset and PyTorch (scaled_dot_product_attention: PyTorch 2.1, opset 14)",
                 "使用更新的 opset 和 PyTorch（scaled_dot_product_attention 需要 PyTorch "
                 "2.1、opset 14）"},
                {"use the plain form of the operator while exporting (plain attention processor, "
                 "no xformers)",
                 "导出时改用该算子的普通实现（普通注意力处理器，关闭 xformers）"},
                kSinter}},
     .confirm =
         {"python -c \"import torch; print(torch.__version__)\" and the opset_version of the call",
          "python -c \"import torch; print(torch.__version__)\"，并查看调用中的 opset_version"}},
    {.id = "export-custom-operator",
     .domain = Domain::kOnnxExport,
     .meaning = {"The model was traced while it used a custom operator (xformers, flash attention, "
                 "a compiled extension), which has no ONNX "
                 "form. A newer opset does not help.",
                 "追踪模型时使用了自定义算子（xformers、flash attention、编译的扩展），它没有 ONNX "
                 "形式，提高 opset 也没有用。"},
     .fixes = {{{"switch xformers / flash attention off for the export",
                 "导出时关闭 xformers 或 flash attention"},
                {"pipe.unet.set_attn_processor(AttnProcessor())",
                 "pipe.unet.set_attn_processor(AttnProcessor())"},
                kSinter}},
     .confirm = {"grep the graph's domain names: only ai.onnx belongs there",
                 "检查图中的算子域：应当只有 ai.onnx"}},
    {.id = "export-opset",
     .domain = Domain::kOnnxExport,
     .meaning = {"The opset that was asked for is not one that this exporter knows or that the "
                 "operator exists in.",
                 "所要求的 opset 不被当前导出器支持，或该算子在这个 opset 中还不存在。"},
     .fixes = {{{"opset 17 (14 at least for attention)", "使用 opset 17（注意力至少需要 14）"},
                {"update PyTorch", "更新 PyTorch"},
                kSinter}},
     .confirm = {"the opset_version of the call", "查看调用中的 opset_version"}},
    {.id = "export-two-gigabytes",
     .domain = Domain::kOnnxExport,
     .meaning =
         {"A protobuf message cannot be larger than 2 GiB, and the graph with its weights is.",
          "protobuf 消息不能超过 2 GiB，而图连同权重超过了这个上限。"},
     .fixes = {{{"write the weights beside the graph: save_as_external_data=True",
                 "把权重存到图外：save_as_external_data=True"},
                {"let the checker read the file: onnx.checker.check_model(path)",
                 "让检查器读取文件：onnx.checker.check_model(路径)"},
                {"export in float16", "以 float16 导出"},
                kSinter}},
     .confirm = {"size of the weights", "查看权重大小"}},
    {.id = "export-trace-data-dependent",
     .domain = Domain::kOnnxExport,
     .meaning = {"The exporter met Python control flow or sizes that depend on data, which a graph "
                 "cannot hold.",
                 "导出器遇到了依赖数据的 Python 控制流或尺寸，图里无法表达。"},
     .fixes = {{{"keep sizes out of the forward, or mark them dynamic",
                 "不要在 forward 里依赖具体尺寸，或将其标为动态"},
                {"try the other exporter (dynamo=True / False)",
                 "换另一种导出器（dynamo=True / False）"},
                kSinter}},
     .confirm = {"the line of the model that the stack ends with",
                 "查看调用栈最后停在模型的哪一行"}},
    {.id = "export-arguments",
     .domain = Domain::kOnnxExport,
     .meaning = {"The call of the exporter and the model's forward do not agree on the inputs "
                 "(names, number, kind).",
                 "导出调用与模型 forward 的输入不一致（名称、数量或类型）。"},
     .fixes = {{{"pass the inputs in the order of forward; wrap outputs that are dicts",
                 "按 forward 的顺序传入输入；输出为字典时先包装"},
                {"check input_names and dynamic_axes", "检查 input_names 和 dynamic_axes"},
                {"return tuples: return_dict=False", "返回元组：return_dict=False"}}},
     .confirm = {"inspect.signature(model.forward)", "inspect.signature(model.forward)"}},
    {.id = "export-invalid-graph",
     .domain = Domain::kOnnxExport,
     .meaning = {"The graph breaks a rule of ONNX: a type or a shape that an operator does not "
                 "allow. A tool that rewrote the graph is the "
                 "usual reason (half conversion, int64 to int32, folding).",
                 "图违反了 ONNX "
                 "的规则：某个算子收到了不允许的类型或形状。通常是改写图的工具造成的（半精度转换、i"
                 "nt64 改 int32、常量折叠）。"},
     .fixes = {{{"use the graph from before the rewrite", "使用改写之前的图"},
                {"keep shape inputs int64; let the converter skip the node (op_block_list, "
                 "keep_io_types)",
                 "形状输入保持 int64；让转换工具跳过该节点（op_block_list、keep_io_types）"},
                kSinter}},
     .confirm = {"onnx.checker.check_model(path, full_check=True)",
                 "onnx.checker.check_model(路径, full_check=True)"}},
    {.id = "export-failed",
     .domain = Domain::kOnnxExport,
     .meaning = {"The export to ONNX failed; a message further down that a file is missing or was "
                 "saved is only a consequence.",
                 "导出 ONNX 失败；后面出现的“文件不存在”或“已保存”都只是后果。"},
     .fixes = {{{"read the first error above, and fix that", "先解决上面最早的那个错误"}, kSinter}},
     .confirm = {"export on the CPU in float32, without attention extensions",
                 "在 CPU 上以 float32 导出，关闭各种注意力扩展"}},
};

// Expressions cannot be broken, and rows would be aligned behind them.
// clang-format off
constexpr Pattern kPatterns[] = {
    {.cause = "filesystem-external-data",
     .pattern =
         R"re((?:\[ErrorCode:\w+\] )?(?:Deserialize tensor \S+ failed\.)?(?:External data path (?:does not exist|validation failed)|(?:file_size|GetFileLength)[^:]{0,10}?(?: for (?:\S*[/\\])?(?P<arg3>\S+) failed)?:.{0,80}(?:onnx[._]data|weights\.pb|\.weight|errcode = [23]\b)|open file "?(?P<arg>[^" ]+)"? fail(?:ed)?, errcode = [23]\b)|Data of TensorProto ?\([^)]*\) should be stored in (?P<arg2>[^ ,]+), but it (?:doesn't exist|is not accessible)|model_path must not be empty\. Ensure that a path is provided when the model)re",
     .example =
         "onnx.onnx_cpp2py_export.checker.ValidationError: Data of TensorProto ( tensor "
         "name: conv_in.weight) should be stored in out/weights.pb, but it doesn't exist "
         "or is not accessible."},
    {.cause = "export-operator",
     .pattern =
         R"re(Exporting the operator '(?P<op>[\w:.]+)' to ONNX opset version \d+ is not supported)re",
     .example =
         "torch.onnx.errors.UnsupportedOperatorError: Exporting the operator "
         "'aten::unflatten' to ONNX opset version 12 is not supported.",
     .type = "UnsupportedOperatorError"},
    {.cause = "export-operator",
     .pattern =
         R"re(Exporting the operator (?P<op>[\w:]+) to ONNX opset version \d+ is not supported)re",
     .example =
         "RuntimeError: Exporting the operator triu to ONNX opset version 11 is not "
         "supported.",
     .type = "RuntimeError"},
    {.cause = "export-custom-operator",
     .pattern =
         R"re(ONNX export failed on an operator with unrecognized namespace (?P<op>\w+::\w+))re",
     .example =
         "UnsupportedOperatorError: ONNX export failed on an operator with unrecognized "
         "namespace torchvision::nms.",
     .type = "UnsupportedOperatorError"},
    {.cause = "export-operator",
     .pattern =
         R"re(ONNX export failed(?:: | on (?:a|an) )(?:Couldn't export operator|(?:ATen|primitive|custom) operator) (?P<op>[\w:]+))re",
     .example = "RuntimeError: ONNX export failed: Couldn't export operator aten::grid_sampler",
     .type = "RuntimeError"},
    {.cause = "export-custom-operator",
     .pattern =
         R"re(ONNX export failed(?:: | on )[Cc]ouldn't export Python operator (?P<op>\w+)|Couldn't export Python operator (?P<arg>\w+))re",
     .example =
         "RuntimeError: ONNX export failed: Couldn't export Python operator "
         "SwishImplementation",
     .type = "RuntimeError"},
    {.cause = "export-operator",
     .pattern =
         R"re(Unsupported: ONNX export of (?:operator )?(?P<op>\w+)|No (?:ONNX function|decompositions|Adapter)[^.]{0,40} (?:found|registered) for (?P<arg>[\w:.<>' ]+)|Cannot find (?:any )?symbolic(?: function)? for|Unsupported FX nodes: (?P<arg2>.{0,80}))re",
     .example =
         "torch.onnx.errors.SymbolicValueError: Unsupported: ONNX export of operator "
         "group_norm, unknown input size."},
    {.cause = "export-opset",
     .pattern =
         R"re((?:opset_version|target_opset|opset) ?[=:]? ?\d+ (?:is )?not supported|Unsupported ONNX opset version: ?\d+|ONNX Runtime only \*guarantees\* support for models stamped with (?:official released )?onnx opset version|No Op registered for (?P<op>\w+) with domain_version of \d+)re",
     .example = "ValueError: Unsupported ONNX opset version: 20",
     .type = "ValueError"},
    {.cause = "export-two-gigabytes",
     .pattern =
         R"re([Ee]xceed(?:s|ed|ing)? (?:the )?maximum protobuf size of 2GB|(?:model|ModelProto|protobuf|The model).{0,60}(?:larger than|exceeds?|>|over) 2 ?Gi?B|Message onnx\.\w+ exceeds maximum protobuf size|Failed to serialize proto|ValueError: Data of TensorProto.{0,80}|The serialized model is larger than the 2GiB limit)re",
     .example =
         "ValueError: Message onnx.ModelProto exceeds maximum protobuf size of 2GB: "
         "3438168912"},
    {.cause = "export-trace-data-dependent",
     .pattern =
         R"re(Could not guard on data-dependent expression|It appears that you're trying to get a value out of symbolic (?:int|float|bool) whose value is data-dependent|Dynamic control flow is not supported|Constraints violated \(|Tracing failed sanity checks|data-dependent (?:control flow|operator)|UserError: (?:Tried to use data-dependent|Dynamic))re",
     .example =
         "torch._dynamo.exc.UserError: Dynamic control flow is not supported at the "
         "moment."},
    {.cause = "export-arguments",
     .pattern =
         R"re(Only tuples, lists and Variables (?:are )?supported as JIT inputs/outputs|Type '(?:Tuple|Dict|NoneType|str|.{0,20})' cannot be traced|Encountering a dict at the output of the tracer|number of input names provided \(\d+\) exceeded number of inputs|input_names? .{0,40} not found in|TracingCheckError|outputs? of traced (?:region|functions?))re",
     .example =
         "RuntimeError: Only tuples, lists and Variables are supported as JIT "
         "inputs/outputs. Dictionaries and strings are also accepted"},
    {.cause = "export-invalid-graph",
     .pattern =
         R"re(\[ONNXRuntimeError\] : 10 : INVALID_GRAPH : .{0,300}?Type '(?P<type>[\w()]+)' of input parameter \((?P<arg>[^)]*)\) of operator \((?P<op>\w+)\) in node)re",
     .example =
         "onnxruntime.capi.onnxruntime_pybind11_state.InvalidGraph: [ONNXRuntimeError] : "
         "10 : INVALID_GRAPH : Load model from m.onnx failed:This is an invalid model. "
         "Type Error: Type 'tensor(float16)' of input parameter (x) of operator (Resize) "
         "in node (Resize_1) is invalid.",
     .component = "loader"},
    {.cause = "export-invalid-graph",
     .pattern =
         R"re(\[ONNXRuntimeError\] : 10 : INVALID_GRAPH|This is an invalid model\.|Type parameter \(\w+\) of Optype \((?P<op>\w+)\) bound to different types|Type Error: Type '[\w()]+' of input parameter \((?P<arg>[^)]*)\) of operator \((?P<op2>\w+)\))re",
     .example =
         "onnxruntime.capi.onnxruntime_pybind11_state.Fail: [ONNXRuntimeError] : 1 : FAIL "
         ": Load model from m.onnx failed:Type Error: Type parameter (T) of Optype (Mul) "
         "bound to different types (tensor(float) and tensor(float16) in node (Mul_7).",
     .component = "loader"},
    {.cause = "export-invalid-graph",
     .pattern =
         R"re((?:ShapeInferenceError|ValidationError|TypeInferenceError|InferenceError)\]?:? .{0,240}|Nodes in a graph must be topologically sorted|Graph must be in single static assignment \(SSA\) form|Inferred shape and existing shape differ in (?:dimension|rank)|Incompatible dimensions for matrix multiplication)re",
     .example =
         "[ShapeInferenceError] Inferred shape and existing shape differ in dimension 1: "
         "(320) vs (640)",
     .component = "loader"},
    {.cause = "export-failed",
     .pattern =
         R"re((?:Exporting to ONNX failed|Failed to (?:export|convert) (?:the )?model (?:to|into) ONNX|torch\.onnx\.errors\.\w+|torch\.onnx\._internal\.exporter\._errors\.\w+|TorchExportError|ConversionError: Failed to))re",
     .example = "ERROR:root:Exporting to ONNX failed. 'NoneType' object is not iterable",
     .weight = Weight::kSymptom},
    {.cause = "export-invalid-graph",
     .pattern =
         R"re((?:onnxsim|onnx-simplifier)(?:.{0,60}(?:failed|[Ee]rror|check failed))|(?:Simplified model|check) (?:failed|validation failed))re",
     .example = "onnxsim: Check failed. Please be careful to use the simplified model",
     .weight = Weight::kSymptom},
    {.cause = "export-operator",
     .pattern =
         R"re(Failed to export an ONNX attribute '?(?P<op>[\w:]+)|Tracer cannot infer type of|ONNX symbolic expected a constant value|[Uu]nsupported: ONNX export|INTERNAL ASSERT FAILED at "[^"]*(?:torch/csrc/jit|onnx)|SymbolicValueError|torch\.jit\.trace.{0,60}(?:failed|error)|Graphs differed across invocations)re",
     .example =
         "RuntimeError: Failed to export an ONNX attribute 'onnx::Gather', since it's not "
         "constant, please try to make things (e.g., kernel size) static if possible",
     .type = "RuntimeError"},
    {.cause = "export-arguments",
     .pattern =
         R"re(using FX to torch\.jit\.trace a dynamo-optimized function|torch\.compile.{0,60}(?:onnx|export))re",
     .example =
         "RuntimeError: Detected that you are using FX to torch.jit.trace a "
         "dynamo-optimized function. This is not supported at the moment."},
};
// clang-format on

}  // namespace

constinit const RuleSet kExportRules{kCauses, kPatterns};

}  // namespace sinter::diagnose::log::rules
