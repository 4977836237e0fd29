// What TensorRT says while it parses a graph and builds an engine.
#include "sinter/diagnose/log/rules/tables.h"

namespace sinter::diagnose::log::rules {
namespace {

constexpr Cause kCauses[] = {
    {.id = "trt-build-memory",
     .domain = Domain::kTensorRtBuild,
     .meaning = {"No tactic was left for a (fused) layer. The usual reason is memory: every tactic "
                 "needed more than the GPU had free, "
                 "which a warning above says; the messages after it are consequences.",
                 "某个（融合）层没有可用的 tactic。最常见的原因是显存：每个 tactic "
                 "需要的显存都超过了 GPU 的剩余量，上文的警告会说明；之后的报错都是后果。"},
     .fixes = {{{"smaller maximum shapes in the profile", "减小 profile 的最大形状"},
                {"build with nothing else on the GPU; float16",
                 "构建时不要让其他程序占用 GPU；使用 float16"},
                {"raise the work space limit: --memPoolSize=workspace:8192",
                 "提高工作空间上限：--memPoolSize=workspace:8192"},
                {"a newer TensorRT, or a GPU with more memory",
                 "更新 TensorRT，或换显存更大的 GPU"}}},
     .confirm = {"trtexec --verbose: 'Skipping tactic ... insufficient memory'",
                 "trtexec --verbose 中查找 “Skipping tactic … insufficient memory”"}},
    {.id = "trt-build-no-profile",
     .domain = Domain::kTensorRtBuild,
     .meaning = {"The graph has dynamic dimensions and the build defines no optimization profile "
                 "(or none for one of the inputs).",
                 "图中有动态维度，而构建时没有定义优化 profile（或漏了某个输入）。"},
     .fixes = {{{"give --minShapes, --optShapes and --maxShapes for every dynamic input",
                 "为每个动态输入给出 --minShapes、--optShapes 和 --maxShapes"},
                {"or export with fixed shapes", "或者以固定形状导出"}}},
     .confirm = {"polygraphy inspect model model.onnx", "polygraphy inspect model model.onnx"}},
    {.id = "trt-build-bad-profile",
     .domain = Domain::kTensorRtBuild,
     .meaning =
         {"The profile does not fit the graph: a name, a rank, or min <= opt <= max is wrong.",
          "profile 与图不符：名称、维数不对，或不满足 min <= opt <= max。"},
     .fixes = {{{"compare names and ranks with the graph's inputs", "与图的输入逐一核对名称和维数"},
                {"fixed dimensions must be the same in min, opt and max",
                 "固定维度在 min、opt、max 中必须相同"}}},
     .confirm = {"polygraphy inspect model model.onnx", "polygraphy inspect model model.onnx"}},
    {.id = "trt-build-operator",
     .domain = Domain::kTensorRtBuild,
     .meaning = {"The parser has no importer (and no plugin) for an operator of the graph.",
                 "解析器没有图中某个算子的导入器，也没有对应插件。"},
     .fixes = {{{"a graph of plain ONNX operators, not one optimised for ONNX Runtime",
                 "使用纯 ONNX 算子的图，不要用为 ONNX Runtime 优化过的图"},
                {"a TensorRT that knows the operator, or a lower opset (17)",
                 "使用支持该算子的 TensorRT，或降低 opset（17）"},
                {"load the plugin library", "加载插件库"}}},
     .confirm = {"polygraphy inspect capability model.onnx",
                 "polygraphy inspect capability model.onnx"}},
    {.id = "trt-build-parse",
     .domain = Domain::kTensorRtBuild,
     .meaning = {"TensorRT's parser refused the graph.", "TensorRT 的解析器拒绝了这个图。"},
     .fixes =
         {{{"fold constants first: polygraphy surgeon sanitize model.onnx --fold-constants -o "
            "folded.onnx",
            "先折叠常量：polygraphy surgeon sanitize model.onnx --fold-constants -o folded.onnx"},
           {"opset 17 and plain operators", "使用 opset 17 和普通算子"},
           {"a newer TensorRT", "更新 TensorRT"}}},
     .confirm = {"the first [E] line of the parser", "查看解析器的第一条 [E]"}},
    {.id = "trt-build-initializer",
     .domain = Domain::kTensorRtBuild,
     .meaning =
         {"TensorRT wants an input of this operator to be a constant, and the graph computes it.",
          "TensorRT 要求该算子的这个输入是常量，而图里是计算得到的。"},
     .fixes =
         {{{"fold constants: polygraphy surgeon sanitize model.onnx --fold-constants -o "
            "folded.onnx",
            "折叠常量：polygraphy surgeon sanitize model.onnx --fold-constants -o folded.onnx"},
           {"export with fixed shapes", "以固定形状导出"}}},
     .confirm = {"polygraphy inspect model model.onnx --show layers",
                 "polygraphy inspect model model.onnx --show layers"}},
    {.id = "trt-build-internal",
     .domain = Domain::kTensorRtBuild,
     .meaning = {"The builder failed inside itself (Myelin or an internal assertion).",
                 "构建器内部出错（Myelin 或内部断言）。"},
     .fixes =
         {{{"a newer TensorRT", "更新 TensorRT"},
           {"build with --builderOptimizationLevel=2, or without float16, to find what provokes it",
            "尝试 --builderOptimizationLevel=2 或不用 float16，以缩小范围"},
           {"more free GPU memory", "腾出更多显存"}}},
     .confirm = {"trtexec --verbose", "trtexec --verbose"}},
    {.id = "trt-build-failed",
     .domain = Domain::kTensorRtBuild,
     .meaning = {"No engine came out of the build; the cause is in an earlier line.",
                 "没有构建出引擎；原因在更早的日志行里。"},
     .fixes = {{{"read the first [E] line above", "查看上面的第一条 [E]"}}},
     .confirm = {"trtexec --verbose", "trtexec --verbose"}},
    {.id = "trt-build-weights",
     .domain = Domain::kTensorRtBuild,
     .meaning = {"The builder does not take weights of this type, or a weight was not found.",
                 "构建器不接受这种类型的权重，或找不到某个权重。"},
     .fixes = {{{"export in float16 or float32", "以 float16 或 float32 导出"},
                {"keep the data file beside the graph", "让数据文件与图放在一起"}}},
     .confirm = {"polygraphy inspect model model.onnx", "polygraphy inspect model model.onnx"}},
    {.id = "trt-build-option",
     .domain = Domain::kTensorRtBuild,
     .meaning = {"trtexec does not know the option: options changed between versions (--workspace, "
                 "--fp16, --explicitBatch, --buildOnly).",
                 "trtexec "
                 "不认识这个选项：不同版本的选项有变化（--workspace、--fp16、--explicitBatch、--"
                 "buildOnly）。"},
     .fixes = {{{"--memPoolSize=workspace:N for --workspace, --skipInference for --buildOnly",
                 "--workspace 改为 --memPoolSize=workspace:N，--buildOnly 改为 --skipInference"},
                {"TensorRT 11 takes the precision from the graph", "TensorRT 11 的精度由图决定"}}},
     .confirm = {"trtexec --help", "trtexec --help"}},
};

// Expressions cannot be broken, and rows would be aligned behind them.
// clang-format off
constexpr Pattern kPatterns[] = {
    {.cause = "trt-build-memory",
     .pattern =
         R"re((?:Error Code 10: Internal Error \()?[Cc]ould not find any implementation for node (?P<arg>\{?(?P<op>ForeignNode|[\w./:-]+)(?:\[[^\s\]]{1,300}\]?)?\}?))re",
     .example =
         "[E] Error[10]: [optimizer.cpp::computeCosts::3869] Error Code 10: Internal "
         "Error (Could not find any implementation for node "
         "{ForeignNode[/down_blocks.0/Cast.../Transpose]}.)",
     .component = "builder"},
    {.cause = "trt-build-memory",
     .pattern =
         R"re((?:Error Code \d+: (?:OutOfMemory|Out ?Of ?Memory)|(?:Requested amount of|requested) GPU memory \(\d+ bytes\) could not be allocated|There (?:may not be|is not) enough (?:free )?(?:GPU )?memory (?:for|to) (?:build|allocate)|Tactic Device request: ?\d+MB Available: ?\d+MB))re",
     .example =
         "[E] Error[2]: [virtualMemoryBuffer.cpp::resizePhysical::127] Error Code 2: "
         "OutOfMemory (Requested size was 4194304000 bytes.)",
     .weight = Weight::kSymptom,
     .component = "builder"},
    {.cause = "trt-build-memory",
     .pattern =
         R"re(Skipping tactic \S* ?.{0,40}(?:due to (?:insufficient memory|Myelin error|oom error|exception)).{0,200})re",
     .example =
         "[W] [TRT] Skipping tactic 2 due to insufficient memory on requested size of "
         "8053063680 detected for tactic 0x0002.",
     .weight = Weight::kHarmless,
     .component = "builder"},
    {.cause = "trt-build-no-profile",
     .pattern =
         R"re(Network has dynamic or shape inputs, but no optimization profile has been defined|(?:Dynamic dimensions required for input|Dimensions? (?:\d+ )?of input tensor): ?(?P<arg>[\w.:/]+),? but no shapes were provided|input (?P<arg2>[\w.:/]+) (?:has dynamic|is dynamic).{0,60}no (?:optimization )?profile)re",
     .example =
         "[E] [network.cpp::validate::3062] Error Code 4: Internal Error (Network has "
         "dynamic or shape inputs, but no optimization profile has been defined.)",
     .component = "builder"},
    {.cause = "trt-build-bad-profile",
     .pattern =
         R"re((?:optimization profile is missing values for (?:shape )?input|(?:profile|kMIN|kOPT|kMAX|[Mm]in|[Oo]pt|[Mm]ax).{0,60}(?:dimensions|shapes?|values).{0,60}(?:not valid|inconsistent|invalid|do not match|does not match|must be)|Cannot find input tensor with name "(?P<arg>[\w.:/]+)" in the network inputs|model input with name: (?P<arg2>[\w.:/]+) not found|optimization profile.{0,40}(?:not valid|invalid)|setDimensions: .{0,120}))re",
     .example =
         "[E] Cannot find input tensor with name \"timesteps\" in the network inputs! "
         "Please make sure the input tensor names are correct.",
     .component = "builder"},
    {.cause = "trt-build-operator",
     .pattern =
         R"re([Nn]o importer registered for op: (?P<op>\w+)|(?:getPluginCreator|getCreator) could not find [Pp]lugin:? (?P<op2>\w+)|Plugin not found, are the plugin name, version, and namespace correct|[Uu]nsupported ONNX (?:data type|operator)|is not supported (?:in|by) (?:the )?TensorRT(?: parser)?|Unsupported operation _?(?P<op3>\w+))re",
     .example =
         "In node 41 (importFallbackPluginImporter): UNSUPPORTED_NODE: Assertion failed: "
         "creator && \"Plugin not found, are the plugin name, version, and namespace "
         "correct?\"",
     .component = "builder"},
    {.cause = "trt-build-initializer",
     .pattern =
         R"re((?P<op>\w+)?[^\n]{0,80}(?:must be an initializer|must be a (?:build-time )?constant|only support(?:s)? (?:static|initializer)|needs to be (?:an initializer|a constant)))re",
     .example =
         "[E] [TRT] ModelImporter.cpp:773: ERROR: ModelImporter.cpp:179 In function "
         "parseGraph: [6] Invalid Node - Pad_12 Assertion failed: "
         "inputs.at(1).is_weights() && \"The input pads must be an initializer.\"",
     .component = "builder"},
    {.cause = "trt-build-parse",
     .pattern =
         R"re((?:In node -?\d+ (?:with name: \S+ and operator: (?P<op>\w+) )?\((?P<op2>\w+)\): (?:UNSUPPORTED_NODE|INVALID_NODE|UNSUPPORTED_GRAPH|INVALID_GRAPH|MODEL_DESERIALIZE_FAILED|INTERNAL_ERROR)|ModelImporter\.cpp:\d+: ERROR|While parsing node number \d+ \[(?P<op3>\w+)|onnx2trt_utils\.(?:cpp|hpp):\d+ In function))re",
     .example =
         "[E] [TRT] ModelImporter.cpp:726: While parsing node number 92 [Resize -> "
         "\"up_out\"]:",
     .component = "builder"},
    {.cause = "trt-build-parse",
     .pattern =
         R"re(\[E\] (?:Failed to parse onnx file|Parsing model failed)|Failed to parse (?:the )?(?:onnx|ONNX) (?:file|model)|Failed while parsing (?:plugin|ONNX)|Could not parse (?:ONNX )?(?:from file|model)|Network must have at least one output)re",
     .example = "ERROR: Failed to parse the ONNX file.",
     .weight = Weight::kSymptom,
     .component = "builder"},
    {.cause = "trt-build-weights",
     .pattern =
         R"re((?:Error Code \d+: Internal Error|Assertion failed).{0,120}(?:convertOnnxWeights|ctx->getOnnxWeights|Failed to (?:open|import) (?:file|weights|initializer))|onnx2trt_utils\.cpp:\d+: Failed to open file|Failed to open file: .*weights|unsupported (?:ONNX )?weights? type)re",
     .example =
         "Assertion failed: convertOnnxWeights(initializer, &weights, ctx) && \"Failed to "
         "import initializer.\"",
     .component = "builder"},
    {.cause = "trt-build-failed",
     .pattern = R"re(Assertion (?:engine|enginePtr|plan|context|network) != (?:nullptr|NULL) failed)re",
     .example =
         "[E] Error[2]: [builder.cpp::buildSerializedNetwork::636] Error Code 2: Internal Error "
         "(Assertion engine != nullptr failed. )",
     .weight = Weight::kSymptom,
     .component = "builder",
     .reading = Reading::kConsequence},
    {.cause = "trt-build-option",
     .pattern =
         R"re((?:Unknown option: |\[E\] Unknown option)(?P<arg>-?-?\w+)|Model missing or format not recognized|Error when parsing (?:option|arguments))re",
     .example = "[E] Unknown option: --workspace 4096",
     .component = "builder"},
    {.cause = "trt-build-internal",
     .pattern =
         R"re((?:Error Code \d+: Internal Error \((?:Myelin|Assertion|Internal|Unexpected|Failed|\[)|Error Code \d+: Myelin|Myelin (?:error|\[)|(?:myelin|Myelin)Graph|Error Code 9: (?:Internal Error|Skipping)))re",
     .example =
         "[E] Error[9]: [pluginV2Builder.cpp::reportPluginError::24] Error Code 9: "
         "Internal Error (Myelin ([myelin_graph.h:409] Called without resolved dynamic "
         "shapes.))",
     .weight = Weight::kSymptom,
     .component = "builder"},
    {.cause = "trt-build-failed",
     .pattern =
         R"re(Engine could not be created from network|pybind11::init\(\): factory function returned nullptr|TRT Engine build failed|Error details:\s*Command: polygraphy convert|Building engine failed|Failed to create engine from model|Engine set up failed|Network validation failed|Error Code 2: Internal Error \(Assertion engine != nullptr failed|ERROR: Failed to build engine|Failed to build (?:the )?(?:TensorRT )?engine|Invalid Engine\. Please ensure the engine was built correctly|buildSerializedNetwork.{0,40}(?:failed|null)|build_serialized_network.{0,40}(?:None|failed))re",
     .example = "[E] Engine could not be created from network",
     .weight = Weight::kSymptom,
     .component = "builder"},
    {.cause = "trt-build-bad-profile",
     .pattern =
         R"re((?:kOPT|kMIN|kMAX) values for profile \d+ violate|Static model does not take explicit shapes|(?:optimizationProfile|IOptimizationProfile)[\w.:]*::?\w+[^\n]{0,40}Error Code \d+)re",
     .example =
         "[E] Static model does not take explicit shapes since the shape of inference "
         "tensors will be determined by the model itself",
     .component = "builder"},
    {.cause = "trt-build-parse",
     .pattern =
         R"re((?:UNSUPPORTED_NODE|INVALID_NODE|UNSUPPORTED_GRAPH|INVALID_GRAPH): Assertion failed|Description of the error: Assertion failed: .*|(?:graphShapeAnalyzer|shapeMachine|IElementWiseLayer|IConcatenationLayer|IShuffleLayer|IMatrixMultiplyLayer|IConvolutionLayer)[^\n]{0,160}(?:Error Code \d+|must|conformable|mismatch|failed))re",
     .example =
         "[E] Error[4]: [graphShapeAnalyzer.cpp::analyzeShapes::1872] Error Code 4: "
         "Miscellaneous (IElementWiseLayer /Mul: broadcast dimensions must be conformable)",
     .component = "builder"},
    {.cause = "trt-build-internal",
     .pattern =
         R"re((?:IBuilder|INetworkDefinition|IParser|builder|network|optimizer|graphOptimizer|engineBuilder|cgraph|tacticRunner|validate)(?:\.cpp)?::\w+[^\n]{0,120}?Error Code \d+: )re",
     .example =
         "[TRT] [E] IBuilder::buildSerializedNetwork: Error Code 4: Internal Error (no "
         "supported formats)",
     .weight = Weight::kSymptom,
     .component = "builder"},
    {.cause = "trt-build-internal",
     .pattern =
         R"re((?:myelin\w*|weightConvertors|\w*[Bb]uilder\w*|graph\w*|caskBuilder\w*|tactic\w*|shapeCompiler|symbolicShape\w*|importer\w*|constantBuilder|reformat\w*)\.(?:cpp|h)::[\w:]+::?\d*\][^\n]{0,40}Error Code \d+: )re",
     .example =
         "[E] [TRT] 2: [myelinBuilderUtils.cpp::getMyelinSupportType::1194] Error Code 2: "
         "Internal Error (ForeignNode does not support data-dependent shape for now.)",
     .component = "builder"},
    {.cause = "trt-build-failed",
     .pattern =
         R"re(&&&& FAILED TensorRT\.trtexec|[Cc]ould not parse ONNX correctly|PolygraphyException: (?:Invalid Engine|Could not parse|Failed to))re",
     .example = "&&&& FAILED TensorRT.trtexec [TensorRT v8503] # trtexec --onnx=model.onnx",
     .weight = Weight::kSymptom,
     .component = "builder"},
};
// clang-format on

}  // namespace

constinit const RuleSet kTensorRtBuildRules{kCauses, kPatterns};

}  // namespace sinter::diagnose::log::rules
