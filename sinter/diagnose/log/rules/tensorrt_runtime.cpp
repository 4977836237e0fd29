// What TensorRT says while it loads an engine and runs it.
#include "sinter/diagnose/log/rules/tables.h"

namespace sinter::diagnose::log::rules {
namespace {

constexpr Text kRebuild{"build the engine again from its ONNX, with this TensorRT on this GPU",
                        "用当前的 TensorRT 在当前 GPU 上从 ONNX 重新构建引擎"};

constexpr Cause kCauses[] = {
    {.id = "trt-plan-version",
     .domain = Domain::kTensorRtRuntime,
     .meaning = {"The engine was written by another version of TensorRT (its version tag differs); "
                 "deserialising returns nothing, and what "
                 "follows (NoneType, null engine) is the consequence.",
                 "引擎由另一版本的 TensorRT 生成（版本标记不同）；反序列化返回空，之后的 "
                 "NoneType、空引擎都是后果。"},
     .fixes = {{kRebuild,
                {"or install the TensorRT that built it", "或安装生成该引擎的 TensorRT 版本"},
                {"--versionCompatible makes engines for one major version",
                 "构建时加 --versionCompatible 可在同一主版本内通用"}}},
     .confirm = {"python -c \"import tensorrt; print(tensorrt.__version__)\"",
                 "python -c \"import tensorrt; print(tensorrt.__version__)\""}},
    {.id = "trt-plan-gpu",
     .domain = Domain::kTensorRtRuntime,
     .meaning = {"The engine was built for another kind of GPU (compute capability) or system.",
                 "引擎是为另一种 GPU（计算能力）或系统构建的。"},
     .fixes = {{kRebuild,
                {"--hardwareCompatibilityLevel=ampere+ makes engines for several GPUs",
                 "构建时加 --hardwareCompatibilityLevel=ampere+ 可用于多种 GPU"}}},
     .confirm = {"nvidia-smi --query-gpu=name,compute_cap --format=csv",
                 "nvidia-smi --query-gpu=name,compute_cap --format=csv"}},
    {.id = "trt-plan-damaged",
     .domain = Domain::kTensorRtRuntime,
     .meaning = {"The file is no engine that this TensorRT can read: damaged, cut short, or "
                 "something else under that name.",
                 "该文件不是当前 TensorRT 能读取的引擎：损坏、不完整，或根本是别的文件。"},
     .fixes = {{kRebuild, {"delete cached engines", "删除缓存的引擎"}}},
     .confirm = {"size and date of the engine file", "查看引擎文件的大小与日期"}},
    {.id = "trt-profile-range",
     .domain = Domain::kTensorRtRuntime,
     .meaning = {"The request is outside the range that the engine was built for (size, batch or "
                 "number of tokens). A latent row is 8 pixels; "
                 "a window of the prompt is 77 tokens.",
                 "请求超出了引擎构建时的范围（尺寸、批量或 token 数）。潜变量的一行对应 8 "
                 "个像素，提示词的一个窗口是 77 个 token。"},
     .fixes = {{{"a size, batch and prompt within the profile",
                 "使用 profile 范围内的尺寸、批量和提示词长度"},
                {"build an engine whose maximum covers it", "重新构建最大值能覆盖它的引擎"},
                {"switch the engine off for this request (hires fix, long prompts)",
                 "对这类请求（高清修复、长提示词）关闭引擎"}}},
     .confirm = {"trtexec --loadEngine=... --dumpOptimizationProfile",
                 "trtexec --loadEngine=... --dumpOptimizationProfile"}},
    {.id = "trt-binding-missing",
     .domain = Domain::kTensorRtRuntime,
     .meaning = {"The program feeds inputs that the engine does not have, or leaves some out: "
                 "program and engine do not belong together.",
                 "程序给出的输入与引擎不一致（多了或少了）：程序与引擎并不配套。"},
     .fixes = {{{"build the engine with the same program and version",
                 "用同一个程序和版本构建引擎"},
                {"compare the names of the inputs", "核对输入名称"}}},
     .confirm = {"polygraphy inspect model model.plan", "polygraphy inspect model model.plan"}},
    {.id = "trt-plan-plugin",
     .domain = Domain::kTensorRtRuntime,
     .meaning = {"The engine contains a layer of a plugin that this program has not loaded.",
                 "引擎中包含某个插件的层，而当前程序没有加载该插件。"},
     .fixes = {{{"load the plugin library before the engine: trtexec --dynamicPlugins=plugin.so, "
                 "ctypes.CDLL(path) in Python",
                 "在加载引擎之前加载插件库：trtexec --dynamicPlugins=plugin.so，Python 中用 "
                 "ctypes.CDLL(路径)"},
                {"for TensorRT's own plugins: trt.init_libnvinfer_plugins(logger, '')",
                 "TensorRT 自带的插件：trt.init_libnvinfer_plugins(logger, '')"},
                {"build the plugin for this version of TensorRT",
                 "为当前的 TensorRT 版本编译该插件"}}},
     .confirm = {"[c.name for c in trt.get_plugin_registry().plugin_creator_list]",
                 "[c.name for c in trt.get_plugin_registry().plugin_creator_list]"}},
    {.id = "trt-null-engine",
     .domain = Domain::kTensorRtRuntime,
     .meaning =
         {"No engine was loaded (or built), and the program goes on with nothing: the cause is in "
          "an earlier line or in the file.",
          "没有加载（或构建）出引擎，程序却继续使用空对象：原因在更早的日志里，或在文件本身。"},
     .fixes = {{{"read what TensorRT said before", "查看 TensorRT 之前的输出"}, kRebuild}},
     .confirm = {"trtexec --loadEngine=model.plan", "trtexec --loadEngine=model.plan"}},
    {.id = "trt-execute",
     .domain = Domain::kTensorRtRuntime,
     .meaning = {"The engine failed while it ran.", "引擎在运行时出错。"},
     .fixes = {{{"check the addresses, shapes and types of all inputs and outputs",
                 "检查所有输入输出的地址、形状和类型"},
                kRebuild}},
     .confirm = {"CUDA_LAUNCH_BLOCKING=1, compute-sanitizer",
                 "CUDA_LAUNCH_BLOCKING=1，compute-sanitizer"}},
    {.id = "trt-refit",
     .domain = Domain::kTensorRtRuntime,
     .meaning = {"The engine cannot be refitted with these weights: it was built without refit, or "
                 "names or sizes differ.",
                 "无法用这些权重对引擎做 refit：构建时没有开启 refit，或名称、大小不符。"},
     .fixes = {{{"build with --refit", "构建时加 --refit"},
                {"refit with weights of the same model", "使用同一模型的权重"}}},
     .confirm = {"list the refittable weights of the engine", "列出引擎可 refit 的权重"}},
};

// Expressions cannot be broken, and rows would be aligned behind them.
// clang-format off
constexpr Pattern kPatterns[] = {
    {.cause = "trt-execute",
     .pattern =
         R"re(Error Code 1: Cuda (?:Runtime|Driver) \((?:an illegal|misaligned|unspecified|invalid|device|unknown|context|driver))re",
     .example =
         "[TRT] [E] 1: [defaultAllocator.cpp::deallocate::61] Error Code 1: Cuda Runtime "
         "(an illegal memory access was encountered)",
     .component = "runtime"},
    {.cause = "trt-plan-version",
     .pattern =
         R"re((?:Error Code 1: Serialization \()?(?:Serialization assertion stdVersionRead == serializationVersion failed\. ?)?Version tag does not match(?:\. Note: Current Version: (?P<y>\d+), Serialized Engine Version: (?P<x>\d+))?)re",
     .example =
         "[E] [TRT] 1: [stdArchiveReader.cpp::StdArchiveReader::40] Error Code 1: "
         "Serialization (Serialization assertion stdVersionRead == serializationVersion "
         "failed.Version tag does not match. Note: Current Version: 232, Serialized "
         "Engine Version: 228)",
     .component = "runtime",
     .operation = "deserializeCudaEngine",
     .reading = Reading::kVersions},
    {.cause = "trt-plan-version",
     .pattern =
         R"re(\w+\.cpp \(\d+\) - Serialization Error in \w+: \d+ \((?:Version tag|Magic tag|Core version|Safe version).{0,40}\))re",
     .example =
         "[TensorRT] ERROR: coreReadArchive.cpp (41) - Serialization Error in "
         "verifyHeader: 0 (Version tag does not match)",
     .component = "runtime",
     .operation = "deserializeCudaEngine"},
    {.cause = "trt-plan-damaged",
     .pattern =
         R"re(coreReadArchive\.\w+ \(\d+\) - Serialization Error in \w+: \d+ \([^)]{1,60}\))re",
     .example =
         "[TensorRT] ERROR: coreReadArchive.h (271) - Serialization Error in readExternal: 0 (Size "
         "mismatch)",
     .component = "runtime",
     .operation = "deserializeCudaEngine"},
    {.cause = "trt-plan-version",
     .pattern =
         R"re(The engine plan file is not compatible with this version of TensorRT, expecting (?:library )?version (?P<y>[\d.]+),? got (?P<x>[\d.]+))re",
     .example =
         "[E] [TRT] The engine plan file is not compatible with this version of TensorRT, "
         "expecting library version 8.6.1 got 8.5.3, please rebuild.",
     .component = "runtime",
     .operation = "deserializeCudaEngine",
     .reading = Reading::kVersions},
    {.cause = "trt-plan-version",
     .pattern =
         R"re([Tt]he engine plan file is (?:not compatible|incompatible)|serialized engine (?:was )?(?:built|created|generated) (?:with|by) (?:a )?(?:different|another|older|newer) (?:version of )?TensorRT|[Pp]latform specific tag mismatch|Plan file (?:version )?(?:mismatch|is not compatible))re",
     .example =
         "[E] The engine plan file is incompatible with this version of TensorRT, please "
         "rebuild.",
     .component = "runtime",
     .operation = "deserializeCudaEngine"},
    {.cause = "trt-plan-gpu",
     .pattern =
         R"re([Tt]he engine plan file is generated on an incompatible device, expecting compute (?P<y>[\d.]+) got compute (?P<x>[\d.]+)|(?:generated|built) on an incompatible device|Using an engine plan file across different models of devices is not (?:supported|recommended))re",
     .example =
         "[E] [TRT] The engine plan file is generated on an incompatible device, "
         "expecting compute 8.9 got compute 8.6, please rebuild.",
     .component = "runtime",
     .operation = "deserializeCudaEngine",
     .reading = Reading::kCapability},
    {.cause = "trt-plan-plugin",
     .pattern =
         R"re((?:Serialization assertion creator failed\. ?)?Cannot deserialize plugin(?: (?P<arg>\w+))?(?: since corresponding (?:IPluginCreator|plugin creator) not found)?|IPluginCreator not found in Plugin Registry)re",
     .example =
         "[E] [TRT] 1: [pluginV2Runner.cpp::load::300] Error Code 1: Serialization "
         "(Serialization assertion creator failed.Cannot deserialize plugin since corresponding "
         "IPluginCreator not found in Plugin Registry)",
     .component = "runtime",
     .operation = "deserializeCudaEngine"},
    {.cause = "trt-plan-damaged",
     .pattern =
         R"re([Mm]agic tag does not match|Serialization assertion (?:magicTagRead|plan->header|header|sizeRead|safeVersionRead)[\w. =!>]* failed|[Uu]nexpected (?:end of|EOF).{0,40}(?:plan|engine)|Engine deserialization failed: (?:bad|invalid))re",
     .example =
         "[E] Error[1]: [stdArchiveReader.cpp::stdArchiveReaderInitCommon::46] Error Code "
         "1: Serialization (Serialization assertion magicTagRead == kMAGIC_TAG "
         "failed.Magic tag does not match)",
     .component = "runtime",
     .operation = "deserializeCudaEngine"},
    {.cause = "trt-profile-range",
     .pattern = R"re(No valid profile found)re",
     .example =
         "ValueError: No valid profile found. Please go to the TensorRT tab and generate "
         "an engine with the necessary profile.",
     .type = "ValueError",
     .component = "unet",
     .side = Side::kData,
     .reading = Reading::kProfile},
    {.cause = "trt-profile-range",
     .pattern =
         R"re(Supplied binding dimension \[(?P<dims>[\d, ]+)\] for (?P<arg>bindings\[\d+\]) exceed min ~ max range at index (?P<index>\d+), maximum dimension in profile is (?P<max>\d+), minimum dimension in profile is (?P<min>\d+)(?:, but supplied dimension is (?P<found>\d+))?)re",
     .example =
         "[E] 3: [executionContext.cpp::validateInputBindings::1841] Error Code 3: API "
         "Usage Error (Parameter check failed at: "
         "executionContext.cpp::validateInputBindings::1841, condition: "
         "profileMaxDims.d[i] >= dimensions.d[i]. Supplied binding dimension [2,4,96,96] "
         "for bindings[0] exceed min ~ max range at index 2, maximum dimension in profile "
         "is 64, minimum dimension in profile is 64, but supplied dimension is 96.)",
     .side = Side::kData,
     .reading = Reading::kProfile},
    {.cause = "trt-profile-range",
     .pattern =
         R"re((?:[Ss]tatic|[Rr]untime|[Ss]et|[Ii]nput|[Pp]rofile)[\w ]{0,40} (?:dimension|shape)s?[^\n]{0,160}?(?:mismatch|not satisfy|not in range|out of range|not within|exceed)[^\n]{0,40}?(?:(?:for|of|tensor|input) ['"]?(?P<arg>[\w.:/]+)['"]?)?|condition: [^\n]{0,40}?(?:profileMaxDims|profileMinDims|satisfyProfile|engineDims)[^\n]{0,200})re",
     .example =
         "[E] 3: [executionContext.cpp::setInputShape::2037] Error Code 3: API Usage "
         "Error (Parameter check failed at: "
         "runtime/api/executionContext.cpp::setInputShape::2037, condition: "
         "satisfyProfile Runtime dimension does not satisfy any optimization profile.)",
     .side = Side::kData,
     .reading = Reading::kProfile},
    {.cause = "trt-profile-range",
     .pattern =
         R"re((?:does not satisfy|not satisfying|outside(?: of)?|not covered by)(?: any| the)? ?(?:valid )?(?:optimization )?profiles?\b|bindingMismatch|[Ee]ngine[^\n]{0,40} not in range)re",
     .example = "RuntimeError: the shape of 'sample' does not satisfy any optimization profiles",
     .side = Side::kData,
     .reading = Reading::kProfile},
    {.cause = "trt-binding-missing",
     .pattern =
         R"re((?:(?:input|output|tensor|Tensor|binding) )?(?:name )?['"]?(?P<arg>[\w.:/]+)['"]? (?:is )?not (?:found|an I/O tensor|a valid (?:binding|tensor|input)).{0,40}(?:engine|binding|network)|Given invalid tensor name: (?P<arg2>[\w.:/]+)|[Aa]ddress is not set for (?:input|output) tensor (?P<arg3>[\w.:/]+)|Neither address (?:or|nor) allocator is set|[Nn]ot all input shapes (?:have been )?(?:specified|set)|All (?:dynamic|input) (?:dimensions|shapes).{0,60}must be (?:set|specified))re",
     .example =
         "[E] 3: [engine.cpp::getTensorShape::1163] Error Code 3: API Usage Error (Given "
         "invalid tensor name: y. Get valid tensor names with getIOTensorName())",
     .component = "runtime"},
    {.cause = "trt-refit",
     .pattern =
         R"re((?:[Rr]efit(?:ting|ter)?|refitCudaEngine|refit_cuda_engine).{0,120}(?:failed|[Ee]rror|not refittable|cannot|mismatch|missing)|not (?:a )?refittable|was not built with (?:the )?(?:kREFIT|refit))re",
     .example =
         "[E] 4: [refit.cpp::Refitter::42] Error Code 4: Internal Error (engine was not "
         "built with kREFIT flag)",
     .component = "runtime"},
    {.cause = "trt-null-engine",
     .pattern =
         R"re('NoneType' object has no attribute '(?P<op>create_execution_context|get_binding_(?:index|shape|dtype)|num_bindings|num_io_tensors|get_tensor_(?:name|shape|mode)|serialize|device_memory_size(?:_v2)?|set_input_shape|set_binding_shape|max_batch_size|get_device_memory_size)')re",
     .example = "AttributeError: 'NoneType' object has no attribute 'create_execution_context'",
     .weight = Weight::kSymptom,
     .type = "AttributeError",
     .component = "runtime"},
    {.cause = "trt-null-engine",
     .pattern =
         R"re((?:INVALID_CONFIG: )?Deserialize the cuda engine failed|deserialize_cuda_engine.{0,40}(?:failed|None)|Failed to (?:de)?serialize (?:the )?(?:cuda )?engine|[Ff]ailed to deserialize (?:the )?(?:TensorRT )?engine|Error Code 4: Internal Error \(Engine deserialization failed|a bytes-like object is required, not 'NoneType'|'tensorrt\S*\.ICudaEngine')re",
     .example = "[TensorRT] ERROR: INVALID_CONFIG: Deserialize the cuda engine failed.",
     .weight = Weight::kSymptom,
     .component = "runtime"},
    {.cause = "trt-execute",
     .pattern =
         R"re(Error Code 1: (?:Cuda|Cask|Cudnn|Cublas|CuBLAS|Myelin) (?:Runtime|Driver|Error|\()|Error Code 3: API Usage Error \(|Error Code 2: Internal Error \(Assertion|\[executionContext\.cpp::(?P<op>\w+)::\d+\]|enqueueV[23] (?:failed|returned))re",
     .example =
         "[E] [TRT] 1: [convolutionRunner.cpp::executeConv::511] Error Code 1: Cask (Cask "
         "convolution execution)",
     .weight = Weight::kSymptom,
     .component = "runtime"},
    {.cause = "trt-binding-missing",
     .pattern =
         R"re('tensorrt\.(?:\w+\.)*(?P<arg>ICudaEngine|IExecutionContext|Builder|IBuilderConfig|\w+)' object has no attribute '(?P<op>\w+)')re",
     .example =
         "AttributeError: 'tensorrt.tensorrt.ICudaEngine' object has no attribute "
         "'num_bindings'"},
    {.cause = "trt-execute",
     .pattern =
         R"re((?:IRuntime|ICudaEngine|IExecutionContext|IRefitter|runtime|engine|executionContext|safeDeserialize|cudaContext|deserializer?)(?:\.cpp)?::\w+[^\n]{0,120}?Error Code \d+: |ERROR: inference failed|deserialize_cuda_engine\(\): incompatible function arguments)re",
     .example =
         "[TRT] [E] IRuntime::deserializeCudaEngine: Error Code 1: Internal Error "
         "(Unexpected call to stub)",
     .weight = Weight::kSymptom,
     .component = "runtime"},
};
// clang-format on

}  // namespace

constinit const RuleSet kTensorRtRuntimeRules{kCauses, kPatterns};

}  // namespace sinter::diagnose::log::rules
