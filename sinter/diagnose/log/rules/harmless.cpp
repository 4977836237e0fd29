// Lines that sound like trouble and are none: the programs go on and the result is right.
#include "sinter/diagnose/log/rules/tables.h"

namespace sinter::diagnose::log::rules {
namespace {

constexpr Cause kCauses[] = {
    {.id = "harmless",
     .domain = Domain::kDependency,
     .meaning = {"The program goes on without it; nothing is wrong.",
                 "程序可以在没有它的情况下继续运行，没有问题。"}},
};

constexpr Weight kNo = Weight::kHarmless;

// Expressions cannot be broken, and rows would be aligned behind them.
// clang-format off
constexpr Pattern kPatterns[] = {
    {.cause = "harmless",
     .pattern =
         R"re(\[c10d\] The client socket has failed to connect|was not compiled with (?:flash|memory efficient|cuDNN) attention)re",
     .example =
         "[W socket.cpp:663] [c10d] The client socket has failed to connect to [::]:29500 "
         "(system error: 10049).",
     .weight = kNo},
    {.cause = "harmless",
     .pattern =
         R"re([Tt]he timing cache will not be used|[Tt]iming cache (?:file )?(?:is )?(?:not compatible|ignored))re",
     .example = "[E] 4: The timing cache will not be used!",
     .weight = kNo,
     .reading = Reading::kRevokes},
    {.cause = "harmless",
     .pattern =
         R"re(^\s*Retrying in [\d.]+ ?s(?:econds)?\b|^\s*Retry(?:ing)? (?:attempt )?#?\d+(?: of |/)\d+|^\s*(?:Trying|Will try) again in [\d.]+)re",
     .example = "Retrying in 1s [Retry 1/5].",
     .weight = kNo,
     .reading = Reading::kRevokes},
    {.cause = "harmless",
     .pattern = R"re(Defaulting to unsafe serialization)re",
     .example =
         "Defaulting to unsafe serialization. Pass `allow_pickle=False` to raise an error instead.",
     .weight = kNo,
     .reading = Reading::kRevokes},
    {.cause = "harmless",
     .pattern = R"re(inotify_add_watch\()re",
     .example = "UCX  ERROR inotify_add_watch(/tmp) failed: No space left on device",
     .weight = kNo},
    {.cause = "harmless",
     .pattern =
         R"re(amdgpu\.ids: No such file or directory|tcmalloc: |memory monitor disabled|Cannot locate TCMalloc|fatal: not a git repository)re",
     .example = "/opt/amdgpu/share/libdrm/amdgpu.ids: No such file or directory",
     .weight = kNo},
    {.cause = "harmless",
     .pattern =
         R"re(Some weights of the (?:model checkpoint|PyTorch model)|newly initialized:|This IS(?: NOT)? expected if you are initializing)re",
     .example =
         "Some weights of the model checkpoint at openai/clip-vit-large-patch14 were not "
         "used when initializing CLIPTextModel: ['a.b']",
     .weight = kNo},
    {.cause = "harmless",
     .pattern =
         R"re(A matching Triton is not available, some optimizations will not be enabled|Triton is not available|triton not found; flop counting will not work|Redirects are currently not supported in Windows)re",
     .example = "A matching Triton is not available, some optimizations will not be enabled.",
     .weight = kNo,
     .reading = Reading::kAnnounces},
    {.cause = "harmless",
     .pattern =
         R"re(No module '?xformers'?\. Proceeding without it|Torch and xformers|xformers version: |No SDP backend available|Failed to find (?:nvdisasm|cuobjdump)|Couldn't find ninja)re",
     .example = "No module 'xformers'. Proceeding without it.",
     .weight = kNo},
    {.cause = "harmless",
     .pattern =
         R"re(Unable to register (?:cuDNN|cuFFT|cuBLAS|cuda) factory|Attempting to register factory for plugin|TF-TRT Warning: (?:Could not find TensorRT|Cannot dlopen)|rebuild TensorFlow with the appropriate compiler flags|computation placer already registered)re",
     .example =
         "E external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:9261] Unable to "
         "register cuDNN factory: Attempting to register factory for plugin cuDNN",
     .weight = kNo},
    {.cause = "harmless",
     .pattern =
         R"re(generated with INT64 weights, while TensorRT does not natively support INT64|One or more weights outside the range of INT32 was clamped|CUDA lazy loading is not enabled|Using default stream in enqueueV3|[Tt]he logger passed into createInfer\w+ differs|Throughput may be bound by|GPU compute time is unstable|[Ww]eights .{0,60}(?:subnormal|less than smallest positive FP16)|TensorRT encountered issues when converting weights between types|was linked against cuDNN|Cast(?:ing)? (?:down )?(?:from )?INT64|Using kFASTER_DYNAMIC_SHAPES|Unable to determine GPU memory usage|Detected layernorm)re",
     .example =
         "[W] [TRT] onnx2trt_utils.cpp:374: Your ONNX model has been generated with INT64 "
         "weights, while TensorRT does not natively support INT64.",
     .weight = kNo},
    {.cause = "harmless",
     .pattern =
         R"re(Some nodes were not assigned to the preferred execution providers|Rerunning with verbose output on a non-minimal build|CleanUnusedInitializersAndNodeArgs|Removing initializer '|Serializing optimized model with Graph Optimization level|Memcpy nodes are added to the graph|Could not find a CPU kernel and hence can't constant fold|Force fallback to CPU execution)re",
     .example =
         "[W:onnxruntime:, session_state.cc:1166 VerifyEachNodeIsAssignedToAnEp] Some "
         "nodes were not assigned to the preferred execution providers which may or may "
         "not have an negative impact on performance.",
     .weight = kNo},
    {.cause = "harmless",
     .pattern =
         R"re(TracerWarning|FutureWarning|DeprecationWarning|UserWarning: (?:The (?:given|use of)|torch\.(?:meshgrid|utils|cuda\.amp)|Plan failed|You (?:are|have)|`|xFormers is available|Using )|Converting a tensor to a Python \w+ might cause the trace to be incorrect|Constant folding (?:-|not applied)|can't be inferred|The shape inference of \S+ type is missing)re",
     .example =
         "/venv/diffusers/models/attention.py:12: FutureWarning: `x` is deprecated and "
         "will be removed in version 1.0.0.",
     .weight = kNo},
    {.cause = "harmless",
     .pattern =
         R"re(You have disabled the safety checker|Token indices sequence length is longer than|The following part of your input was truncated because CLIP can only handle sequences|libpng warning|Palette images with Transparency|Keyword arguments .{1,120} (?:are|is) not expected by|The config attributes .{1,400} were passed to|No LoRA weights were found|Expected types for \w+)re",
     .example =
         "Token indices sequence length is longer than the specified maximum sequence "
         "length for this model (93 > 77).",
     .weight = kNo},
    {.cause = "harmless",
     .pattern =
         R"re([Rr]an out of memory when regular VAE (?:decoding|encoding), retrying with tiled|clip missing: \['text_projection|left over keys|unet unexpected: |Requested to load|loaded partially|loaded completely|missing keys?: \[\]|No LoRA keys associated to (?:CLIPText|T5|UMT5|Gemma|Qwen)\w* found|FETCH (?:DATA|ComfyRegistry)|WARNING: .{0,80}(?:deprecated|will be removed))re",
     .example =
         "Warning: Ran out of memory when regular VAE decoding, retrying with tiled VAE "
         "decoding.",
     .weight = kNo},
    {.cause = "harmless",
     .pattern =
         R"re(pip's dependency resolver does not currently take into account all the packages|A new release of pip|WARNING: Running pip as the 'root' user|The scripts? .{1,120} (?:is|are) installed in '.{1,200}' which (?:is|are) not on PATH|Ignoring invalid distribution|fatal: No names found|HEAD is now at)re",
     .example =
         "ERROR: pip's dependency resolver does not currently take into account all the "
         "packages that are installed. This behaviour is the source of the following "
         "dependency conflicts.",
     .weight = kNo},
    {.cause = "harmless",
     .pattern =
         R"re(UserWarning: The installed version of bitsandbytes was compiled without GPU support|Error caught was: |This is just a warning: |Cannot import (?:xformers|triton|deepspeed)(?:\W|$)|unable to import '?(?:smart_open|triton)|Failed to initialize ONNX Runtime\. Continue without it|NOTE: Redirects|The cache for model files in|`huggingface_hub` cache-system uses symlinks|To support symlinks on Windows|The secret `HF_TOKEN` does not exist|[Xx]et Storage is enabled|hf_xet|unauthenticated requests)re",
     .example = "Error caught was: No module named 'triton'",
     .weight = kNo},
    {.cause = "harmless",
     .pattern =
         R"re(Failed to convert the model to the target version \d+ using the ONNX C API)re",
     .example =
         "Failed to convert the model to the target version 17 using the ONNX C API. The model "
         "was not modified",
     .weight = kNo,
     .reading = Reading::kAnnounces},
    {.cause = "harmless",
     .pattern = R"re(&&&& PASSED)re",
     .example = "&&&& PASSED TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=unet.onnx",
     .weight = kNo},
};
// clang-format on

}  // namespace

constinit const RuleSet kHarmlessRules{kCauses, kPatterns};

}  // namespace sinter::diagnose::log::rules
